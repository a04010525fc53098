"""How each loss of a model of sequences is trained, and how its certificate is checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from empirisk.chains.chain_data import ChainData
from empirisk.chains.losses import as_chain_loss
from empirisk.chains.perceptron import sequence_perceptron
from empirisk.chains.point import ChainPoint
from empirisk.chains.risk import ChainRisk
from empirisk.driver import minimize
from empirisk.models.chain_options import ChainOptions
from empirisk.protocols import Certificate, Unsupported, Vector, Verification


class Outcome(NamedTuple):
    """What a model takes over from a training."""

    weights: Vector
    certificate: Certificate | None
    certified: bool
    status: str
    solver: str
    reason: str
    passes: float
    found: Any  # the solution or the run


def trained(
    data: ChainData,
    options: ChainOptions,
    start: ChainPoint | None,
    callback: Callable[[Any], Any] | None,
    stop: Callable[[], Any] | None,
) -> Outcome:
    """Train on the data, from `start` where there is one."""
    if options.is_convex:
        return _minimized(data, options, start, callback, stop)
    if options.loss == "perceptron":
        return _run(data, options, start, callback)
    raise Unsupported(f"loss {options.loss!r} is not there")


def _minimized(
    data: ChainData,
    options: ChainOptions,
    start: ChainPoint | None,
    callback: Callable[[Any], Any] | None,
    stop: Callable[[], Any] | None,
) -> Outcome:
    problem = risk_of(data, options)
    solution = minimize(
        problem,
        options.solver,
        tol=options.tol,
        max_passes=options.passes,
        callback=callback,
        start=start,
        seed=options.seed,
        time_limit=options.time_limit,
        stop=stop,
    )
    return Outcome(
        solution.point.weights,
        solution.certificate,
        solution.certified,
        str(solution.status),
        solution.solver,
        solution.reason,
        float(solution.passes),
        solution,
    )


def _run(
    data: ChainData, options: ChainOptions, start: ChainPoint | None, callback: Callable[[Any], Any] | None
) -> Outcome:
    run = sequence_perceptron(
        data,
        averaged=options.average,
        order=options.order,
        seed=options.seed,
        max_passes=int(options.passes),
        start=None if start is None else start.weights,
        callback=callback,
        time_limit=options.time_limit,
    )
    form = "averaged perceptron" if options.average else "perceptron"
    reason = f"{form}: {run.mistakes} mistakes in {run.counts.visits} visits of sequences."
    return Outcome(run.weights, None, False, str(run.status), "perceptron", reason, float(run.passes), run)


def risk_of(data: ChainData, options: ChainOptions) -> ChainRisk:
    """The problem whose minimum is looked for."""
    loss = as_chain_loss(options.loss, options.cost, data.n_labels)
    return ChainRisk(data, loss, options.l1, options.l2, options.n_threads)


def verified(model: Any, data: ChainData) -> Verification:
    """The verdict on the certificate of a model, on these data."""
    if model.options.is_convex:
        verdict: Verification = model.certificate.verify(risk_of(data, model.options), model.point)
        return verdict
    return Verification(False, "Nothing is proven.")

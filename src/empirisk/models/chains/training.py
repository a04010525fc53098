"""How each loss of a model of sequences is trained, and how its certificate is checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from empirisk.chains.chain_data import ChainData
from empirisk.chains.generative import counted_frequencies, generative_weights
from empirisk.chains.generative.joint_likelihood import joint_likelihood
from empirisk.chains.perceptron import SequencePerceptronRun, sequence_perceptron
from empirisk.chains.point import ChainPoint
from empirisk.chains.risk import ChainRisk
from empirisk.chains.verdicts.conflict import SequenceConflict
from empirisk.chains.verdicts.mistake_bound import sequence_mistake_bound
from empirisk.chains.verdicts.realization import Realization, realization_from
from empirisk.chains.verdicts.realize import realize
from empirisk.driver import minimize
from empirisk.models.chains.options import ChainOptions
from empirisk.protocols import Certificate, Unsupported, Vector, Verification

VERDICT_SECONDS = 10.0  # that a perceptron which did not end looks for the reason, unless a limit is given


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
        return _run(data, options, start, callback, stop)
    return _counted(data, options)


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
    data: ChainData,
    options: ChainOptions,
    start: ChainPoint | None,
    callback: Callable[[Any], Any] | None,
    stop: Callable[[], Any] | None,
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
        stop=stop,
    )
    form = "averaged perceptron" if options.average else "perceptron"
    reason = f"{form}: {run.mistakes} mistakes in {run.counts.visits} visits of sequences."
    proof, said = _proof_of(data, run, options)
    return Outcome(
        run.weights, proof, proof is not None, str(run.status), "perceptron", f"{reason}{said}", float(run.passes), run
    )


def _proof_of(data: ChainData, run: SequencePerceptronRun, options: ChainOptions) -> tuple[Certificate | None, str]:
    """The bound on its mistakes, or the labelings that no weights can have right; with what is to be said of it."""
    verdict: Any = realization_from(data, run.last) if run.is_realised else None
    if verdict is None:
        limit = VERDICT_SECONDS if options.time_limit is None else options.time_limit
        verdict = realize(data, time_limit=limit, max_passes=0, seed=options.seed)
    if isinstance(verdict, Realization):
        return sequence_mistake_bound(data, run, verdict), ""
    if isinstance(verdict, SequenceConflict):
        return verdict, f" {verdict.sentence()}"
    return None, f" Whether any weights have every sequence right was not decided: {verdict.reason}."


def _counted(data: ChainData, options: ChainOptions) -> Outcome:
    """Relative frequencies, which are the weights of largest joint probability of sequences and labels."""
    if not data.layout.n_attributes:
        raise Unsupported("frequencies are counted of attributes, and these sequences have dense features alone")
    problem = joint_likelihood(data, options.smoothing)
    weights = generative_weights(data, options.smoothing)
    proof = counted_frequencies(problem, ChainPoint(weights))
    is_certified = proof.is_within(options.tol)
    said = f"generative: relative frequencies, {options.smoothing:g} added to each count."
    return Outcome(weights, proof, is_certified, "counted", "generative", said, 1.0, problem)


def realized(data: ChainData, options: ChainOptions, callback: Callable[[Any], Any] | None = None) -> Outcome:
    """Weights that have every sequence right, or the labelings that forbid it."""
    verdict = realize(data, time_limit=options.time_limit, seed=options.seed, callback=callback)
    is_realised = isinstance(verdict, Realization)
    weights = verdict.point.weights if isinstance(verdict, Realization) else np.zeros(data.layout.size)
    if isinstance(verdict, (Realization, SequenceConflict)):
        proof, status = verdict, "realised" if is_realised else "not realisable"
    else:
        proof, status = None, f"undecided: {verdict.reason}"
    return Outcome(weights, proof, proof is not None, status, "realize", "", 0.0, verdict)


def risk_of(data: ChainData, options: ChainOptions) -> ChainRisk:
    """The problem whose minimum is looked for."""
    return ChainRisk(data, options.loss, options.l1, options.l2, options.n_threads, cost=options.cost)


def verified(model: Any, data: ChainData) -> Verification:
    """The verdict on the certificate of a model, on these data."""
    certificate = model.certificate
    if model.options.loss == "generative":
        counted: Verification = certificate.verify(joint_likelihood(data, model.options.smoothing), model.point)
        return counted
    if model.options.is_convex:
        verdict: Verification = certificate.verify(risk_of(data, model.options), model.point)
        return verdict
    point = None if isinstance(certificate, SequenceConflict) else model.point  # a conflict is about the data alone
    found: Verification = certificate.verify(data, point)
    return found

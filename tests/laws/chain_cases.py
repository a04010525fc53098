"""Certificates about sequences, for the laws of all certificates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from empirisk.chains.generative import JointLikelihood, counted_frequencies, generative_weights
from empirisk.chains.losses import as_chain_loss
from empirisk.chains.perceptron import sequence_perceptron
from empirisk.chains.point import ChainPoint
from empirisk.chains.verdicts.mistake_bound import sequence_mistake_bound
from empirisk.chains.verdicts.realize import realize
from tests.chains.sentences import drawn_data, drawn_risk, written_data
from tests.laws.case import Case, solved


def realised(**drawn: Any) -> Callable[[Any], Case]:
    """Weights that have some sequences right."""

    def made(d: Any) -> Case:
        data = drawn_data(n=4, longest=3, n_words=15, **drawn)
        return Case(realize(data), data, None)

    return made


def conflicting(d: Any) -> Case:
    """Labelings that forbid such weights."""
    data = written_data([[[0, 1]], [[1, 2]], [[0, 2]], [[0, 1, 2]], [[3]]], [[0], [0], [0], [1], [1]], 4)
    return Case(realize(data), data, None)


def sequence_run(**asked: Any) -> Callable[[Any], Case]:
    """The bound of a structured perceptron's run."""

    def made(d: Any) -> Case:
        data = drawn_data(n=4, longest=3, n_words=15)
        start = np.arange(data.layout.size) % 3.0 if "order" in asked else None
        run = sequence_perceptron(data, start=start, **asked)
        return Case(sequence_mistake_bound(data, run, realize(data)), data, None)

    return made


def frequencies_of(smoothing: float, **drawn: Any) -> Callable[[Any], Case]:
    """Relative frequencies, as the weights of a chain."""

    def made(d: Any) -> Case:
        problem = JointLikelihood(drawn_data(n=8, **drawn), smoothing)
        point = ChainPoint(generative_weights(problem.data, smoothing))
        return Case(counted_frequencies(problem, point), problem, point)

    return made


CHAIN_CASES: dict[str, Callable[[Any], Case]] = {
    "counted_frequencies": frequencies_of(0.5),
    "counted_frequencies, all pairs, nothing added": frequencies_of(0.0, states="all"),
    "counted_frequencies, fewer weights": frequencies_of(2.0, transitions="observed", has_ends=False),
    "chain_gap": lambda d: solved(drawn_risk(n=5), tol=1e-3),
    "chain_gap, l1": lambda d: solved(drawn_risk(n=5, l1=0.02, l2=0.0), tol=1e-2),
    "chain_gap, margin": lambda d: solved(drawn_risk(as_chain_loss("margin", "hamming", 3), n=5), tol=1e-3),
    "realization": realised(),
    "realization, values": realised(with_values=True, n_dense=1),
    "sequence_conflict": conflicting,
    "sequence_mistake_bound": sequence_run(averaged=False),
    "sequence_mistake_bound, start": sequence_run(order="random", seed=3),
}

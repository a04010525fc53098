"""What generative training minimises: the negative logarithm of the probability of tokens and labels together.

p(x, s) = p(s_1) prod_(t > 1) p(s_t | s_(t - 1)) prod_t prod_(a of x_t) p(a | s_t), for a given length. A token with one
attribute makes it a hidden Markov model; with several, each is as if it were drawn by itself given the label, which is
the assumption of naive Bayes, and seldom true. With a >= 0 added to every count,

    P = -(1/S) (sum_j w_j log p(x_j, s_j) + a sum of the logarithms of all entries of the tables)

is least where each row of the tables has its relative frequencies (n_i + a) / (n + a width). A row that nothing is
known of is uniform. Rabiner (1989); Ng and Jordan (2002) compare it with the likelihood of the labels alone.

The weights of a chain are the logarithms of the tables, and <phi(x, s), u> = log p(x, s), where all pairs of attribute
and label have one. Where only the observed ones do, all others share one probability for each label k, that of a count
of zero, with the logarithm b_k: states then hold log p(a | k) - b_k, and b_k, as often as a token has attributes in the
mean, goes to the transitions to k and to the start with k. That changes no probability of a labelling where each token
has so many. Transitions without a weight share one logarithm as well, the mean c of theirs, which is taken from all of
them; without weights of the start there is no table for it. What a labelling may not have (masks) is counted as if it
were only rare; dense features and the end have no part in it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirisk.chains.chain_data import ChainData
from empirisk.chains.generative.counts import Counts, counts_of
from empirisk.parameters import check_positive
from empirisk.protocols import Array, Matrix, Unsupported, Vector


class JointLikelihood(NamedTuple):
    """The sequences, and how much is added to every count."""

    data: ChainData
    smoothing: float

    def description(self) -> str:
        """What it is, in a few words."""
        data = self.data
        said = f"joint likelihood of {data.n_sequences} sequences, {data.n_labels} labels, {data.layout.size} weights"
        return f"{said}, smoothing={self.smoothing:g}"


class Frequencies(NamedTuple):
    """The logarithms of the relative frequencies of some counts, and what stands between them and the weights."""

    states: Vector
    transitions: Matrix
    first: Vector
    base: Vector  # (K,): b_k, zero where all pairs have weights
    to_label: Vector  # (K,): what is added to transitions to a label and to the start with it
    from_all: float  # c, which is taken from all transitions


def joint_likelihood(data: ChainData, smoothing: float) -> JointLikelihood:
    """The problem, where its weights can hold an answer."""
    smoothing = check_positive("smoothing", smoothing, allows_zero=True)
    layout = data.layout
    if smoothing == 0.0 and not (_has_all_states(data) and bool(layout.is_free.all())):
        raise Unsupported(
            "smoothing=0 gives what never occurred the logarithm -inf, for which there must be a weight: "
            "take a smoothing > 0, or states='all' and transitions='all'"
        )
    return JointLikelihood(data, smoothing)


def frequencies(problem: JointLikelihood, counts: Counts) -> Frequencies:
    """The logarithms of (n_i + a) / (n + a width)."""
    data, a = problem.data, problem.smoothing
    layout, K = data.layout, data.n_labels
    with np.errstate(all="ignore"):
        totals = counts.labels + a * layout.n_attributes
        states = np.log((counts.states + a) / totals[layout.state_labels])
        states[totals[layout.state_labels] == 0.0] = -np.log(layout.n_attributes)
        transitions, first = _log_rows(counts.transitions, a), _log_rows(counts.first[None], a)[0]
        base = np.zeros(K) if _has_all_states(data) else np.log(a / totals)
    to_label = counts.a_token * base
    shifted, is_tied = transitions + to_label, ~layout.is_free
    from_all = float(np.mean(shifted[is_tied])) if bool(is_tied.any()) else 0.0
    return Frequencies(states, transitions, first, base, to_label, from_all)


def weights_of(problem: JointLikelihood, found: Frequencies) -> Vector:
    """u."""
    layout = problem.data.layout
    u: Array = np.zeros(layout.size)
    parts = layout.parts(u)
    parts.states[:] = found.states - found.base[layout.state_labels]
    parts.transitions[:] = found.transitions + found.to_label - found.from_all
    parts.first[:] = found.first + found.to_label
    layout.mask(u)
    return u


def generative_weights(data: ChainData, smoothing: float = 1.0) -> Vector:
    """The weights of the relative frequencies: the answer of `loss="generative"`, and a start for the others."""
    problem = joint_likelihood(data, smoothing)
    return weights_of(problem, frequencies(problem, counts_of(data)))


def _has_all_states(data: ChainData) -> bool:
    return bool(data.layout.state_labels.size == data.n_labels * data.layout.n_attributes)


def _log_rows(counts: Matrix, a: float) -> Matrix:
    totals = counts.sum(axis=1, keepdims=True) + a * counts.shape[1]
    return np.where(totals > 0.0, np.log((counts + a) / totals), -np.log(counts.shape[1]))

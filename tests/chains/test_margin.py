"""The margin and its certificate, against a program with all labelings."""

from __future__ import annotations

import functools
import itertools

import cvxpy as cp
import numpy as np
import pytest

import empirisk as er
from empirisk.chains.chain_data import Masks
from empirisk.chains.gap.chain_gap import chain_gap
from empirisk.chains.labelings import Labelings
from empirisk.chains.losses import as_chain_loss
from empirisk.chains.margin import mean_margin
from empirisk.chains.point import ChainPoint
from tests.chains.sentences import drawn_risk, features_of, gold_of, lengths_of

MATRIX = np.array([[0.0, 1.0, 0.3], [2.0, 0.0, 0.0], [0.5, 1.0, 0.0]])
COSTS = {"hamming": "hamming", "mean_hamming": "mean_hamming", "sequence": "sequence", "matrix": MATRIX}
SETTINGS = [
    {},
    {"states": "all", "seed": 3},
    {"transitions": "observed", "has_ends": False},
    {"with_values": True, "n_dense": 2, "weights": np.arange(8.0)},
    {"masks": "learned"},
]
CASES = [(cost, setting) for cost in COSTS for setting in (SETTINGS if cost == "hamming" else SETTINGS[::2])]


def margin_risk(cost="hamming", l2=0.05, n_threads=1, masks=None, **setting):
    loss = as_chain_loss("margin", COSTS[cost], 3)
    drawn = {"n": 8, "longest": 4, **setting}
    if masks is not None:  # whatever the true labels do is allowed, and little else
        gold = [path for data in [drawn_risk(**drawn).data] for path in map(functools.partial(gold_of, data), range(8))]
        between, first, last = np.full((3, 3), -np.inf), np.full(3, -np.inf), np.zeros(3)
        for path in gold:
            first[path[0]] = 0.0
            for pair in itertools.pairwise(path):
                between[pair] = 0.0
        masks = Masks(between, first, last)
    return drawn_risk(loss, 0.0, l2, n_threads, masks=masks, **drawn)


def cost_of_labelling(risk, gold, path):
    if risk.loss.cost == "sequence":
        return float(path != gold)
    total = sum(risk.loss.matrix[a, b] for a, b in zip(gold, path, strict=True))
    return total / len(gold) if risk.loss.is_mean else total


@functools.cache
def all_labelings(cost, at):
    """The problem of a case, and of each sequence its labelings with costs and feature differences."""
    risk = margin_risk(cost, **SETTINGS[at])
    data, found = risk.data, []
    masks = data.masks
    for j, length in enumerate(lengths_of(data)):
        gold, own = gold_of(data, j), []
        true = features_of(data, j, gold)
        for path in itertools.product(range(3), repeat=length):
            allowed = masks.first[path[0]] + masks.last[path[-1]]
            if allowed + sum(masks.between[pair] for pair in itertools.pairwise(path)) == 0.0:
                own.append((path, cost_of_labelling(risk, gold, path), true - features_of(data, j, path)))
        found.append(own)
    return risk, found


def slow_primal(risk, found, u):
    losses = [max(cost - psi @ u for _, cost, psi in own) for own in found]
    return float(risk.shares @ losses) + risk.penalty(u)


@functools.cache
def optimum(cost, at):
    """The minimum of P with all its constraints, and the dual weights of all labelings."""
    risk, found = all_labelings(cost, at)
    u, slack = cp.Variable(risk.data.layout.size), cp.Variable(len(found))
    rules = [
        slack[j] >= np.array([c for _, c, _ in own]) - np.stack([psi for _, _, psi in own]) @ u
        for j, own in enumerate(found)
    ]
    program = cp.Problem(cp.Minimize(risk.shares @ slack + 0.5 * risk.regularizer.l2 * cp.sum_squares(u)), rules)
    program.solve(solver="CLARABEL", tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    return float(program.value), u.value, [rule.dual_value for rule in rules]


def labelings_from(risk, found, duals):
    """Those of the program's dual, as they are stored."""
    starts, weights, cuts, positions, labels = [0], [], [0], [], []
    for j, (own, alpha) in enumerate(zip(found, duals, strict=True)):
        gold = gold_of(risk.data, j)
        share = risk.shares[j]
        alpha = np.maximum(alpha, 0.0) / share if share else np.zeros(len(own))
        alpha = alpha / max(1.0, 1.0000001 * float(np.sum(alpha)))
        for (path, _, _), weight in zip(own, alpha, strict=True):
            if path != gold and weight > 0.0:
                changed = [t for t in range(len(path)) if path[t] != gold[t]]
                positions += changed
                labels += [path[t] for t in changed]
                cuts.append(len(positions))
                weights.append(weight)
        starts.append(len(weights))
    return Labelings(
        np.array(starts, np.int64), np.array(weights), np.array(cuts, np.int64),
        np.array(positions, np.int32), np.array(labels, np.int32),
    )  # fmt: skip


@pytest.mark.parametrize(("cost", "at"), [(cost, SETTINGS.index(s)) for cost, s in CASES])
def test_primal_and_dual_value_are_those_of_all_labelings(cost, at):
    risk, found = all_labelings(cost, at)
    rng = np.random.default_rng(2)
    for _ in range(3):
        u = rng.normal(size=risk.data.layout.size)
        risk.data.layout.mask(u)
        certificate = chain_gap(risk, ChainPoint(u))
        assert certificate.objective == pytest.approx(slow_primal(risk, found, u), rel=1e-12)
        assert certificate.dual_value == 0.0
        mean = mean_margin(risk.passes, risk.loss, u)
        assert mean.value + risk.penalty(u) == pytest.approx(certificate.objective, rel=1e-12)
        other = rng.normal(size=u.size)
        risk.data.layout.mask(other)
        below = mean.value + mean.gradient @ (other - u)
        assert below <= slow_primal(risk, found, other) - risk.penalty(other) + 1e-9
    value, u, duals = optimum(cost, at)
    certificate = chain_gap(risk, ChainPoint(u, labelings_from(risk, found, duals)))
    assert certificate.objective == pytest.approx(value, rel=1e-6)
    assert certificate.dual_value == pytest.approx(value, rel=1e-6)
    assert certificate.rounding < 1e-10
    assert er.verify(certificate.about(ChainPoint(u)), risk, ChainPoint(u)).holds

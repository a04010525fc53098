"""Accelerated dual coordinate ascent: the root of the condition number, in passes."""

import math

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.certificates import duality_gap
from empirisk.protocols import Unsupported
from empirisk.solvers.accelerated_sdca import AcceleratedSDCA
from empirisk.solvers.svrg import SVRG


def problem(loss="logistic", l2=1e-2, n=300, wrap=np.asarray, **options):
    rng = np.random.default_rng(0)
    scales = np.geomspace(1.0, 0.02, 12)
    X = rng.normal(size=(n, 12)) * scales
    y = np.where(X @ (rng.normal(size=12) / scales) + rng.normal(size=n) > 0, 1.0, -1.0)
    return er.EmpiricalRisk(wrap(X), y, loss, l2=l2, **options)


def passes_to(p, solver, tol, most):
    solution = er.minimize(p, solver, tol=tol, max_passes=most)
    return solution.passes if solution.certified else math.inf


def test_beats_svrg_and_sdca_where_l2_is_small():
    p = problem(l2=0.01 / 300, fit_intercept=False)
    mine = passes_to(p, AcceleratedSDCA(), 1e-6, 400)
    assert mine <= 400
    for other in (SVRG(), "sdca"):
        assert passes_to(p, other, 1e-6, 2.0 * mine) > 1.5 * mine


def test_passes_grow_like_the_root_of_the_condition_number():
    mine = [
        passes_to(problem("squared", l2=s / 300, fit_intercept=False), AcceleratedSDCA(), 1e-8, 2000)
        for s in (0.1, 0.001)
    ]
    assert mine[1] < 2000
    assert mine[1] < 20.0 * mine[0]  # the condition number grows by 100, its root by 10


@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize(
    "options",
    [{}, {"l1": 0.01, "fit_intercept": False}, {"constraint": er.Box(0.0, 0.3)}, {"l1": 0.02, "l2": 0.0}],
    ids=["l2", "l1", "box", "l1 alone"],
)
def test_certifies_to_high_precision(options, wrap):
    p = problem(wrap=wrap, **({"l2": 1e-3} | options))
    solution = er.minimize(p, AcceleratedSDCA(), tol=1e-9, max_passes=1000)
    assert solution.certified
    assert solution.certificate.verify(p, solution.point).holds
    assert solution.objective == pytest.approx(er.minimize(p, "fista", tol=1e-10).objective, rel=1e-8)


def test_takes_kinks_and_a_warm_start():
    p = problem("hinge", l2=1e-4)
    first = er.minimize(p, AcceleratedSDCA(), tol=1e-3, max_passes=1000)
    assert first.certified
    again = er.minimize(p, AcceleratedSDCA(), tol=1e-3, max_passes=1000, start=(first.weights, first.intercept))
    assert again.certified
    assert again.passes < first.passes


def test_estimate_is_near_the_gap():
    p = problem(l2=1e-4, fit_intercept=False)
    solver = AcceleratedSDCA()
    state = solver.init(p, p.zero())
    for _ in range(12):
        state = solver.step(p, state)
    known, proof = solver.progress(p, state), duality_gap(p, solver.point(state))
    assert known.objective == pytest.approx(proof.objective, rel=1e-2)
    assert proof.gap / 10.0 < known.gap < 10.0 * proof.gap


def test_repeats_for_a_seed():
    runs = [er.minimize(problem(), AcceleratedSDCA(seed=k), max_passes=6, tol=1e-12).weights for k in (3, 3, 4)]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert np.any(runs[2] != runs[0])


def test_refuses_a_penalty_that_is_no_sum_over_coordinates():
    with pytest.raises(Unsupported, match="needs regularizer"):
        er.minimize(problem(constraint="l2_ball"), AcceleratedSDCA())

"""SVRG; its steps and draws are tested with SAGA."""

import math

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.capabilities import missing
from empirisk.certificates import duality_gap
from empirisk.solvers.sampling.row_draws import row_sampling
from empirisk.solvers.svrg import SVRG


def problem(loss="logistic", density=0.5, wrap=np.asarray, **options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 10)) * (rng.random((400, 10)) < density)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=400) > 0, 1.0, -1.0)
    return er.EmpiricalRisk(wrap(X), y, loss, **({"l2": 1e-2} | options))


@pytest.mark.parametrize(("loss", "wrap"), [("logistic", np.asarray), ("squared_hinge", scipy.sparse.csr_array)])
def test_converges_linearly(loss, wrap):
    p = problem(loss, wrap=wrap, fit_intercept=False)
    solver = SVRG(step_length=1 / 3)
    state = solver.init(p, p.zero())
    passes, logs = [], []
    while not logs or logs[-1] > math.log(1e-11):
        state = solver.step(p, state)
        passes.append(state.passes)
        logs.append(math.log(max(state.gap, 1e-15)))
        assert state.passes < 200
    per_e = 1.0 + row_sampling(p).smoothness / (1e-2 * 400)
    assert np.polyfit(passes, logs, 1)[0] < -1.0 / (4.0 * per_e)


@pytest.mark.parametrize(
    "options",
    [{}, {"l1": 0.02, "fit_intercept": False}, {"constraint": er.Box(0.0, 0.3)}, {"l2": 0.0, "l1": 0.05}],
    ids=["l2", "l1", "box", "l1 alone"],
)
def test_certifies_to_high_precision(options):
    p = problem(**options)
    solution = er.minimize(p, SVRG(), tol=1e-9, max_passes=400)
    assert solution.certified
    assert solution.certificate.verify(p, solution.point).holds
    assert solution.objective == pytest.approx(er.minimize(p, "fista", tol=1e-10).objective, rel=1e-8)


def test_objective_and_gap_of_a_snapshot_are_those_of_the_certificate():
    p = problem(fit_intercept=False)
    solver = SVRG()
    state = solver.init(p, p.zero())
    for _ in range(3):
        state = solver.step(p, state)
    known = solver.progress(p, state)
    proof = duality_gap(p, solver.point(state))
    assert known.objective == pytest.approx(proof.objective, rel=1e-12)
    assert known.gap == pytest.approx(proof.gap, rel=1e-6)


def test_a_full_gradient_counts_as_a_pass():
    p = problem()
    solver = SVRG(epoch=0.5)
    state = solver.init(p, p.zero())
    assert solver.step(p, state).passes == state.passes + 1.5


def test_repeats_for_a_seed_and_any_number_of_threads():
    p = problem(l2=1e-3)
    runs = [er.minimize(p, SVRG(seed=3), max_passes=8, tol=1e-12, n_threads=k).weights for k in (1, 2)]
    np.testing.assert_array_equal(*runs)
    assert np.any(er.minimize(p, SVRG(seed=4), max_passes=8, tol=1e-12).weights != runs[0])


def test_refuses_what_it_cannot_do():
    assert missing(SVRG(), problem("hinge")) == ["needs loss.smoothness, which hinge does not have"]
    assert missing(SVRG(), problem(constraint="simplex"))
    for epoch in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ValueError, match=r"epoch (of SVRG )?must be a (positive )?number"):
            er.minimize(problem(), SVRG(epoch=epoch))

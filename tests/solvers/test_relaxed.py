"""A constraint that does not bind is left out, and the certificate is still that of the problem with it."""

import numpy as np
import pytest

import empirisk as er
from empirisk.selection.further import further_solvers
from empirisk.solvers import SDCA
from empirisk.solvers.proximal_newton import ProximalNewton
from empirisk.solvers.relaxed import Relaxed

pytestmark = pytest.mark.interpreted
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = np.where(X @ [1.0, -1.0, 0.5, 0.0] + 0.3 * RNG.normal(size=60) > 0.0, 1.0, -1.0)


@pytest.mark.parametrize("constraint", [er.Box(-50.0, 50.0), er.L1Ball(100.0)], ids=["box", "l1 ball"])
def test_what_does_not_bind(constraint):
    problem = er.EmpiricalRisk(X, Y, "hinge", l2=0.01, constraint=constraint)
    solution = er.minimize(problem, Relaxed(ProximalNewton()))
    free = er.minimize(er.EmpiricalRisk(X, Y, "hinge", l2=0.01), "proximal_newton")
    assert solution.certified
    assert er.verify(solution, problem).holds
    assert np.allclose(solution.weights, free.weights, atol=1e-4)


def test_what_binds_is_not_certified_and_stays_inside():
    problem = er.EmpiricalRisk(X, Y, "hinge", l2=0.01, constraint=er.Box(-0.1, 0.1))
    solution = er.minimize(problem, Relaxed(ProximalNewton()))
    assert not solution.certified
    assert np.abs(solution.weights).max() <= 0.1
    assert solution.objective >= er.minimize(problem).objective


def test_auto_takes_it_on_wide_data(monkeypatch):
    monkeypatch.setattr("empirisk.selection.further.MATRIX_COLUMNS", 100)
    wide, y = RNG.normal(size=(20, 320)), Y[:20]
    boxed = er.EmpiricalRisk(wide, y, "hinge", constraint=er.Box(-1.0, 1.0))
    assert Relaxed(ProximalNewton()) in further_solvers(boxed, SDCA())
    for other in (er.EmpiricalRisk(wide, y, "hinge"), er.EmpiricalRisk(wide, y, "hinge", l1=0.1)):
        assert Relaxed not in map(type, further_solvers(other, SDCA()))  # nothing to leave out

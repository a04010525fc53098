"""Losses with kinks under any prox: few passes on any scale of the columns, with a dual point."""

import numpy as np
import pytest

import empirisk as er
from empirisk.solvers.smoothing.smoothed import Smoothed
from tests.solvers.test_composite_newton import correlated


@pytest.mark.parametrize("options", [{"l1": 1e-3, "l2": 1e-6}, {"constraint": er.L1Ball(1.0), "l2": 0.0}])
def test_few_passes_where_smoothed_fista_fails(options):
    X, y = correlated()
    problem = er.EmpiricalRisk(X, y, "hinge", **options)
    ours = er.minimize(problem, er.solvers.SmoothedNewton())
    other = er.minimize(problem, er.solvers.SmoothedFISTA(), max_passes=500)
    assert ours.certified
    assert ours.passes <= 250.0
    assert not other.certified
    assert ours.objective <= other.objective * (1.0 + 1e-6)


def test_agrees_with_the_linear_program():
    X, y = correlated()
    problem = er.EmpiricalRisk(X, y, "hinge", l1=1e-3, l2=0.0)
    ours, exact = (er.minimize(problem, solver, tol=1e-8) for solver in ("smoothed_newton", "linear_program"))
    assert ours.certified
    assert ours.objective == pytest.approx(exact.objective, rel=1e-7)


@pytest.mark.parametrize("loss", [er.Hinge(), er.Absolute(), er.Quantile(), er.EpsilonInsensitive()])
def test_the_second_derivative_is_that_of_the_envelope(loss):
    envelope = Smoothed(loss, 0.3)
    for z in np.linspace(-2.0, 2.0, 41):
        step = 1e-5
        slopes = [envelope.derivative(z + shift, 1.0 + 0.2j) for shift in (-step, step)]
        found = envelope.second_derivative(z, 1.0 + 0.2j)
        assert 0.0 <= found <= envelope.smoothness() * (1.0 + 1e-6)
        quotient = (slopes[1] - slopes[0]) / (2.0 * step)
        is_at_corner = 0.0 < quotient < 0.99 / 0.3
        assert is_at_corner or found == pytest.approx(quotient, abs=1e-4)

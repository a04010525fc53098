"""solver="auto": the choice and its sentence."""

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.protocols import Unsupported
from empirisk.selection import choose


def pose(n=50, d=3, loss="logistic", sparse=False, **options):
    rng = np.random.default_rng(0)
    X = (
        rng.normal(size=(n, d))
        if not sparse
        else scipy.sparse.random_array((n, d), density=0.01, rng=rng, format="csr")
    )
    return er.EmpiricalRisk(X, np.where(np.arange(n) % 2, 1.0, -1.0), loss, **options)


@pytest.mark.parametrize(
    ("options", "solver", "words"),
    [
        ({}, "newton", "cheap to factor"),
        ({"d": 6000, "sparse": True}, "newton", "conjugate gradients"),
        ({"loss": "hinge"}, "proximal_newton", "kink"),
        ({"loss": "hinge", "d": 6000, "sparse": True}, "sdca", "kink"),
        ({"l1": 0.1}, "sdca", "l1 > 0"),
    ],
)
def test_choice_and_reason(options, solver, words):
    _, reason = choose(pose(**options))
    assert reason.startswith(solver + ":")
    assert words in reason
    assert reason.endswith(".")


def test_a_loss_without_second_derivative_gets_lbfgs():
    chosen, reason = choose(pose(loss=Plain()))
    assert isinstance(chosen, er.LBFGS)
    assert "no second derivative" in reason


@pytest.mark.parametrize(
    ("options", "solver", "words"),
    [
        ({"l2": 0.0}, "auto", "needs l2 > 0"),
        ({"l2": 0.0}, "newton", "needs l2 > 0"),
        ({"loss": "zero_one"}, "auto", "for evaluation only"),
        ({"loss": "hinge"}, "newton", "Solvers that can: proximal_newton, sdca"),
        ({"l1": 1.0}, "lbfgs", "Solvers that can: sdca"),
    ],
)
def test_refusals_name_what_works(options, solver, words):
    with pytest.raises(Unsupported, match=words):
        choose(pose(**options), solver)


def test_unknown_solvers_are_refused():
    with pytest.raises(ValueError, match="one of 'auto', 'newton'"):
        choose(pose(), "magic")
    with pytest.raises(TypeError, match="solver must be"):
        choose(pose(), 3)


class Plain(tuple):
    """A loss with value, derivative and smoothness only."""

    __slots__ = ()
    _fields = ("scale",)

    def value(self, z, y):
        return 0.5 * (z - y) ** 2

    def derivative(self, z, y):
        return z - y

    def smoothness(self):
        return 1.0

"""A loss with a value and a derivative only: the Fenchel-Young equality stands in for the conjugate."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import empirisk as er
from empirisk.capabilities import missing
from empirisk.certificates import duality_gap
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported
from empirisk.solvers import SOLVERS


class Plain(NamedTuple):
    """The logistic loss, with nothing but what is needed."""

    scale: float = 1.0

    def value(self, z, y):
        m = y * z
        return math.log1p(math.exp(-abs(m))) + max(-m, 0.0)

    def derivative(self, z, y):
        m = y * z
        e = math.exp(-abs(m))
        return -y * (e / (1.0 + e) if m > 0.0 else 1.0 / (1.0 + e))


class Lowered(NamedTuple):
    """(z - y)^2 / 2 - depth, which says how low it gets."""

    depth: float = 3.0

    def value(self, z, y):
        return 0.5 * (z - y) ** 2 - self.depth

    def derivative(self, z, y):
        return z - y

    def lower_bound(self):
        return -self.depth


class Unbounded(NamedTuple):
    """The same, but it does not say so."""

    depth: float = 3.0

    def value(self, z, y):
        return 0.5 * (z - y) ** 2 - self.depth

    def derivative(self, z, y):
        return z - y


def pose(loss, seed=0, n=50, d=3, **options):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X @ rng.normal(size=d) + rng.normal(size=n) > 0, 1.0, -1.0)
    s = rng.integers(0, 3, size=n) + 0.5
    return er.EmpiricalRisk(X, y, loss, **{"l2": 0.01, "sample_weight": s, **options})


@pytest.mark.compiled
@settings(max_examples=30)
@given(
    seed=st.integers(0, 10**6),
    far=st.floats(-8, 1),
    options=st.sampled_from(
        [{}, {"fit_intercept": False}, {"l1": 0.02}, {"l1": 0.02, "l2": 0.0}, {"l2": 0.0, "constraint": "l1_ball"}]
    ),
)
def test_the_gap_is_never_below_the_suboptimality_and_near_that_of_the_conjugate(seed, far, options):
    own, built_in = pose(Plain(), seed, **options), pose("logistic", seed, **options)
    best = er.minimize(built_in, tol=1e-9, max_passes=3000)
    rng = np.random.default_rng(seed)
    w, b = best.weights + 10.0**far * rng.normal(size=3), best.intercept
    own.regularizer.prox(w.copy(), 0.0, w)
    loose, tight = duality_gap(own, LinearPoint(w, b)), duality_gap(built_in, LinearPoint(w, b))
    assert loose.objective == pytest.approx(tight.objective, rel=1e-12)
    assert loose.gap >= loose.objective - best.objective - 1e-15
    assert loose.gap >= tight.gap * (1 - 1e-9) - 1e-15
    assert duality_gap(own, best.point).is_within(1e-3)
    assert loose.about(LinearPoint(w, b)).verify(own, LinearPoint(w, b)).holds


@pytest.mark.parametrize("solver", ["auto", *SOLVERS])
def test_every_eligible_solver_certifies_it(solver):
    problem = pose(Plain())
    if solver != "auto" and missing(SOLVERS[solver](), problem):
        return
    tol = 0.05 if solver in ("sgd", "projected_subgradient", "adagrad") else 1e-6
    solution = er.minimize(problem, solver, tol=tol, max_passes=3000)
    assert solution.certified
    assert solution.objective <= er.minimize(pose("logistic")).objective * (1 + 2 * tol)


def test_which_solvers_are_eligible():
    able = {name for name, cls in SOLVERS.items() if not missing(cls(), pose(Plain()))}
    assert able == {
        "lbfgs",
        "fista",
        "gradient_descent",
        "projected_gradient",
        "sgd",
        "projected_subgradient",
        "adagrad",
    }


def test_a_declared_lower_bound_makes_negative_values_certain():
    problem = pose(Lowered())
    solution = er.minimize(problem)
    assert solution.certified
    assert solution.objective == pytest.approx(er.minimize(pose("squared")).objective - 3.0, rel=1e-6)


def test_values_below_the_lower_bound_are_refused():
    with pytest.raises(Unsupported, match=r"lower_bound\(\)"):
        er.minimize(pose(Unbounded()))


class Raises(NamedTuple):
    """A loss with a bug far out."""

    scale: float = 1.0

    def value(self, z, y):
        if abs(z) > 100.0:
            raise ArithmeticError("too far")
        return 0.5 * (z - y) ** 2

    def derivative(self, z, y):
        return z - y


class NotANumber(NamedTuple):
    """A loss whose logarithm leaves its domain."""

    scale: float = 1.0

    def value(self, z, y):
        return -math.log(z - y) if z > y else math.nan

    def derivative(self, z, y):
        return -1.0 / (z - y) if z > y else math.nan

    def conjugate(self, u, y):
        return 0.0


def test_what_a_loss_raises_becomes_a_sentence():
    with pytest.raises(ValueError, match=r"the loss 'raises' raised ArithmeticError.*check_loss"):
        er.minimize(pose(Raises()), er.GradientDescent(alpha=50.0))


class TooSteep(NamedTuple):
    """A derivative that is not that of the value: its certificate would be false."""

    scale: float = 1.0

    def value(self, z, y):
        return 0.5 * (z - y) ** 2

    def derivative(self, z, y):
        return 1.1 * (z - y)


class Concave(NamedTuple):
    """Not convex, and it does not say so."""

    scale: float = 1.0

    def value(self, z, y):
        return math.sqrt(1.0 + abs(z - y))

    def derivative(self, z, y):
        return math.copysign(0.5, z - y) / math.sqrt(1.0 + abs(z - y))


@pytest.mark.parametrize(("loss", "words"), [(TooSteep(), "where the slope of value is"), (Concave(), "not convex")])
def test_a_loss_whose_certificate_would_be_false_is_refused(loss, words):
    with pytest.raises(ValueError, match=words):
        pose(loss)


def test_a_loss_that_returns_nan_ends_with_a_status():
    solution = er.minimize(pose(NotANumber()))
    assert solution.status is er.Status.NOT_A_NUMBER
    assert not solution.certified


class Exponentials(NamedTuple):
    """A logistic loss as one would write it: far out its exponentials are infinite, which is no error in a kernel."""

    scale: float = 1.0

    def tasks(self):
        return ("classification",)

    def value(self, z, y):
        return max(0.0, -y * z) + math.log1p(math.exp(-abs(z)))

    def derivative(self, z, y):
        return -y / (1.0 + math.exp(y * z))

    def smoothness(self):
        return 0.25


@pytest.mark.compiled
def test_exponentials_of_far_away_intercepts_are_infinite_and_no_error():
    X = np.random.default_rng(0).normal(size=(60, 3))
    problem = er.EmpiricalRisk(X, np.ones(60), Exponentials(), l2=0.01)
    assert np.isfinite(er.minimize(problem, "lbfgs", max_passes=50).certificate.gap)

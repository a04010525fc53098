"""Where products underflow, and scales and weights are extreme, a certificate claims no more than is true."""

from fractions import Fraction

import numpy as np
import pytest

import empirisk as er
from empirisk.certificates import duality_gap
from empirisk.losses import LOSSES
from empirisk.problems.linear_point import LinearPoint

pytestmark = pytest.mark.interpreted


def plane(n=20, d=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ np.array([1.0, -2.0, 0.5])[:d] + 0.1 * rng.normal(size=n)


def least_squares(X, y, scale, w, b):
    """The exact mean of scale / 2 r^2."""
    total = Fraction(0)
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        z = sum((Fraction(x) * Fraction(v) for x, v in zip(row, w, strict=True)), Fraction(b))
        total += Fraction(scale) * (z - Fraction(label)) ** 2 / 2
    return total / len(y)


def test_columns_whose_squares_vanish_are_not_certified_at_zero():
    X, y = plane()
    scale, factor = 1e-130, 1e-200
    problem = er.EmpiricalRisk(factor * X, y, er.Squared(scale), l2=0.0, fit_intercept=False)
    certificate = duality_gap(problem, LinearPoint(np.zeros(2)))
    best = np.linalg.lstsq(X, y, rcond=None)[0] / factor
    at_zero, lower = (least_squares(factor * X, y, scale, w, 0.0) for w in ([0.0, 0.0], best.tolist()))
    assert Fraction(certificate.gap) >= at_zero - lower
    assert not certificate.is_within(1e-6)


def test_the_radius_is_that_of_the_documented_rule_where_squares_vanish():
    X, y = plane()
    problem = er.EmpiricalRisk(1e-170 * X, y, "huber", l2=0.0)
    longest = float(np.sqrt((X**2).sum(axis=1)).max()) * 1e-170
    certificate = duality_gap(problem, LinearPoint(np.zeros(2)))
    # Either nothing but the floor of the loss is claimed, or weights that move a score by the size of the labels.
    assert certificate.weights_radius >= 10.0 * float(np.abs(y).max()) / longest * (1 - 1e-9)
    assert not er.minimize(problem).certified or er.minimize(problem).weights.any()


def test_tiny_targets_are_certified_where_they_are_fitted_and_nowhere_else():
    X, y = plane()
    problem = er.EmpiricalRisk(X, 1e-150 * y, "squared", l2=1e-4)
    far = duality_gap(problem, LinearPoint(np.array([1e-149, 3e-150]), 0.0))
    solution = er.minimize(problem)
    assert solution.certified
    assert not far.is_within(1e-6)
    assert far.relative_gap > 0.9
    np.testing.assert_allclose(
        solution.weights, 1e-150 * er.minimize(er.EmpiricalRisk(X, y, "squared")).weights, rtol=1e-6
    )


def test_targets_of_zero_leave_no_gap_at_all():
    X, y = plane()
    for name in ("squared", "absolute", "huber", "quantile", "epsilon_insensitive"):
        solution = er.minimize(er.EmpiricalRisk(X, 0.0 * y, name))
        assert (solution.certified, solution.objective, solution.certificate.gap) == (True, 0.0, 0.0), name


def test_a_gap_relative_to_nothing_is_within_no_tolerance():
    X, y = plane()
    certificate = er.minimize(er.EmpiricalRisk(X, 1e-170 * y, "squared")).certificate
    assert certificate.objective == 0.0  # it underflowed
    assert certificate.gap > 0.0
    assert not certificate.is_within(1e-6)


def test_weights_that_lose_digits_beside_the_largest_are_refused():
    X, y = plane(4)
    with pytest.raises(ValueError, match="too many orders of magnitude"):
        er.EmpiricalRisk(X, y, "squared", sample_weight=[1e308, 1.0, 1e-5, 1.0])
    er.EmpiricalRisk(X, y, "squared", sample_weight=[1e280, 1.0, 1.0, 0.0])


@pytest.mark.parametrize("strength", [1e-3, 1.0, 1e3])
def test_the_entropy_near_equal_weights_counts_its_own_rounding(strength):
    from flint import arb, ctx

    ctx.prec = 300
    for seed in range(12):
        rng = np.random.default_rng(seed)
        d = int(rng.integers(2, 7))
        X = rng.normal(size=(3, d))
        y = X.mean(axis=1)  # so that equal weights fit
        problem = er.EmpiricalRisk(
            X, y, "squared", regularizer=er.NegativeEntropy(strength), constraint=er.Simplex(1.0), fit_intercept=False
        )
        w = np.full(d, 1.0 / d) * (1.0 + 1e-9 * rng.normal(size=d))
        w /= w.sum()
        certificate = duality_gap(problem, LinearPoint(w))
        exact = [arb(v) for v in w.tolist()]
        scores = [sum((arb(x) * v for x, v in zip(row, exact, strict=True)), arb(0)) for row in X.tolist()]
        risk = sum(((z - arb(t)) ** 2 / 2 for z, t in zip(scores, y.tolist(), strict=True)), arb(0)) / 3
        entropy = arb(strength) * sum((v * (v * d).log() for v in exact), arb(0))
        assert abs(risk + entropy - arb(certificate.objective)) <= certificate.rounding


def test_ordinary_fits_with_an_entropy_are_certified():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(5, 40)), int(rng.integers(2, 8))
        X = rng.normal(size=(n, d))
        y = X @ rng.dirichlet(np.ones(d)) + 0.1 * rng.normal(size=n)
        entropy = er.NegativeEntropy(10.0 ** rng.uniform(-3, 3))
        assert er.minimize(er.EmpiricalRisk(X, y, "squared", regularizer=entropy, constraint=er.Simplex(1.0))).certified


def test_a_bounded_set_is_charged_for_what_vanishes_of_the_dual_point():
    X = np.array([[1.0], [2.0]]) * 1e-230
    problem = er.EmpiricalRisk(
        X, [1.0, 5.0], LOSSES["poisson"](1e-103), l2=0.0, constraint=er.L1Ball(3e229), fit_intercept=False
    )
    certificate = duality_gap(problem, LinearPoint(np.zeros(1)))
    lower = duality_gap(problem, LinearPoint(np.array([3e229])))
    assert certificate.gap >= certificate.objective - lower.objective > 0.0


def test_what_lies_outside_of_a_small_box_is_outside():
    box = er.Box(-1e-20, 1e-20)
    assert box.value(np.array([1e-20])) == 0.0
    assert box.value(np.array([2e-20])) == np.inf
    half_space = er.HalfSpace(np.array([1.0, 1.0]), 1e-20)
    problem = er.EmpiricalRisk(np.eye(2), [1.0, 1.0], "squared", constraint=half_space, fit_intercept=False)
    assert not np.isfinite(duality_gap(problem, LinearPoint(np.array([1e-13, 0.0]))).objective)


@pytest.mark.parametrize("name", ["absolute", "quantile", "hinge", "perceptron", "epsilon_insensitive"])
@pytest.mark.parametrize("scale", [1e-20, 1e20])
def test_a_minimum_is_found_by_the_linear_program_whatever_the_scale(name, scale):
    X, y = plane()
    loss = LOSSES[name](scale)
    y = np.sign(y) if name in ("hinge", "perceptron") else y
    for options in ({}, {"l1": 1e-2 * scale}, {"l1": scale, "constraint": er.Box(0.0, 1.0)}):
        assert er.minimize(er.EmpiricalRisk(X, y, loss, l2=0.0, **options), "linear_program").certified


@pytest.mark.parametrize("box", [er.Box(-1.0, 1.0), er.Box(0.0, 1.0), er.Box(-2.0, -1.0)])
def test_columns_that_do_not_matter_beside_l1_have_a_minimum(box):
    X, y = plane()
    problem = er.EmpiricalRisk(1e-20 * X, y, "absolute", l1=1.0, l2=0.0, constraint=box)
    assert er.minimize(problem, "linear_program").certified
    assert er.minimize(problem).certified


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_a_loss_that_is_nothing_on_all_rows_leaves_no_gap(loss):
    """Labels inside of the tube: the rounding of a score moves no row out of it, and nothing is lost there."""
    rng = np.random.default_rng(0)
    problem = er.EmpiricalRisk(rng.normal(size=(40, 3)), -0.0036 * rng.random(40), loss, l2=1e-4)
    solution = er.minimize(problem)
    assert solution.certified
    assert solution.certificate.gap == 0.0


def test_a_score_at_the_edge_of_the_tube_may_lie_outside():
    problem = er.EmpiricalRisk(np.ones((1, 1)), [0.1], "squared_epsilon_insensitive", l2=1e-4)
    certificate = duality_gap(problem, problem.zero())
    assert certificate.objective == 0.0
    assert certificate.gap > 0.0


def test_half_of_an_l2_that_is_subnormal_is_not_rounded():
    l2, w = 3 * 2.0**-1074, 2.0**520
    weights, box = np.array([w]), er.Box(-w, w)
    for options in ({}, {"constraint": box}, {"l1": 2.0**-600, "constraint": box}):
        problem = er.EmpiricalRisk(np.ones((1, 1)), [w], "absolute", l2=l2, fit_intercept=False, **options)
        exact = Fraction(l2) / 2 * Fraction(w) ** 2 + Fraction(options.get("l1", 0.0)) * Fraction(w)
        assert Fraction(problem.regularizer.value(weights)) == pytest.approx(exact, rel=1e-15)
        best = Fraction(2.0**-550) * Fraction(w) - exact  # of <w, v> - Omega(w) at this weight
        assert problem.regularizer.conjugate(np.array([2.0**-550])) >= best * (1 - Fraction(1, 10**15))


def test_counts_that_are_all_one_are_no_labels_of_two_classes():
    """A loss of counts has no value at the label -1."""
    solution = er.minimize(er.EmpiricalRisk(np.array([[1.0], [2.0]]), [1.0, 1.0], "poisson", l2=0.1))
    assert solution.certified
    assert np.isfinite(solution.certificate.scale)


def test_a_point_that_counts_as_on_the_simplex_is_certified_whatever_its_radius():
    """The strong convexity of the entropy, 2 strength / radius, is then below the smallest float."""
    radius, strength = 2.0**790, 2.0**-794
    weights = np.full(3, radius / 3.0) * (1.0 - 2e-14)
    problem = er.EmpiricalRisk(
        np.full((1, 3), 2.0**-790),
        [1.0],
        "squared",
        l2=0.0,
        constraint=er.Simplex(radius),
        regularizer=er.NegativeEntropy(strength),
    )
    certificate = duality_gap(problem, LinearPoint(weights, float(1.0 - 2.0**-790 * weights.sum())))
    assert 0.0 <= certificate.gap < 1e-10

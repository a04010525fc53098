"""Powers of two in columns, labels and strengths change no digit of an answer: they are changes of units."""

import math

import numpy as np
import pytest

import empirisk as er
from empirisk.losses import LOSSES

pytestmark = pytest.mark.interpreted

DEGREES = {  # the power of the unit of the labels that a loss has
    "squared": 2,
    "huber": 2,
    "squared_epsilon_insensitive": 2,
    "absolute": 1,
    "quantile": 1,
    "epsilon_insensitive": 1,
}
WIDTHS = {"huber": "delta", "epsilon_insensitive": "epsilon", "squared_epsilon_insensitive": "epsilon"}
PENALTIES = {
    "l2": {"l2": 1e-3},
    "none": {"l2": 0.0},
    "l1": {"l1": 0.02, "l2": 0.0},
    "elastic": {"l1": 0.02, "l2": 1e-3},
    "box": {"l2": 1e-3, "constraint": er.Box(-0.5, 0.25)},
    "positive": {"l2": 0.0, "constraint": er.Box()},
    "l1_ball": {"l2": 0.0, "constraint": er.L1Ball(0.5)},
    "l2_ball": {"l2": 1e-3, "constraint": er.L2Ball(0.5)},
}


def solved(name, options, columns, labels, losses, solver="auto"):
    """The solution with columns, labels and losses in units of these powers of two."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(25, 3))
    y = X @ [0.8, -0.5, 0.0] + 0.3 * rng.normal(size=25) + 0.2
    y = y if name in DEGREES else np.where(y > 0.0, 1.0, -1.0)
    labels = labels if name in DEGREES else 0
    of_loss, of_weights = losses + DEGREES.get(name, 0) * labels, labels - columns
    fields = {"scale": 2.0**losses}
    if name in WIDTHS:
        fields[WIDTHS[name]] = 0.5 * 2.0**labels
    options = dict(options)
    constraint = options.pop("constraint", None)
    if constraint is not None:
        constraint = type(constraint)(*(math.ldexp(field, of_weights) for field in constraint))
    strengths = {
        key: math.ldexp(value, of_loss - (1 if key == "l1" else 2) * of_weights) for key, value in options.items()
    }
    loss = LOSSES[name]()._replace(**fields)
    problem = er.EmpiricalRisk(np.ldexp(X, columns), np.ldexp(y, labels), loss, constraint=constraint, **strengths)
    return er.minimize(problem, solver, max_passes=300), of_weights, labels, of_loss


def digits(name, options, columns, labels, losses, solver="auto"):
    """The numbers of the answer, in units of one."""
    solution, of_weights, of_intercept, of_loss = solved(name, options, columns, labels, losses, solver)
    claim = solution.certificate
    weights = np.ldexp(solution.weights, -of_weights).tolist()
    values = [
        math.ldexp(x, -of_loss) for x in (claim.objective, claim.dual_value, claim.gap, claim.rounding, claim.scale)
    ]
    radii = [math.ldexp(claim.radius, -of_intercept), math.ldexp(claim.weights_radius, -of_weights)]
    return [
        *weights,
        math.ldexp(solution.intercept, -of_intercept),
        *values,
        *radii,
        solution.status,
        solution.certified,
    ]


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("name", [*DEGREES, "logistic", "hinge", "squared_hinge"])
def test_powers_of_two_change_no_digit(name, penalty):
    plain, *others = (digits(name, PENALTIES[penalty], *units) for units in ((0, 0, 0), (37, -40, 50), (-20, 35, -33)))
    # Where the objective is zero the gap is what underflow can do, which has a unit of its own.
    kept = [k for k in range(len(plain)) if plain[4] != 0.0 or k not in (6, 7)]
    for found in others:
        assert [found[k] for k in kept] == [plain[k] for k in kept]


@pytest.mark.parametrize("factor", [1e-9, 1e-12, 1e-100, 1e9])
def test_labels_in_other_units_are_certified(factor):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=30)
    model, other = er.LinearRegressor().fit(X, y), er.LinearRegressor().fit(X, factor * y)
    assert other.certificate_.is_within(1e-6)
    assert other.certificate_.relative_gap == pytest.approx(model.certificate_.relative_gap, rel=0.5)
    np.testing.assert_allclose(other.coef_, factor * model.coef_, rtol=1e-6)


def test_a_radius_is_in_the_units_of_the_data():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    radii = []
    for columns, labels in ((1.0, 1.0), (2.0**-30, 1.0), (1.0, 2.0**20)):
        certificate = er.minimize(er.EmpiricalRisk(columns * X, labels * y, "absolute", l2=0.0)).certificate
        radii.append(certificate.weights_radius * columns / labels)
    assert radii[0] == radii[1] == radii[2] < np.inf


def test_large_tables_are_not_copied_unless_they_must_be(monkeypatch):
    from empirisk.problems import units

    monkeypatch.setattr(units, "SMALL", 10)
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.ones(30)
    near, far = (er.EmpiricalRisk(factor * X, 8.0 * y, "squared") for factor in (4.0, 2.0**60))
    assert units.units_of(near).problem.rows.whole() is near.rows.whole()
    scaled = units.units_of(far).problem
    assert scaled.rows.whole() is not far.rows.whole()
    assert units.units_of(far.with_strengths(l2=1.0)).problem.rows.whole() is scaled.rows.whole()  # one copy for all


def test_rows_without_weight_have_no_part_in_the_unit():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)), rng.normal(size=12)
    weights = np.append(np.ones(11), 0.0)
    y[-1] = 1e200
    all_rows = er.minimize(er.EmpiricalRisk(X, y, "absolute", l2=0.0, sample_weight=weights))
    kept = er.minimize(er.EmpiricalRisk(X[:-1], y[:-1], "absolute", l2=0.0))
    assert all_rows.certified
    assert all_rows.certificate.weights_radius < 1e6
    assert all_rows.objective == pytest.approx(kept.objective, rel=1e-6)


def test_moments_that_overflow_are_no_exception():
    """Slopes of 1e166, whose squares are beyond all numbers in the units of the data."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8, 2))
    er.minimize(er.EmpiricalRisk(X, X @ [1.0, 2.0], er.Squared(2.6e166), l2=0.0, constraint=er.Box()))


def test_a_strength_that_overflows_in_other_units_leaves_the_units_alone():
    """The seed 4012571 of `make torture`."""
    X, y = np.array([[2.0**253], [2.0**252]]), np.array([2.0**781, -(2.0**780)])
    loss = er.SquaredEpsilonInsensitive(scale=5.05e-231, epsilon=5.6e234)
    entropy, simplex = er.NegativeEntropy(2.5e80), er.Simplex(2.56e157)
    problem = er.EmpiricalRisk(X, y, loss, regularizer=entropy, constraint=simplex)
    assert math.isfinite(er.minimize(problem, max_passes=5).objective)

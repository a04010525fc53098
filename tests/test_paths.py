"""Paths: each point is certified and that of a fit of its own, and the strongest strength is where weights vanish."""

import math

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import empirisk as er
from empirisk import driver, paths
from empirisk.certificates import certify
from empirisk.certificates.conjugates import zero_conjugate
from empirisk.certificates.constant_scores import label_masses
from empirisk.paths import follow, sticky
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported
from empirisk.regularizers import group_lasso
from empirisk.solution import Status

rng = np.random.default_rng(4)
X = rng.normal(size=(60, 5)) * [1.0, 2.0, 0.5, 1.0, 1.0]
SCORES = X @ [1.0, -0.5, 0.0, 0.3, 0.0] + 0.5 * rng.normal(size=60)
SIGNS = np.where(SCORES > 0.4, 1.0, -1.0)
MANY = np.digitize(SCORES, [-0.5, 0.5])
WEIGHTS = np.where(rng.random(60) < 0.2, 0.0, rng.uniform(0.5, 2.0, 60))


def problem(loss="logistic", y=SIGNS, **options):
    return er.EmpiricalRisk(X, y, loss, **{"l2": 0.0, **options})


@pytest.mark.parametrize("of", ["l1", "l2"])
def test_every_point_is_that_of_a_fit_of_its_own(of):
    strengths = [0.01, 1.0, 0.1]
    found = er.path(problem(l2=0.01), strengths, of=of, tol=1e-9)
    assert found.of == of
    assert found.certified
    assert found.strengths.tolist() == strengths
    assert found.weights.shape == (3, 5)
    assert found.intercepts.shape == (3,)
    for k, value in enumerate(strengths):
        alone = problem(**{"l2": 0.01, of: value})
        solution = found.solutions[k]
        assert solution.certificate.verify(alone, solution.point).holds
        assert found.objectives[k] == pytest.approx(er.minimize(alone, tol=1e-9).objective, rel=2e-9)
        assert np.array_equal(found.weights[k], solution.weights)


def test_from_the_largest_to_the_smallest_each_from_the_one_before():
    seen = []

    def solve(at, start):
        seen.append((at.regularizer.l2, None if start is None else start[1]))
        return er.minimize(at, start=start)

    places = [k for k, _ in follow(problem(), np.array([0.1, 1.0, 0.3, 1.0]), "l2", solve)]
    assert places == [1, 3, 2, 0]
    assert [l2 for l2, _ in seen] == [1.0, 1.0, 0.3, 0.1]
    assert seen[0][1] is None
    assert None not in [b for _, b in seen[1:]]


def test_warm_starts_save_passes():
    risk, strengths = problem(), np.geomspace(1.0, 1e-3, 20)
    warm = sum(found.passes for found in er.path(risk, strengths, solver="newton").solutions)
    cold = sum(er.minimize(risk.with_strengths(l2=value), "newton").passes for value in strengths)
    assert warm < 0.7 * cold


@pytest.mark.parametrize("loss", [er.vector_losses.Softmax(), er.vector_losses.OneVersusRest(er.SquaredHinge())])
def test_many_classes(loss):
    risk = er.MulticlassRisk(X, MANY, 3, loss, l2=0.1)
    found = er.path(risk, [0.01, 0.1])
    assert found.certified
    assert found.weights.shape == (2, 3, 5)
    assert found.intercepts.shape == (2, 3)
    assert found.objectives[1] == pytest.approx(er.minimize(risk).objective, rel=2e-6)


def test_the_grid_is_the_default():
    risk = problem()
    found = er.path(risk, tol=1e-3)
    assert np.array_equal(found.strengths, er.strength_grid(risk, "l2"))
    grid = er.strength_grid(risk, "l1", n=5, ratio=0.01)
    assert grid == pytest.approx(er.strongest(risk, "l1") * np.array([1.0, 10**-0.5, 0.1, 10**-1.5, 0.01]))


# A least-squares, a margin and a median loss; with weights; without an intercept; on one side of zero only.
EXACT = {
    "logistic": problem(),
    "weighted": problem("squared_hinge", sample_weight=WEIGHTS),
    "through zero": problem(fit_intercept=False),
    "squared": problem("squared", SCORES),
    "huber": problem("huber:delta=0.3", SCORES),
    "poisson": problem("poisson", np.floor(np.exp(SCORES))),
    "sparse": er.EmpiricalRisk(scipy.sparse.csr_array(X), SIGNS, l2=0.3),
    "at least zero": problem(constraint=er.Box(low=0.0)),
    "in a ball": problem("squared", SCORES, constraint=er.L1Ball(radius=0.3)),
}


@pytest.mark.parametrize("name", EXACT)
def test_weights_vanish_from_the_strongest_l1_on(name):
    risk = EXACT[name]
    top = er.strongest(risk, "l1")
    b = er.minimize(risk.with_strengths(l1=1e3), tol=1e-12).intercept  # of the best constant
    assert certify(risk.with_strengths(l1=top * (1.0 + 1e-6)), LinearPoint(np.zeros(5), b)).relative_gap <= 1e-10
    below = er.minimize(risk.with_strengths(l1=0.99 * top), tol=1e-7)
    assert below.certified
    assert np.abs(below.weights).max() > 1e-4


@pytest.mark.parametrize("loss", ["hinge", "absolute", "quantile:level=0.3"])
def test_with_kinks_it_is_an_upper_bound(loss):
    risk = problem(loss, SIGNS if loss == "hinge" else SCORES)
    top = er.strongest(risk, "l1")
    zero = er.minimize(risk.with_strengths(l1=top), tol=1e-9)
    constant = er.minimize(risk.with_strengths(l1=1e3), tol=1e-9)
    assert zero.certified
    assert zero.objective == pytest.approx(constant.objective, rel=1e-8)


def test_of_many_classes():
    softmax = er.MulticlassRisk(X, MANY, 3, er.vector_losses.Softmax(), l2=0.0, sample_weight=WEIGHTS)
    top = er.strongest(softmax, "l1")
    above, below = (er.minimize(softmax.with_strengths(l1=f * top), tol=1e-8) for f in (1.0001, 0.99))
    assert np.abs(above.weights).max() <= 1e-9 < 1e-5 < np.abs(below.weights).max()
    rest = er.MulticlassRisk(X, MANY, 3, er.vector_losses.OneVersusRest(er.Logistic()), l2=0.0)
    each = [er.strongest(problem(y=np.where(j == MANY, 1.0, -1.0)), "l1") for j in range(3)]
    assert er.strongest(rest, "l1") == pytest.approx(max(each), rel=1e-12)


@pytest.mark.parametrize("name", ["logistic", "weighted", "through zero", "squared", "poisson"])
def test_the_strongest_l2_leaves_less_than_a_tenth_to_win(name):
    risk = EXACT[name]
    top = er.strongest(risk, "l2")
    left = er.minimize(risk.with_strengths(l2=top), tol=1e-9).objective
    constant = er.minimize(risk.with_strengths(l1=1e3), tol=1e-9).objective  # of the best constant
    excess = constant + zero_conjugate(risk, label_masses(risk))
    assert 0.005 * excess < constant - left <= 0.1 * excess


@given(st.floats(-3.0, 3.0), st.floats(0.01, 100.0))
@settings(max_examples=20)
def test_grids_follow_the_scale_of_the_data(shift, scale):
    risk, other = problem("squared", SCORES), er.EmpiricalRisk(scale * X, SCORES + shift, "squared", l2=0.0)
    assert er.strongest(other, "l1") == pytest.approx(scale * er.strongest(risk, "l1"), rel=1e-9)
    assert er.strongest(other, "l2") == pytest.approx(scale**2 * er.strongest(risk, "l2"), rel=1e-9)


@pytest.mark.parametrize("of", ["l1", "l2"])
def test_no_grid_where_no_column_matters(of):
    with pytest.raises(ValueError, match=f"there is no grid for {of}: no column changes the mean loss"):
        er.strength_grid(er.EmpiricalRisk(np.zeros((4, 2)), [1.0, -1.0, 1.0, 1.0]), of)
    one_class = er.EmpiricalRisk(X, np.ones(60))
    with pytest.raises(ValueError, match="there is no grid"):
        er.strength_grid(one_class, of)


def test_no_grid_where_numbers_overflow():
    with pytest.raises(ValueError, match="scale the columns of X"):
        er.strength_grid(er.EmpiricalRisk(1e200 * X, SIGNS), "l2")


@pytest.mark.parametrize(
    ("strengths", "error", "words"),
    [
        ([0.1, math.inf], ValueError, "l2 must be a finite number >= 0, got inf"),
        ([math.nan], ValueError, "l2 must be a finite number >= 0, got nan"),
        ([0.1, -1.0], ValueError, "l2 must be a finite number >= 0, got -1.0"),
        ([], ValueError, "which is empty"),
        (["a"], TypeError, "l2 must be a number >= 0, got 'a'"),
        ([[0.1]], TypeError, "l2 must be a number >= 0"),
        ("0.1", TypeError, "strengths must be a list of numbers >= 0, got '0.1'"),
        (0.1, TypeError, "strengths must be a list of numbers >= 0, got 0.1"),
    ],
)
def test_wrong_strengths(strengths, error, words):
    with pytest.raises(error) as caught:
        er.path(problem(), strengths)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: er.path(problem(), [1.0], of="l3"), ValueError, "of must be 'l1' or 'l2', got 'l3'"),
        (lambda: er.strongest(problem(), 1), ValueError, "of must be 'l1' or 'l2', got 1"),
        (lambda: er.strength_grid(problem(), n=1), ValueError, "n must be an integer >= 2"),
        (lambda: er.strength_grid(problem(), ratio=1.0), ValueError, "between 0 and 1, got 1.0"),
        (lambda: er.strength_grid(problem(), ratio="a"), TypeError, "ratio must be a number"),
        (lambda: er.strongest(problem(constraint=er.Simplex()), "l1"), Unsupported, "the constraint excludes w = 0"),
        (
            lambda: er.path(problem(regularizer=group_lasso([[0, 1, 2, 3, 4]], 0.1)), [1.0], of="l1"),
            Unsupported,
            "l1 = 1 with group_lasso is not supported",
        ),
        (lambda: er.path(problem(), [0.1, 0.0], solver="sdca"), Unsupported, "needs l2 > 0"),
    ],
)
def test_wrong_arguments(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)


def test_strengths_and_weights_are_replaced_and_nothing_is_copied():
    risk = problem(regularizer=group_lasso([[0, 1], [2, 3, 4]], 0.1), l2=0.5)
    other = risk.with_strengths(l2=0.25)
    assert (risk.regularizer.l2, other.regularizer.l2) == (0.5, 0.25)
    assert other.rows.whole() is risk.rows.whole()
    assert other.with_strengths().regularizer.l2 == 0.25
    assert problem(l1=0.5).with_strengths(l2=2.0).regularizer == er.ElasticNet(0.5, 2.0)
    many = er.MulticlassRisk(X, MANY, 3, er.vector_losses.OneVersusRest(er.Hinge()), l2=1.0)
    assert many.of_class(0).regularizer.l2 == 1.0  # and what it was made from is kept
    assert many.with_strengths(l2=2.0).of_class(1).regularizer.l2 == 2.0
    halved = many.with_weights(WEIGHTS)
    assert halved.of_class(2).total_weight == halved.total_weight == WEIGHTS.sum()
    with pytest.raises(ValueError, match="l1 must be a finite number"):
        many.with_strengths(l1=-1.0)


def test_the_callback_stops_the_whole_path():
    calls = []

    def stop(trace):
        calls.append(trace)
        return len(calls) == 2

    found = er.path(problem("squared_hinge"), [1.0, 1e-3, 1e-5], of="l1", solver="fista", tol=1e-12, callback=stop)
    assert len(calls) == 2
    assert not found.certified
    assert any(solution.status is er.Status.CALLBACK for solution in found.solutions)


def test_a_callback_that_raises_is_not_asked_again():
    def broken(trace):
        raise RuntimeError

    once = sticky(broken)
    with pytest.raises(RuntimeError):
        once(None)
    assert once(None) is True
    assert sticky(None) is None


def test_a_time_limit_is_for_all_strengths_together(monkeypatch):
    """On a clock that stands still until the second strength is done."""
    ends = []
    monkeypatch.setattr(paths, "work_clock", lambda: 0.0)
    monkeypatch.setattr(driver, "work_clock", lambda: 10.0 * (len(ends) > 1))
    note = driver._Run.loop

    def noted(run, *arguments):
        ends.append(note(run, *arguments))
        return ends[-1]

    monkeypatch.setattr(driver._Run, "loop", noted)
    monkeypatch.setattr(paths, "work_clock", lambda: 10.0 * (len(ends) > 1))
    found = er.path(problem(), [1.0, 0.1, 0.01, 0.001], time_limit=5.0)
    assert [solution.certified for solution in found.solutions] == [True, True, False, False]
    assert not found.certified
    late = found.solutions[3]
    assert late.status == Status.TIME_LIMIT
    np.testing.assert_array_equal(late.weights, found.solutions[1].weights)  # what was reached, with its own gap
    assert late.certificate.verify(problem(l2=0.001), late.point).holds
    with pytest.raises(ValueError, match="time_limit must be a number of seconds"):
        er.path(problem(), [1.0], time_limit=-1)

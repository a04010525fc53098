"""Stochastic gradient descent: every kind of loss to a modest precision, and the perceptron as a special case."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import empirisk as er
from empirisk.capabilities import offers, tasks_of
from empirisk.certificates import duality_gap
from empirisk.losses import LOSSES, Perceptron
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import risk_gradient
from empirisk.solvers.sampling.averages import begin_average
from empirisk.solvers.sampling.schedules import SCHEDULES
from tests.solvers.rates import left_after

FITTED = [name for name, cls in LOSSES.items() if offers(cls(), "derivative") and name != "perceptron"]


def data(loss, n=600, d=5):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    z = X @ np.array([1.0, -1.0, 0.5, 0.0, 2.0]) + 0.3
    if "regression" not in tasks_of(LOSSES[loss]()):
        return X, np.where(z + rng.normal(size=n) > 0, 1.0, -1.0)
    if loss == "poisson":
        return X, rng.poisson(np.exp(0.3 * z)).astype(float)
    return X, z + 0.3 * rng.standard_t(3, size=n)


def suboptimality(solution, best):
    return (solution.objective - best.objective) / abs(best.objective)


@pytest.mark.interpreted
@pytest.mark.parametrize("intercept", [False, True], ids=["through0", "intercept"])
@pytest.mark.parametrize("loss", FITTED)
def test_every_loss_to_two_digits(loss, intercept):
    X, y = data(loss)
    s = np.random.default_rng(0).integers(0, 3, size=len(y)).astype(float)
    problem = er.EmpiricalRisk(X, y, loss, l2=1e-2, sample_weight=s, fit_intercept=intercept)
    solution = er.minimize(problem, er.SGD(), max_passes=60)
    assert suboptimality(solution, er.minimize(problem, tol=1e-7)) <= 5e-3


@pytest.mark.parametrize("options", [{"l1": 0.02}, {"constraint": er.L2Ball(0.8)}, {"constraint": er.Simplex(1.5)}])
@pytest.mark.parametrize("batch", [0, 1, 10])
def test_any_regularizer_to_two_digits(options, batch):
    X, y = data("squared")
    problem = er.EmpiricalRisk(X, y, "squared", l2=0.0, **options)
    solution = er.minimize(problem, er.SGD(batch=batch), max_passes=60)
    assert suboptimality(solution, er.minimize(problem, "fista", tol=1e-8)) <= 5e-3


@pytest.mark.parametrize("schedule", ["inverse", "inverse_sqrt"])
def test_falling_steps_converge_and_a_constant_one_does_not(schedule):
    X, y = data("hinge")
    problem = er.EmpiricalRisk(X, y, "hinge", l2=1e-2)
    best = er.minimize(problem, tol=1e-8)

    def left(schedule, passes):
        solution = er.minimize(problem, er.SGD(schedule, 0.1, average="none"), max_passes=passes)
        return suboptimality(solution, best)

    assert left(schedule, 200) < 0.2 * left(schedule, 2)
    assert left("constant", 200) > 10.0 * left(schedule, 200)


@pytest.mark.interpreted
def test_the_mean_is_better_than_the_last_point():
    X, y = data("absolute")
    problem = er.EmpiricalRisk(X, y, "absolute", l2=1e-3)
    mean, last = (er.minimize(problem, er.SGD(average=average), max_passes=20) for average in ("weighted", "none"))
    best = er.minimize(problem, tol=1e-8)
    assert suboptimality(mean, best) < 0.2 * suboptimality(last, best)


@pytest.mark.interpreted
def test_the_mean_of_the_dual_variables_proves_more_at_kinks():
    X, y = data("absolute")
    problem = er.EmpiricalRisk(X, y, "absolute", l2=1e-3)
    solver = er.SGD()
    state = solver.init(problem, LinearPoint(np.zeros(5), 0.0))
    for _ in range(30):
        state = solver.step(problem, state)
    w, b, u = solver.point(state)
    assert duality_gap(problem, LinearPoint(w, b, u)).gap < 0.3 * duality_gap(problem, LinearPoint(w, b)).gap


@pytest.mark.interpreted
@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
def test_with_the_perceptron_loss_it_is_the_perceptron(wrap):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(50, 3))
    y = np.where(X @ np.array([1.0, 2.0, -1.0]) + 0.2 * rng.normal(size=50) > 0, 1.0, -1.0)
    problem = er.EmpiricalRisk(wrap(X), y, Perceptron(), l2=0.0)
    solver = er.SGD("constant", alpha=1.0, average="none", batch=1, shuffle=False)
    state = solver.init(problem, LinearPoint(np.zeros(3), 0.0))
    w, b = np.zeros(3), 0.0
    for _ in range(4):
        state = solver.step(problem, state)
        for x, label in zip(X, y, strict=True):
            if label * (x @ w + b) <= 0.0:
                w, b = w + label * x, b + label
        np.testing.assert_allclose(solver.point(state)[0], w, rtol=1e-12, atol=1e-12)
        assert solver.point(state)[1] == b


def test_scaling_the_weights_equals_the_proximal_step():
    """Against a loop in NumPy."""
    X, y = data("logistic", n=40)
    problem = er.EmpiricalRisk(X, y, l2=50.0, fit_intercept=False)  # the scale falls below 1e-50 on the way
    solver = er.SGD("constant", alpha=0.5, average="none", batch=1, shuffle=False)
    state = solver.init(problem, LinearPoint(np.ones(5), 0.0))
    w = np.ones(5)
    for _ in range(3):
        state = solver.step(problem, state)
        for x, label in zip(X, y, strict=True):
            w = (w + 0.5 * label / (1.0 + np.exp(label * (x @ w))) * x) / (1.0 + 0.5 * 50.0)
    np.testing.assert_allclose(solver.point(state)[0], w, rtol=1e-10)


def test_wide_sparse_rows_take_large_batches_unless_l2_is_alone():
    X = scipy.sparse.random_array((200, 1000), density=0.01, rng=np.random.default_rng(0), format="csr")
    y = np.where(np.arange(200) % 2, 1.0, -1.0)
    start = LinearPoint(np.zeros(1000))
    assert er.SGD().init(er.EmpiricalRisk(X, y, l2=1e-3), start).batch == 1
    assert er.SGD().init(er.EmpiricalRisk(X, y, l1=1e-3), start).batch == 100


def passes_of_numpy(X, y, l2, alpha, batch, passes):
    """The points of each pass of SGD on the hinge loss, and the derivatives seen: a plain loop."""
    w, b = np.zeros(X.shape[1]), 0.0
    points, slopes = [], []
    for _ in range(passes):
        points.append([])
        slopes.append(np.empty(len(y)))
        for first in range(0, len(y), batch):
            rows, labels = X[first : first + batch], y[first : first + batch]
            u = np.where(labels * (rows @ w + b) < 1.0, labels, 0.0)
            w, b = (w + alpha * rows.T @ u / len(u)) / (1.0 + alpha * l2), b + alpha * u.mean()
            points[-1].append(np.append(w, b))
            slopes[-1][first : first + batch] = u
    return [np.mean(part, axis=0) for part in points], slopes


AVERAGES_OF_SEVEN = {
    "uniform": [1, 1, 1, 1, 1, 1, 1],
    "suffix": [0, 0, 1, 1, 1, 1, 1],  # after the largest power of two that is at most 7 / 2
    "weighted": [k * (k + 1) * (k + 2) for k in range(1, 8)],
}


@pytest.mark.parametrize("batch", [1, 7])
@pytest.mark.parametrize("average", AVERAGES_OF_SEVEN)
@pytest.mark.parametrize("l2", [0.0, 0.3, 40.0])  # the last one takes the scale below its limit again and again
def test_means_of_points_and_of_derivatives_have_the_same_weights(average, l2, batch):
    X, y = data("hinge", n=60)
    solver = er.SGD("constant", 0.5, average, batch=batch, shuffle=False)
    shares = np.array(AVERAGES_OF_SEVEN[average]) / sum(AVERAGES_OF_SEVEN[average])
    points, slopes = passes_of_numpy(X, y, l2, 0.5, batch, 7)
    for matrix in (X, scipy.sparse.csr_array(X)):
        problem = er.EmpiricalRisk(matrix, y, "hinge", l2=l2)
        state = solver.init(problem, LinearPoint(np.zeros(5), 0.0))
        for _ in range(7):
            state = solver.step(problem, state)
        w, b, u = solver.point(state)
        np.testing.assert_allclose(np.append(w, b), shares @ points, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(u, shares @ slopes, atol=1e-12)


def test_the_suffix_begins_after_the_largest_power_of_two_within_the_first_half():
    average = begin_average("suffix", np.zeros(1))
    for k in range(1, 70):
        average = average.after(np.array([float(k)]))
        start = 2 ** int(np.log2(k / 2)) if k > 1 else 0
        assert average.mean.parts[0][0] == pytest.approx((start + 1 + k) / 2)


@given(
    slope=st.floats(0.01, 100.0),
    kind=st.sampled_from(["uniform", "suffix", "weighted"]),
    signs=st.lists(st.booleans(), min_size=1, max_size=40),
)
def test_a_mean_of_derivatives_stays_between_them(slope, kind, signs):
    """By rounding alone it would leave the domain of the conjugate, and prove nothing."""
    average = begin_average(kind, np.zeros(1))
    for sign in signs:
        average = average.after(np.array([slope if sign else -slope]))
        assert -slope <= average.mean.parts[0][0] <= slope


@pytest.mark.parametrize("average", ["uniform", "suffix", "weighted"])
def test_on_a_convex_problem_the_mean_falls_like_one_over_the_root_of_the_passes(average):
    X, y = data("hinge")
    problem = er.EmpiricalRisk(X, y, "hinge", l2=0.0, constraint=er.L1Ball(1.5))
    best = er.minimize(problem, tol=1e-7).objective
    early, late = left_after(problem, er.SGD("inverse_sqrt", average=average), best, (8, 512))
    assert late <= 1.2 * early / 8.0


@pytest.mark.parametrize("average", ["suffix", "weighted"])
def test_with_l2_and_inverse_steps_the_mean_falls_like_one_over_the_passes(average):
    X, y = data("hinge")
    problem = er.EmpiricalRisk(X, y, "hinge", l2=0.1)
    best = er.minimize(problem, tol=1e-10).objective
    early, late = left_after(problem, er.SGD("inverse", 10.0, average), best, (8, 512))
    assert late <= 1.2 * early / 64.0


@pytest.mark.parametrize("average", ["uniform", "suffix", "weighted"])
@pytest.mark.parametrize("options", [{"l2": 1e-2}, {"l2": 0.0, "constraint": er.L2Ball(1.0)}])
def test_certified_with_the_mean_of_the_derivatives(average, options):
    X, y = data("hinge")
    problem = er.EmpiricalRisk(X, y, "hinge", **options)
    solution = er.minimize(problem, er.SGD(average=average), tol=5e-3)
    assert solution.certified
    assert solution.certificate.verify(problem, solution.point).holds


def test_a_seed_gives_the_same_bytes_for_any_number_of_threads():
    X, y = data("hinge")
    problem = er.EmpiricalRisk(X, y, "hinge", l2=1e-3)
    runs = [er.minimize(problem, er.SGD(seed=k), max_passes=8, n_threads=t) for k, t in ((1, 1), (1, 2), (2, 1))]
    assert runs[0].weights.tobytes() == runs[1].weights.tobytes()
    assert runs[0].weights.tobytes() != runs[2].weights.tobytes()


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_trials_find_the_step_on_any_scale_of_columns_and_targets(scale):
    X, y = data("absolute")
    problem = er.EmpiricalRisk(X * scale, y * 1e4, "absolute", l1=0.01 * scale, l2=0.0)
    solution = er.minimize(problem, er.SGD(), max_passes=60)
    at_zero = risk_gradient(problem, np.zeros(6), np.empty(600)).objective
    best = er.minimize(problem, er.solvers.LinearProgram())
    assert solution.objective - best.objective < 5e-3 * (at_zero - best.objective)


@pytest.mark.parametrize(
    ("solver", "said"),
    [
        (er.SGD("fast"), "schedule must be one of auto, " + ", ".join(SCHEDULES)),
        (er.SGD(alpha=-1.0), "alpha must be a finite number"),
        (er.SGD(batch=-1), "batch of SGD must be a whole number"),
        (er.SGD(average="mean"), "average must be one of uniform, suffix, weighted, none"),
        (er.SGD(average=True), "average must be one of"),
        (er.SGD("inverse"), "needs l2 > 0"),
    ],
)
def test_bad_parameters_are_refused(solver, said):
    X, y = data("hinge")
    with pytest.raises(ValueError, match=said):
        er.minimize(er.EmpiricalRisk(X, y, "hinge", l2=0.0), solver)

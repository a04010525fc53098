"""The driver: it stops on the certificate, says why, and can be repeated bit for bit."""

import math

import numpy as np
import pytest

import empirisk as er
from empirisk import driver
from empirisk.certificates import duality_gap
from empirisk.protocols import Unsupported
from empirisk.solution import Status


def problem(n=400, d=5, loss="logistic", seed=0, **options):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] + rng.normal(size=n) > 0, 1.0, -1.0)
    return er.EmpiricalRisk(X, y, loss, **({"l2": 1e-3} | options))


@pytest.mark.parametrize("solver", ["newton", "lbfgs", "sdca", "proximal_newton"])
def test_stops_when_certified(solver):
    solution = er.minimize(problem(), solver, tol=1e-5)
    assert solution.status is Status.CERTIFIED
    assert solution.certified
    assert solution.certificate.gap <= 1e-5 * solution.certificate.scale
    assert solution.solver == solver
    assert solution.objective == solution.certificate.objective
    assert solution.passes == solution.trace.last().passes


@pytest.mark.parametrize("solver", ["lbfgs", "sdca"])
def test_the_pass_limit_ends_uncertified(solver):
    solution = er.minimize(problem(), solver, max_passes=2)
    assert solution.status is Status.PASS_LIMIT
    assert not solution.certified
    assert solution.passes <= 4
    assert solution.certificate.verify(problem(), solution.point).holds


@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
def test_the_limit_of_floating_point_is_said(solver):
    solution = er.minimize(problem(), solver, tol=1e-30)
    assert solution.status in (Status.FLOATING_POINT, Status.STALLED)
    assert solution.certificate.relative_gap < 1e-11


def test_a_callback_that_raises_ends_the_run_with_what_there_is(caplog):
    def broken(trace):
        raise KeyError("no such plot")

    solution = er.minimize(problem(loss="hinge"), "sdca", callback=broken, tol=1e-12)
    assert solution.status == er.Status.CALLBACK_RAISED
    assert isinstance(solution.error, KeyError)
    assert "the callback raised an error" in caplog.text
    assert "no such plot" in caplog.text
    assert np.all(np.isfinite(solution.weights))
    assert solution.certificate.verify(problem(loss="hinge"), solution.point).holds
    assert not solution.certified


def test_an_interrupt_in_a_callback_is_not_kept_back():
    def interrupted(trace):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        er.minimize(problem(loss="hinge"), "sdca", callback=interrupted)


@pytest.mark.parametrize("tol", [0.0, -1e-6, np.nan, np.inf, "small", None])
def test_tolerances_that_mean_nothing(tol):
    with pytest.raises((TypeError, ValueError), match="tol must be a positive finite number"):
        er.minimize(problem(), tol=tol)


@pytest.mark.parametrize("strength", [np.inf, np.nan, -1.0])
@pytest.mark.parametrize("name", ["l1", "l2"])
def test_strengths_that_mean_nothing(name, strength):
    with pytest.raises(ValueError, match=f"{name} must be"):
        problem(**{name: strength})


def test_callback_sees_the_trace_and_can_stop():
    seen = []

    def stop_at_second(trace):
        seen.append((trace.last().passes, trace.last().gap, trace.target, trace.time_left))
        return len(seen) == 2

    solution = er.minimize(problem(loss="hinge"), "sdca", callback=stop_at_second, tol=1e-12)
    assert solution.status is Status.CALLBACK
    assert len(seen) == 2
    assert all(gap > 0 and target > 0 for _, gap, target, _ in seen)
    assert math.isnan(seen[0][3])


def test_a_time_limit_ends_the_run_with_what_there_is():
    solution = er.minimize(problem(loss="hinge"), "sdca", tol=1e-12, time_limit=0.0)
    assert solution.status is Status.TIME_LIMIT
    assert not solution.certified
    assert solution.passes <= 1
    assert solution.certificate.verify(problem(loss="hinge"), solution.point).holds
    assert er.minimize(problem(), "newton", time_limit=1e9).certified
    with pytest.raises(ValueError, match="time_limit must be a number of seconds >= 0 or None"):
        er.minimize(problem(), time_limit=-1.0)


def test_a_time_limit_counts_work_and_not_compiling(monkeypatch):
    """The clock stands at ten for nine steps, whatever they take."""
    asked = iter([10.0] * 10)
    monkeypatch.setattr(driver, "work_clock", lambda: next(asked, 11.0))
    solution = er.minimize(problem(loss="hinge"), "sdca", tol=1e-13, time_limit=0.5)
    assert solution.status is Status.TIME_LIMIT
    assert len(solution.trace.checks) == 10


def test_who_asks_to_stop_is_heard_before_each_step():
    asked = iter([False, False, True])
    solution = er.minimize(problem(loss="hinge"), "sdca", tol=1e-13, stop=lambda: next(asked))
    assert solution.status is Status.INTERRUPTED
    assert len(solution.trace.checks) == 3
    assert math.isfinite(solution.certificate.gap)
    assert not math.isnan(solution.trace.last().gap)


def test_checks_take_at_most_a_fifth_of_the_passes():
    solution = er.minimize(problem(loss="hinge"), "sdca", tol=1e-13, max_passes=200)
    checked = [check for check in solution.trace.checks if not math.isnan(check.gap)]
    assert len(checked) <= 200 / 5 + 2


@pytest.mark.parametrize("solver", ["newton", "lbfgs", "sdca", "proximal_newton"])
def test_runs_repeat_bit_for_bit(solver):
    a, b = (er.minimize(problem(), solver) for _ in range(2))
    assert a.weights.tobytes() == b.weights.tobytes()
    assert a.intercept == b.intercept
    assert a.passes == b.passes
    assert a.certificate.to_json() == b.certificate.to_json()


def test_the_seed_matters_to_sampled_solvers_only():
    def weights(solver, seed):
        return er.minimize(problem(), solver, seed=seed, max_passes=5).weights.tobytes()

    assert weights("sdca", 1) != weights("sdca", 2)
    assert weights("sdca", 1) == weights("sdca", 1)
    assert weights("newton", 1) == weights("newton", 2)
    assert weights(er.SDCA(seed=1), None) == weights("sdca", 1)


@pytest.mark.parametrize("solver", ["newton", "lbfgs", "sdca", "proximal_newton"])
def test_warm_starts_cost_less(solver):
    loss = "hinge" if solver == "proximal_newton" else "logistic"
    cold = er.minimize(problem(loss=loss, l2=1e-2), solver)
    warm = er.minimize(problem(loss=loss, l2=1e-2), solver, start=(cold.weights, cold.intercept))
    assert warm.certified
    assert warm.passes <= cold.passes


@pytest.mark.parametrize(
    "start", [(np.zeros(3), 0.0), (np.full(5, np.nan), 0.0), (np.zeros(5), math.inf), (np.zeros((1, 5)), 0.0)]
)
def test_bad_starts_are_refused(start):
    with pytest.raises(ValueError, match=r"start must be a pair .* of 5 finite weights"):
        er.minimize(problem(), start=start)


def test_status_sentences_are_sentences():
    for status in Status:
        assert len(str(status).split()) >= 4


def test_zero_weight_rows_are_as_if_absent():
    base = problem()
    rng = np.random.default_rng(1)
    X = np.vstack([base.rows.whole().values, 1e6 * rng.normal(size=(7, 5))])
    y = np.concatenate([base.labels, np.ones(7)])
    s = np.concatenate([np.ones(400), np.zeros(7)])
    for solver in ("newton", "sdca"):
        with_rows = er.minimize(er.EmpiricalRisk(X, y, l2=1e-3, sample_weight=s), solver, tol=1e-9)
        without = er.minimize(base, solver, tol=1e-9)
        assert with_rows.certified
        assert with_rows.objective == pytest.approx(without.objective, rel=1e-8)


def test_two_fits_at_once_leave_blas_as_it_was():
    from concurrent.futures import ThreadPoolExecutor

    from threadpoolctl import threadpool_info

    def threads():
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    before = threads()
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: er.minimize(problem(), "newton").weights.tobytes(), range(8)))
    assert len(set(answers)) == 1
    assert threads() == before


def test_the_callers_problem_is_left_alone():
    p = problem(n_threads=2)
    er.minimize(p, n_threads=1)
    assert p.n_threads == 2
    for bad in ({"tol": -1.0}, {"tol": math.nan}, {"max_passes": 0}, {"n_threads": 0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            er.minimize(p, **bad)


def test_the_trace_of_proximal_newton_never_falls_below_the_minimum():
    solution = er.minimize(problem(loss="hinge"), "proximal_newton", tol=1e-9)
    assert min(check.objective for check in solution.trace.checks) >= solution.objective * (1 - 1e-8)


@pytest.mark.parametrize(
    "solver", [er.SAGA(step_length=10.0), er.SVRG(step_length=1e3), er.SGD("constant", 1e3), "auto"], ids=str
)
def test_what_overflows_is_never_certified_and_goes_back_to_what_was_finite(solver):
    X = np.random.default_rng(0).normal(size=(20, 2))
    y = X[:, 0]
    if solver == "auto":
        X, y = 1e300 * X, np.sign(y)
    problem = er.EmpiricalRisk(X, y, "squared" if solver != "auto" else "hinge", l2=0.1)
    solution = er.minimize(problem, solver, max_passes=100)
    assert solution.status is Status.OVERFLOW
    assert not solution.certified
    assert solution.objective <= duality_gap(problem, problem.zero()).objective
    assert solution.certificate.verify(problem, solution.point).holds


@pytest.mark.parametrize(
    "options",
    [{"tol": True}, {"max_passes": True}, {"seed": -1}, {"seed": 1.5}, {"start": 5}, {"start": (np.zeros(2), "x")}],
    ids=str,
)
def test_options_of_the_wrong_kind_are_refused(options):
    with pytest.raises((TypeError, ValueError), match=f"{next(iter(options))} must be"):
        er.minimize(er.EmpiricalRisk(np.ones((3, 2)), [1.0, 2.0, 3.0], "squared"), **options)


@pytest.mark.parametrize(
    "solver",
    [
        er.CoordinateDescent(first_size=-1),
        er.CoordinateDescent(screening="x"),
        er.FISTA(restart="x"),
        er.SVRG(epoch="x"),
        er.SVRG(epoch=1e30),
        er.SGD(batch=True),
        er.SGD(batch=10**12),
        er.LBFGS(memory=-1),
    ],
    ids=str,
)
def test_parameters_of_the_wrong_kind_are_refused(solver):
    with pytest.raises(ValueError, match=r"must be (a|True)"):
        er.minimize(er.EmpiricalRisk(np.ones((3, 2)), [1.0, 2.0, 3.0], "squared"), solver)


def test_the_callback_sees_the_point_and_may_keep_it():
    seen = []
    solution = er.minimize(problem(), "sdca", tol=1e-9, callback=lambda trace: seen.append(trace.point))
    assert len(seen) > 1
    assert len({point.weights.tobytes() for point in seen}) == len(seen)
    np.testing.assert_array_equal(seen[-1].weights, solution.weights)
    assert solution.trace.points is None


@pytest.mark.parametrize("solver", ["gradient_descent", "newton", "sdca", "auto"])
def test_the_path_is_kept_where_asked(solver):
    base = problem()
    solution = er.minimize(base, solver, keep_points=True)
    points, checks = solution.trace.points, solution.trace.checks
    assert len(points) == len(checks) > 1
    np.testing.assert_array_equal(points[-1].weights, solution.weights)
    assert points[-1].intercept == solution.intercept
    for point, check in zip(points, checks, strict=True):
        margins = base.labels * (base.rows.whole().values @ point.weights + point.intercept)
        objective = np.mean(np.logaddexp(0.0, -margins)) + base.regularizer.l2 / 2 * point.weights @ point.weights
        if solver != "sdca" or not math.isnan(check.gap):  # between checks it tells an estimate
            assert objective == pytest.approx(check.objective, rel=1e-9)
    alone = er.minimize(base, solver)
    assert alone.weights.tobytes() == solution.weights.tobytes()
    with pytest.raises(TypeError, match="keep_points must be True or False"):
        er.minimize(base, keep_points="yes")


def test_gradient_descent_names_the_run_on_the_perceptron_cost():
    base = problem()
    cost = er.EmpiricalRisk(base.rows.whole().values, base.labels, "perceptron", l2=0.0)
    with pytest.raises(Unsupported, match=r"needs a loss without kinks; er\.perceptron\(X, y, form='gradient'\)"):
        er.minimize(cost, er.GradientDescent(alpha=0.1))

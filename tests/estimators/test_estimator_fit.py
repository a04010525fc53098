"""How a fit runs: warm starts, threads, callbacks, memory, and the warning of an uncertified end."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning

from empirisk import LinearClassifier, LinearRegressor, Status
from empirisk.models import verify

pytestmark = pytest.mark.compiled

RANDOM = np.random.default_rng(3)
X = RANDOM.standard_normal((200, 20)) * np.geomspace(0.1, 10.0, 20)
TARGET = X @ RANDOM.standard_normal(20) + RANDOM.standard_normal(200)
LABELS = TARGET + 10.0 * RANDOM.standard_normal(200) > 0.0
BOTH = pytest.mark.parametrize(("kind", "y"), [(LinearClassifier, LABELS), (LinearRegressor, TARGET)])


@BOTH
def test_the_certificate_is_verified_from_the_data(kind, y):
    fitted = kind().fit(X, y)
    assert fitted.model_.certified
    assert fitted.certificate_.relative_gap <= 1e-6
    assert verify(fitted.model_, X, y).holds


@pytest.mark.parametrize(
    ("kind", "y", "solver"),
    [(LinearClassifier, LABELS, "newton"), (LinearClassifier, LABELS, "lbfgs"), (LinearRegressor, TARGET, "lbfgs")],
)
def test_a_warm_start_takes_fewer_passes(kind, y, solver):
    cold = kind(solver=solver).fit(X, y)
    warm = kind(solver=solver, l2=1.1e-4, warm_start=True).fit(X, y).set_params(l2=1e-4).fit(X, y)
    assert warm.n_iter_ < cold.n_iter_
    assert warm.model_.certified


@BOTH
def test_without_warm_start_a_second_fit_is_the_first(kind, y):
    fitted = kind().fit(X, y)
    first = fitted.coef_.tobytes()
    assert fitted.fit(X, y).coef_.tobytes() == first


@BOTH
def test_a_warm_start_with_other_columns_starts_anew(kind, y):
    fitted = kind(warm_start=True).fit(X, y).fit(X[:, :5], y)
    assert fitted.coef_.tobytes() == kind().fit(X[:, :5], y).coef_.tobytes()


@pytest.mark.parametrize("solver", ["newton", "lbfgs", "sdca"])
def test_the_number_of_threads_does_not_change_a_byte(solver):
    rows = RANDOM.standard_normal((8192, 64))  # 2**19 entries: four blocks
    labels = rows @ RANDOM.standard_normal(64) + RANDOM.standard_normal(8192) > 0.0
    fits = [LinearClassifier(solver=solver, l2=1e-3, n_threads=k).fit(rows, labels) for k in (1, 2, 4)]
    assert len({fitted.coef_.tobytes() for fitted in fits}) == 1
    assert len({fitted.certificate_.gap for fitted in fits}) == 1
    assert len({fitted.decision_function(rows).tobytes() for fitted in fits}) == 1


@BOTH
def test_an_uncertified_end_warns_in_one_sentence(kind, y):
    with pytest.warns(ConvergenceWarning) as caught:
        fitted = kind(max_passes=1, solver="lbfgs").fit(X, y)
    assert len(caught) == 1
    said = str(caught[0].message)
    assert caught[0].filename == __file__
    for words in (kind.__name__, "pass limit", f"{fitted.certificate_.relative_gap:.2g}", "1e-06", "raise max_passes"):
        assert words in said
    assert "\n" not in said
    assert not fitted.model_.certified
    assert np.all(np.isfinite(fitted.coef_))


def test_data_without_a_minimiser_warn():
    with pytest.warns(ConvergenceWarning, match=r"no minimiser exists.*there is no minimum.*set l1 or l2 above 0"):
        fitted = LinearClassifier(l2=0.0).fit(X, X[:, 0] > 0.0)
    assert fitted.solution_.status is Status.UNATTAINED
    assert verify(fitted, X, X[:, 0] > 0.0).holds


@BOTH
def test_the_callback_sees_the_trace_and_can_stop(kind, y):
    seen = []

    def stop(trace):
        seen.append(trace.last())
        return True

    with pytest.warns(ConvergenceWarning, match="stopped by the callback"):
        fitted = kind(solver="sdca", callback=stop).fit(X, y)
    assert len(seen) == 1
    assert seen[0].gap == fitted.certificate_.gap


@pytest.mark.parametrize("kind", [LinearClassifier, LinearRegressor])
@pytest.mark.parametrize("form", ["float64", "float32", "csr"])
def test_a_fit_makes_no_copy_of_the_data(kind, form):
    rows = RANDOM.standard_normal((100_000, 50)).astype("float32" if form == "float32" else "float64")
    target = rows[:, 0] if kind is LinearRegressor else rows[:, 0] > 0.0
    data = scipy.sparse.csr_array(rows) if form == "csr" else rows
    size = rows.nbytes if form != "csr" else data.data.nbytes + data.indices.nbytes + data.indptr.nbytes
    estimator = kind(l2=0.1, n_threads=1).fit(data[:1000], target[:1000])  # compiles
    tracemalloc.start()
    try:
        estimator.fit(data, target).predict(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 0.3 * size

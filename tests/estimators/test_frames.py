"""Frames of pandas, polars and pyarrow in place of arrays, columns that are no numbers, and several targets."""

import datetime
import decimal
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor

import empirisk as er
from empirisk import LinearClassifier, LinearRegressor
from empirisk.data.frames import BUFFER, from_frame

pytestmark = pytest.mark.compiled

RANDOM = np.random.default_rng(3)
X = RANDOM.standard_normal((60, 3))
NAMES = ["age", "dose", "size"]
TARGET = X @ [1.0, -0.5, 2.0] + 0.3 * RANDOM.standard_normal(60)
LABELS = np.where(TARGET > 0.0, "yes", "no")
WEIGHTS = RANDOM.uniform(0.5, 2.0, 60)
BOTH = pytest.mark.parametrize(("kind", "y"), [(LinearClassifier, LABELS), (LinearRegressor, TARGET)])


def columns_of(values):
    return dict(zip(NAMES, np.asarray(values).T, strict=True))


FRAMES = {
    "pandas": lambda values: pd.DataFrame(columns_of(values)),
    "polars": lambda values: pl.DataFrame(columns_of(values)),
    "pyarrow": lambda values: pa.table(columns_of(values)),
}
VECTORS = {"pandas": pd.Series, "polars": pl.Series, "pyarrow": lambda y: pa.chunked_array([y[:7], y[7:]])}
EACH_LIBRARY = pytest.mark.parametrize("library", FRAMES)


@BOTH
@EACH_LIBRARY
def test_a_frame_gives_the_model_of_its_array(kind, y, library):
    frame, labels, weights = FRAMES[library](X), VECTORS[library](y), VECTORS[library](WEIGHTS)
    fitted = kind(l2=0.01).fit(frame, labels, sample_weight=weights)
    expected = kind(l2=0.01).fit(X, y, sample_weight=WEIGHTS)
    assert fitted.coef_.tobytes() == expected.coef_.tobytes()
    assert fitted.model_.data_fingerprint == expected.model_.data_fingerprint
    assert fitted.feature_names_in_.tolist() == NAMES
    assert fitted.model_.feature_names == tuple(NAMES)
    assert fitted.n_features_in_ == 3
    assert np.array_equal(fitted.predict(frame), expected.predict(X))
    assert fitted.score(frame, labels) == expected.score(X, y)


@BOTH
@EACH_LIBRARY
def test_columns_are_compared_with_the_fit(kind, y, library):
    fitted = kind(l2=0.01).fit(FRAMES[library](X), y)
    for other in FRAMES.values():
        swapped = pd.DataFrame(columns_of(X))[NAMES[::-1]]
        swapped = swapped if other is FRAMES["pandas"] else other(X).select(NAMES[::-1])
        with pytest.raises(ValueError, match="feature names should match"):
            fitted.predict(swapped)
        assert np.array_equal(fitted.predict(other(X)), fitted.predict(FRAMES[library](X)))
    fewer = FRAMES[library](X)
    fewer = fewer[NAMES[:2]] if library == "pandas" else fewer.select(NAMES[:2])
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(fewer)


@EACH_LIBRARY
def test_numbers_of_every_kind(library):
    """Small integers, booleans, halves and doubles, over more rows than are converted at once."""
    n = BUFFER // 5 + 7
    columns = {
        "small": np.arange(n).astype(np.int8),
        "large": np.arange(n, dtype=np.uint64),
        "is": np.arange(n) % 2 == 0,
        "single": np.arange(n, dtype=np.float32) / 7,
        "double": np.arange(n) / 7,
    }
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[library]
    matrix = from_frame(make(columns))
    assert matrix.dtype == np.float64
    assert matrix.flags.c_contiguous
    assert np.array_equal(matrix, np.column_stack([values.astype(float) for values in columns.values()]))
    single = from_frame(make({"a": columns["single"], "b": columns["single"]}))
    assert single.dtype == np.float32
    assert np.array_equal(single[:, 1], columns["single"])


DECIMALS = [decimal.Decimal("1.5"), decimal.Decimal("2.25"), None]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": pd.array([1, 2, None], dtype="Int64")}),
        pd.DataFrame({"a": pd.array([1, 2, None], dtype=pd.ArrowDtype(pa.float64()))}),
        pd.DataFrame({"a": [1, 2.0, None]}, dtype=object),
        pl.DataFrame({"a": [1, 2, None]}),
        pa.table({"a": pa.chunked_array([[1], [2, None]])}),
    ],
)
def test_missing_values_are_refused_by_column_with_counts(frame):
    np.testing.assert_array_equal(from_frame(frame)[:, 0], [1.0, 2.0, np.nan])
    said = r"X: expected a value in every cell, found missing values in the column 'a' \(1 of 3 rows\); SimpleImputer"
    with pytest.raises(ValueError, match=said):
        LinearRegressor().fit(frame, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=said):
        LinearRegressor().fit(pd.DataFrame({"a": [1.0, 2.0]}), [1.0, 2.0]).predict(frame)


@EACH_LIBRARY
def test_every_column_that_lacks_values_is_listed(library):
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[library]
    frame = make({"a": [1.0, None, None], "b": [1.0, 2.0, 3.0], "c": [None, 5, 7]})
    said = r"found missing values in 2 columns: 'a' \(2 of 3 rows\), 'c' \(1 of 3 rows\); SimpleImputer and KNNImputer"
    with pytest.raises(ValueError, match=said):
        LinearRegressor().fit(frame, [1.0, 2.0, 3.0])


LARGE = 2**53


@EACH_LIBRARY
@pytest.mark.parametrize(
    "cells",
    [[1, LARGE + 1, 5], [1, LARGE + 1, None], [decimal.Decimal(LARGE + 1), decimal.Decimal(1), None]],
    ids=["whole", "with a gap", "decimals"],
)
def test_numbers_that_float64_rounds_are_refused_by_name(library, cells):
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[library]
    cells = pd.array(cells, dtype="Int64") if library == "pandas" and isinstance(cells[1], int) else cells
    frame = make({"b": [0.5, 1.5, 2.5], "id": cells})
    with pytest.raises(ValueError, match=r"column 'id' of X holds 9007199254740993, which float64 cannot hold exactly"):
        LinearRegressor().fit(frame, [1.0, 2.0, 3.0])


def test_numbers_among_gaps_that_float64_holds():
    cells = [2**60, None, 7]
    frames = [pd.DataFrame({"a": pd.array(cells, dtype="Int64")}), pl.DataFrame({"a": cells}), pa.table({"a": cells})]
    for frame in frames:
        np.testing.assert_array_equal(from_frame(frame)[:, 0], [2.0**60, np.nan, 7.0])


def test_a_sparse_frame_is_not_rounded():
    frame = pd.DataFrame({"id": pd.arrays.SparseArray([0, LARGE + 1, 0])})
    with pytest.raises(ValueError, match="column 'id' of X holds 9007199254740993"):
        LinearRegressor().fit(frame, [1.0, 2.0, 3.0])


def test_decimals_are_numbers():
    for frame in (pl.DataFrame({"a": DECIMALS}), pa.table({"a": DECIMALS}), pd.DataFrame({"a": DECIMALS})):
        np.testing.assert_array_equal(from_frame(frame)[:, 0], [1.5, 2.25, np.nan])


DAYS = [datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)]
NO_NUMBERS = {
    "pandas text": (pd.DataFrame({"a": [1.0, 2.0], "b": ["u", "v"]}), "text such as 'u'"),
    "pandas digits": (pd.DataFrame({"b": ["1", "2"]}, dtype=object), "text such as '1'"),
    "pandas categories": (pd.DataFrame({"b": pd.Categorical([1, 2])}), r"categories \(dtype category"),
    "pandas days": (pd.DataFrame({"b": pd.to_datetime(DAYS)}), r"times \(dtype datetime64.*: take the year, the month"),
    "pandas complex": (pd.DataFrame({"b": [1j, 2j]}), r"no numbers \(dtype complex128"),
    "pandas lists": (pd.DataFrame({"b": [[1], [2]]}), r"values such as \[1\]"),
    "polars text": (pl.DataFrame({"a": [1.0, 2.0], "b": ["1", "2"]}), "text such as '1'"),
    "polars categories": (pl.DataFrame({"b": pl.Series(["u", "v"], dtype=pl.Categorical)}), "holds categories"),
    "polars enum": (pl.DataFrame({"b": pl.Series(["u", "v"], dtype=pl.Enum(["u", "v"]))}), "holds categories"),
    "polars days": (pl.DataFrame({"b": DAYS}), r"times \(dtype Date"),
    "pyarrow text": (pa.table({"a": [1.0, 2.0], "b": ["u", "v"]}), "text such as 'u'"),
    "pyarrow categories": (pa.table({"b": pa.array([1, 2]).dictionary_encode()}), "holds categories"),
    "pyarrow days": (pa.table({"b": DAYS}), r"times \(dtype date32"),
}


@pytest.mark.parametrize("case", NO_NUMBERS)
def test_a_column_that_holds_no_numbers(case):
    frame, words = NO_NUMBERS[case]
    with pytest.raises(ValueError, match=rf"column 'b' of X .*{words}") as caught:
        LinearClassifier().fit(frame, [0, 1])
    if "days" not in case:  # which have an advice of their own
        assert "encode it, for example with OneHotEncoder" in str(caught.value)
        assert "command line" in str(caught.value)


def test_a_long_text_is_cut():
    with pytest.raises(ValueError, match=r"text such as 'x{40}\.\.\.'"):
        LinearRegressor().fit(pd.DataFrame({"b": ["x" * 1000, "y"]}), [0.0, 1.0])


def test_a_lazy_frame_has_no_rows_yet():
    with pytest.raises(TypeError, match=r"LazyFrame of polars.*X\.collect\(\)"):
        LinearRegressor().fit(pl.DataFrame(columns_of(X)).lazy(), TARGET)


@EACH_LIBRARY
def test_frames_without_rows(library):
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        LinearRegressor().fit(FRAMES[library](X[:0]), TARGET[:0])


def test_names_of_pandas_that_are_no_text():
    numbered = LinearRegressor(l2=0.01).fit(pd.DataFrame(X), TARGET)
    assert not hasattr(numbered, "feature_names_in_")
    assert numbered.coef_.tobytes() == LinearRegressor(l2=0.01).fit(X, TARGET).coef_.tobytes()


def test_a_sparse_frame_stays_sparse():
    matrix = np.where(np.abs(X) > 1.0, X, 0.0)
    frame = pd.DataFrame(matrix, columns=NAMES).astype(pd.SparseDtype("float64", 0.0))
    assert from_frame(frame) is frame
    fitted = LinearRegressor(l2=0.01, tol=1e-10).fit(frame, TARGET)
    np.testing.assert_allclose(fitted.coef_, LinearRegressor(l2=0.01, tol=1e-10).fit(matrix, TARGET).coef_, rtol=1e-6)
    assert fitted.feature_names_in_.tolist() == NAMES


def test_no_library_is_imported():
    code = "from empirisk.data.frames import from_frame; import numpy, sys; from_frame(numpy.eye(2));"
    code += "print(sorted({'polars', 'pyarrow', 'pandas'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


PAIR = np.column_stack([TARGET, -TARGET])


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, lambda y: pl.DataFrame(y), np.ndarray.tolist])
def test_several_targets_of_a_classifier_are_refused(form):
    assert LinearRegressor(l2=0.01).fit(X, form(PAIR)).coef_.shape == (2, X.shape[1])
    with pytest.raises(ValueError, match=r"y has 2 columns.*scikit-learn's MultiOutputClassifier"):
        LinearClassifier().fit(X, form((PAIR > 0.0).astype(int)))


def test_several_targets_as_the_sentence_says():
    both = MultiOutputRegressor(LinearRegressor(l2=0.01)).fit(X, PAIR)
    assert both.predict(X).shape == (60, 2)
    assert both.estimators_[0].coef_.tobytes() == LinearRegressor(l2=0.01).fit(X, TARGET).coef_.tobytes()
    signs = MultiOutputClassifier(LinearClassifier(l2=0.01)).fit(X, PAIR > 0.0)
    assert np.array_equal(signs.predict(X)[:, 0], LinearClassifier(l2=0.01).fit(X, TARGET > 0.0).predict(X))


@BOTH
def test_one_target_in_a_column_warns(kind, y):
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        fitted = kind(l2=0.01).fit(X, y.reshape(-1, 1))
    assert fitted.coef_.tobytes() == kind(l2=0.01).fit(X, y).coef_.tobytes()


@EACH_LIBRARY
@pytest.mark.parametrize("value", [None, float("nan")])
def test_a_target_that_is_missing(library, value):
    y = [value, *TARGET[1:].tolist()]
    series = {"pandas": pd.Series, "polars": lambda v: pl.Series(v, strict=False), "pyarrow": pa.array}[library](y)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        LinearRegressor().fit(X, series)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_whole_numbers_beside_others_are_not_rounded_in_a_frame(make):
    """Asked for an array, a frame of int64 and float64 columns makes all of them float64."""
    ids = make({"id": [2**53, 2**53 + 1], "b": [0.5, 0.5]})
    for judge in (er.separate, er.widest_gap, er.fewest_errors, er.perceptron):
        with pytest.raises(ValueError, match=r"X holds 9007199254740993 \(row 1, column 0"):
            judge(ids, [0, 1])
    with pytest.raises(ValueError, match="y holds 9007199254740993"):
        LinearRegressor().fit([[1.0], [2.0]], ids)
    assert er.separate(make({"id": [2**53, 2**53 + 2], "b": [0.5, 0.5]}), [0, 1]).is_separable

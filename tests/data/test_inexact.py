"""Whole numbers that float64 would round, in every format: refused as features, kept as labels."""

import io

import numpy as np
import pytest
import scipy.sparse

from empirisk.data.arrays import from_arrays, from_table
from empirisk.data.csv import read_csv
from empirisk.data.errors import DataError
from empirisk.data.inexact import exact_cells, refuse_inexact
from empirisk.data.svmlight import read_svmlight
from tests.data.outcomes import error_of

pytestmark = pytest.mark.compiled

LARGE = 2**53
SAID = "which float64 cannot hold exactly: subtract an offset, divide, or leave the column out"


def read(text, **options):
    return read_csv(io.BytesIO(text.encode()), **options)


def test_a_column_of_ids_is_text_and_can_be_a_label():
    table = read(f"id,x,y\n{LARGE},1,{LARGE}\n{LARGE + 1},2,5\n{LARGE + 2},3,7\n")
    assert table.columns[0].tolist() == [str(LARGE + k) for k in range(3)]
    assert table.columns[2].tolist() == [LARGE, 5, 7]  # float64 holds them
    assert table.inexact == ("id",)
    refuse_inexact(table, ["x", "y"])
    with pytest.raises(DataError) as caught:
        refuse_inexact(table, ["x", "id"])
    said = "expected numbers that float64 holds exactly, found '9007199254740993': subtract an offset or divide"
    assert caught.value.message == said + ", or leave the column out with drop=..."
    assert caught.value.column == "id"
    labels = exact_cells(table, "id")
    assert labels.dtype == np.int64
    assert labels.tolist() == [LARGE, LARGE + 1, LARGE + 2]
    assert exact_cells(table, "x").tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["9007199254740993", "-1"], np.int64),
        (["18446744073709551615", "1"], np.uint64),
        (["18446744073709551615", "-1"], object),
        (["9007199254740993", "0.5"], object),
        (["9007199254740993", ""], object),
    ],
)
def test_labels_come_back_as_they_went_in(cells, kind):
    table = read("y\n" + "\n".join(cells) + "\n" if "" not in cells else "y,x\n" + ",1\n".join(cells) + ",1\n")
    labels = exact_cells(table, "y")
    assert labels.dtype == kind
    assert [str(label) for label in labels.tolist()] == cells


def test_decimal_texts_are_rounded_as_everywhere():
    table = read("a,b,c\n0.1,9007199254740993.0,9007199254740993e0\n0.2,1e300,123456789012345678901e5\n")
    assert table.inexact == ()
    assert table.columns[1].tolist() == [9007199254740992.0, 1e300]
    assert read("a\n100000000000000000000\n-4611686018427387904\n").columns[0].tolist() == [1e20, -(2.0**62)]


def test_svmlight():
    def rows(text):
        return read_svmlight(io.BytesIO(text.encode()))

    said = "expected a number that float64 holds exactly, found '9007199254740993': subtract an offset, divide, or"
    error = error_of(rows, "1 1:2\n0 1:5 2:9007199254740993\n")
    assert (error.line, error.column) == (2, 9)
    assert error.message.startswith(said)
    assert error_of(rows, "9007199254740993 1:2\n0 1:5\n").message.startswith(said)
    assert rows("1 1:9007199254740994\n").matrix[0, 0] == LARGE + 2


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_arrays(kind):
    ids = np.array([LARGE, LARGE + 1, LARGE + 2], kind)
    table = np.column_stack([np.arange(3, dtype=kind), ids])
    assert from_table(table, "t.npy", 1).labels.tolist() == ids.tolist()
    assert from_table(table, "t.npy", 1).labels.dtype == kind
    place = "(row 1, column 0, counted from 0), "
    with pytest.raises(DataError) as caught:
        from_table(table, "t.npy", 0)
    assert str(caught.value) == f"t.npy: X holds 9007199254740993 {place}{SAID}"
    with pytest.raises(DataError, match=r"column 1: it holds 9007199254740993 \(row 1, counted from 0\)"):
        from_table(table, "t.npy", 0, 1)
    X = np.ones((3, 2))
    assert from_arrays({"X": X, "y": ids}, "t.npz").labels.tolist() == ids.tolist()
    assert from_arrays({"X": X, "y": ids.astype(np.int32)}, "t.npz").labels.dtype == np.float64
    rows = scipy.sparse.csr_array(table)
    parts = {"data": rows.data, "indices": rows.indices, "indptr": rows.indptr, "shape": np.array(rows.shape)}
    with pytest.raises(DataError, match=r"X holds 9007199254740993 \(row 1, column 1, counted from 0\)"):
        from_arrays(parts, "t.npz")

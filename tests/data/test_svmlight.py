"""The svmlight reader against scikit-learn's, and the place and the sentence of every error."""

import io
import os
import pickle
import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from empirisk.data import blocks
from empirisk.data.errors import DataError
from empirisk.data.svmlight import read_svmlight
from tests.data.outcomes import error_of, read_or_error

compiling = settings(deadline=None)  # the first example pays for the compiler

pytestmark = pytest.mark.compiled

numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(2**53), 2**53).map(str),
    st.integers(-(10**20), 10**20).map("{}.".format),
    st.sampled_from(["+1", "-1", ".5", "1.", "0.0", "1e-3", "5e-324", "0.1234567890123456789012345"]),
)

blanks = st.sampled_from([" ", "  ", "\t", " \t "])
comments = st.sampled_from(["", " ", " # note", "# 3:4", "#"])
line_ends = st.sampled_from(["\n", "\r\n"])


@st.composite
def twins(draw, smallest_index=1):
    """The text of a well-formed file twice: indices in any order, and sorted, as scikit-learn wants them."""
    lines, sorted_lines = [], []
    for row in range(draw(st.integers(1, 6))):
        entries = draw(st.dictionaries(st.integers(smallest_index, 50), numbers, min_size=row == 0, max_size=6))
        start = [draw(numbers), *draw(st.sampled_from([[], ["qid:7"]]))]
        blank, comment = draw(blanks), draw(comments)
        for rows, items in ((lines, entries.items()), (sorted_lines, sorted(entries.items()))):
            rows.append(blank.join([*start, *(f"{index}:{value}" for index, value in items)]) + comment)
        between = draw(st.lists(st.sampled_from(["", "  ", "# only a comment"]), max_size=2))
        lines += between
        sorted_lines += between
    line_end, last = draw(line_ends), draw(st.sampled_from(["", "\n"]))
    return tuple((line_end.join(rows) + last).encode() for rows in (lines, sorted_lines))


files = twins().map(lambda texts: texts[0])


def read(text, **options):
    return read_svmlight(io.BytesIO(text), **options)


def assert_equals_oracle(found, text, **options):
    matrix, labels = load_svmlight_file(io.BytesIO(text), **options)
    assert found.labels.tobytes() == labels.tobytes()
    assert found.matrix.shape == matrix.shape
    assert found.matrix.indptr.tolist() == matrix.indptr.tolist()
    assert found.matrix.indices.tolist() == matrix.indices.tolist()
    assert found.matrix.data.tobytes() == matrix.data.tobytes()


@compiling
@given(twins())
def test_equals_scikit_learn(texts):
    text, sorted_text = texts
    assert_equals_oracle(read(text), sorted_text)


@compiling
@given(twins(smallest_index=0))
def test_an_index_zero_anywhere_makes_all_count_from_zero(texts):
    text, sorted_text = texts
    found = read(text)
    assert found.first_index == (0 if re.search(rb"\s0:", re.sub(rb"#.*", b"", text)) else 1)
    assert_equals_oracle(found, sorted_text)


@compiling
@given(files, st.integers(8, 40))
def test_blocks_of_any_size_give_the_same(text, size):
    whole = read(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("empirisk.data.svmlight.blocks", lambda s, path: blocks.blocks(s, path, size))
        parts = read(text)
    assert parts.labels.tobytes() == whole.labels.tobytes()
    assert parts.matrix.data.tobytes() == whole.matrix.data.tobytes()
    assert parts.matrix.indices.tolist() == whole.matrix.indices.tolist()
    assert parts.matrix.indptr.tolist() == whole.matrix.indptr.tolist()


def test_a_file_of_many_blocks(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        f"{label} " + " ".join(f"{j}:{x!r}" for j, x in zip(range(1, 11), row.tolist(), strict=True))
        for label, row in zip(rng.integers(-1, 2, 8000), rng.normal(size=(8000, 10)), strict=True)
    ]
    text = ("\n".join(rows) + "\n").encode()
    assert len(text) > 2 * blocks.BLOCK
    path = tmp_path / "large.svm"
    path.write_bytes(text)
    assert_equals_oracle(read_svmlight(path), text)
    path.write_bytes(text + b"1 1:2 3:x\n")
    with pytest.raises(DataError) as caught:
        read_svmlight(str(path))
    assert (caught.value.path, caught.value.line, caught.value.column) == (str(path), 8001, 9)
    assert str(caught.value) == f"{path}:8001:9: expected a decimal number after ':', found 'x'"


def test_a_line_longer_than_a_block():
    n = blocks.BLOCK // 4
    text = ("1 " + " ".join(f"{j}:{j}" for j in range(1, n)) + "\n").encode()
    assert len(text) > 2 * blocks.BLOCK
    found = read(text)
    assert found.matrix.shape == (1, n - 1)
    assert found.matrix.data.tolist() == list(range(1, n))


def test_a_pipe(tmp_path):
    reading, writing = os.pipe()
    os.write(writing, b"1 1:2\n-1 2:3\n")
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        assert read_svmlight(stream).labels.tolist() == [1, -1]


def test_types():
    found = read(b"1 1:0.1\n")
    assert found.labels.dtype == found.matrix.dtype == np.float64
    assert found.matrix.indices.dtype == found.matrix.indptr.dtype == np.int32
    assert found.matrix.has_canonical_format
    assert read(b"1 1:0.1\n", dtype=np.float32).matrix.data.tolist() == [np.float32(0.1)]
    wide = read(b"1 7:1\n1 5000000000:2\n")
    assert wide.matrix.shape == (2, 5_000_000_000)
    assert wide.matrix.indices.dtype == wide.matrix.indptr.dtype == np.int64
    assert wide.matrix.indices.tolist() == [6, 4_999_999_999]


def test_a_row_without_features_and_a_byte_order_mark():
    found = read(b"\xef\xbb\xbf1\n2 # nothing\n3 qid:4\n")
    assert found.labels.tolist() == [1, 2, 3]
    assert found.matrix.shape == (3, 0)
    assert found.first_index == 1


def test_the_number_of_features_may_be_given():
    assert read(b"1 2:5\n", n_features=4).matrix.shape == (1, 4)
    assert read(b"1 4:5\n", n_features=4).matrix.toarray().tolist() == [[0, 0, 0, 5]]
    assert_equals_oracle(read(b"1 0:5 3:1\n", n_features=4), b"1 0:5 3:1\n", n_features=4)


def test_features_beyond_are_refused_or_left_out():
    text = b"1 1:1\n2 7:7 5:5 1:2\n"
    error = error_of(read, text, n_features=4)
    assert (error.line, error.column) == (2, 3)
    assert error.message == "expected at most 4 features, found index 7"
    kept = read(text, n_features=4, ignore_new=True)
    assert kept.matrix.toarray().tolist() == [[1, 0, 0, 0], [2, 0, 0, 0]]
    assert kept.matrix.indptr.tolist() == [0, 1, 2]


def test_a_zero_that_comes_late_moves_the_limit():
    error = error_of(read, b"1 4:1\n1 0:2\n", n_features=4)
    assert (error.line, error.column) == (1, 3)
    assert "counted from 0" in error.message
    kept = read(b"1 4:1\n1 0:2\n", n_features=4, ignore_new=True)
    assert kept.matrix.toarray().tolist() == [[0, 0, 0, 0], [2, 0, 0, 0]]


def test_the_first_index_may_be_settled_by_another_file():
    assert read(b"1 1:5\n", first_index=0).matrix.toarray().tolist() == [[0, 5]]
    assert read(b"1 1:5\n", first_index=1).matrix.toarray().tolist() == [[5]]
    error = error_of(read, b"1 1:5\n1 0:2\n", first_index=1)
    assert (error.line, error.column) == (2, 3)
    error = error_of(read, b"1 4:5\n", first_index=0, n_features=4)
    assert (error.line, error.column) == (1, 3)
    with pytest.raises(ValueError, match="first_index must be 0, 1 or None, not 2"):
        read(b"1 1:5\n", first_index=2)


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("abc 1:2", 1, "expected a decimal number as the label, found 'abc'"),
        ("  1x 1:2", 3, "expected a decimal number as the label, found '1x'"),
        ("1:2 2:3", 1, "expected a decimal number as the label, found '1:2'"),
        ("nan 1:2", 1, "expected a finite number as the label, found 'nan'"),
        ("-inf", 1, "expected a finite number as the label, found '-inf'"),
        ("1e999 1:2", 1, "expected a number within the range of float64, found '1e999'"),
        ("1,2 1:2", 1, "expected one label, found the list '1,2': multi-label data is not supported"),
        ("1 x:2", 3, "expected a feature index before ':', found 'x'"),
        ("1 :2", 3, "expected a feature index before ':', found ''"),
        ("1 -3:2", 3, "expected a feature index before ':', found '-3'"),
        ("1 2x:2", 3, "expected a feature index before ':', found '2x'"),
        ("1 1:2 qid:3", 7, "expected a feature index before ':', found 'qid'"),
        ("1 quid:3", 3, "expected a feature index before ':', found 'quid'"),
        ("1 7", 3, "expected index:value, found '7'"),
        ("1 7 :2", 3, "expected index:value, found '7'"),
        ("1 qid:x 1:2", 7, "expected a whole number after 'qid:', found 'x'"),
        ("1 qid: 1:2", 7, "expected a whole number after 'qid:', found ''"),
        ("1 1234567890123456789:2", 3, "expected a feature index below 10^18, found '1234567890123456789:2'"),
        ("1 1:2 2:", 9, "expected a decimal number after ':', found ''"),
        ("1 1:2\t2:abc # x", 9, "expected a decimal number after ':', found 'abc'"),
        ("1 1:0x10", 5, "expected a decimal number after ':', found '0x10'"),
        ("1 1:1_0", 5, "expected a decimal number after ':', found '1_0'"),
        ("1 1:2:3", 5, "expected a decimal number after ':', found '2:3'"),
        ("1 1:NaN", 5, "expected a finite number after ':', found 'NaN'"),
        ("1 1:+Infinity", 5, "expected a finite number after ':', found '+Infinity'"),
        ("1 1:2 3:-1e400", 9, "expected a number within the range of float64, found '-1e400'"),
        ("1 3:1 3:2", 7, "expected each feature index once in a row, found 3 again"),
        ("1 3:1 1:1 2:9 1:4", 15, "expected each feature index once in a row, found 1 again"),
        ("1 1:" + "z" * 99, 5, "expected a decimal number after ':', found '" + "z" * 40 + "...'"),
        ("1 1:\xff", 5, "expected a decimal number after ':', found '\\\\xff'"),
    ],
)
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_errors_name_line_and_column(line, column, message, end):
    error = error_of(read, b"# a comment\n1 1:1 4:4 2:2\n\n" + (line + end).encode("latin-1"))
    assert (error.line, error.column, error.message) == (4, column, message)
    assert str(error) == f"<stream>:4:{column}: {message}"


def test_a_value_that_only_a_float64_can_hold():
    error = error_of(read, b"1e300 1:1\n1 2:1 1:-1e39\n", dtype=np.float32)
    assert (error.line, error.column) == (2, 9)
    assert error.message == "expected a number within the range of float32, found '-1e39'"


@pytest.mark.parametrize("text", [b"", b"\n\n", b"# nothing\n", b"\xef\xbb\xbf"])
def test_a_file_without_examples(text):
    error = error_of(read, text)
    assert (error.line, error.column) == (None, None)
    assert str(error) == "<stream>: expected at least one example, found none"


def test_an_error_survives_pickling():
    error = error_of(read, b"1 x:1\n")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.path, copy.line, copy.column) == (str(error), error.path, error.line, error.column)


def test_a_missing_file_is_an_input_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_svmlight(tmp_path / "absent")


@compiling
@given(st.one_of(st.binary(max_size=200), st.text("0123456789+-.:eqid \t\r\n#,naf", max_size=200).map(str.encode)))
@example(b"1 1:1 " + b"\x00" * 50)
@example(b"1 qi")
@example(b"1 1:inf")
def test_any_bytes_are_read_or_refused_in_place(noise):
    found = read_or_error(read, noise)
    if isinstance(found, DataError):
        lines = noise.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        assert found.line is None or 1 <= found.column <= len(lines[found.line - 1]) + 1
    else:
        found.matrix.check_format(full_check=True)
        assert len(found.labels) == found.matrix.shape[0] > 0
        assert np.isfinite(found.labels).all()
        assert np.isfinite(found.matrix.data).all()


@compiling
@given(files, st.data())
def test_a_damaged_file_is_read_or_refused(text, data):
    damaged = bytearray(text)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.integers(0, 255))
    found = read_or_error(read, bytes(damaged))
    if not isinstance(found, DataError):
        found.matrix.check_format(full_check=True)

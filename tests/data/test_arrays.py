"""npy and npz files against NumPy's own reader, mapped and streamed, whole and damaged."""

import contextlib
import io
import pickle

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from empirisk.data.arrays import from_arrays, from_table, read_npy, read_npz
from empirisk.data.errors import DataError
from empirisk.data.npy import map_array, read_array
from empirisk.designs import as_design

pytestmark = pytest.mark.compiled

KINDS = st.sampled_from(["<f8", ">f8", "<f4", "f2", "i1", "<u8", "?", "U3"])
SHAPES = arrays_of.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
TABLE = np.random.default_rng(0).standard_normal((6, 4))


def npy(array, version=None):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asanyarray(array), version)
    return stream.getvalue()


def npz(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


@given(data=st.data(), is_fortran=st.booleans(), version=st.sampled_from([(1, 0), (2, 0)]))
def test_an_array_comes_back(data, is_fortran, version, tmp_path_factory):
    array = data.draw(arrays_of.arrays(data.draw(KINDS), data.draw(SHAPES)))
    array = np.asfortranarray(array) if is_fortran else array
    path = tmp_path_factory.getbasetemp() / "any.npy"
    path.write_bytes(npy(array, version))
    for found in (map_array(str(path)), read_array(io.BytesIO(path.read_bytes()), "d")):
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
        assert found.tobytes() == array.tobytes()


def test_a_table_of_features_is_mapped_and_not_copied(tmp_path):
    np.save(tmp_path / "x.npy", TABLE)
    table = read_npy(str(tmp_path / "x.npy"))
    assert isinstance(table, np.memmap)
    matrix = from_table(table, "x.npy").matrix
    assert np.shares_memory(matrix, table)
    assert np.shares_memory(as_design(matrix).values, table)


def test_columns_of_a_table():
    data = from_table(TABLE, "d", label=-1, weights=0)
    assert np.array_equal(data.matrix, TABLE[:, 1:3])
    assert np.array_equal(data.labels, TABLE[:, 3])
    assert np.array_equal(data.weights, TABLE[:, 0])
    inner = from_table(TABLE, "d", label=1)
    assert np.array_equal(inner.matrix, TABLE[:, [0, 2, 3]])
    assert inner.weights is None


@given(data=st.data())
def test_a_damaged_archive_is_an_error_or_whole(data):
    content = bytearray(npz(X=TABLE, y=np.arange(6)))
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    try:
        found = read_npz(io.BytesIO(bytes(content)))
    except DataError:
        return
    for name, array in {"X": TABLE, "y": np.arange(6)}.items():
        if name in found:  # the name itself is covered by no check
            assert found[name].tobytes() == array.tobytes()


def test_places_outside_the_archive(tmp_path):
    """The directory of a zip archive says where it starts: here before the file does."""
    content = npz(X=TABLE)
    end = content.rindex(b"PK\x05\x06")
    wrong = content[: end + 12] + b"\xff\xff\x00\x00" + content[end + 16 :]
    (tmp_path / "d.npz").write_bytes(wrong)
    for source in (io.BytesIO(wrong), str(tmp_path / "d.npz")):
        with pytest.raises(DataError, match="expected a whole npz archive, found a damaged one"):
            read_npz(source)


@given(length=st.integers(0, len(npz(X=TABLE)) - 1))
def test_a_cut_archive_is_an_error(length):
    with pytest.raises(DataError, match="expected a whole npz archive, found a damaged one"):
        read_npz(io.BytesIO(npz(X=TABLE)[:length]))


@given(data=st.data())
def test_a_damaged_header_is_an_error_or_an_array(data):
    content = bytearray(npy(TABLE))
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, 127))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(DataError, MemoryError):  # a shape may be one that no machine holds
        assert isinstance(read_array(io.BytesIO(bytes(content)), "d"), np.ndarray)


def test_a_file_of_python_2(tmp_path):
    content = npy(TABLE).replace(b"(6, 4), }  ", b"(6L, 4L), }")
    assert np.array_equal(read_array(io.BytesIO(content), "d"), TABLE)


class Trap:
    def __reduce__(self):
        return (pytest.fail, ("unpickled",))


def test_nothing_is_unpickled(tmp_path):
    np.save(tmp_path / "o.npy", np.array([[Trap()]]), allow_pickle=True)
    content = (tmp_path / "o.npy").read_bytes()
    for read in (lambda: map_array(str(tmp_path / "o.npy")), lambda: read_array(io.BytesIO(content), "d")):
        with pytest.raises(DataError, match="found Python objects: to read them could run code"):
            read()
    with pytest.raises(DataError, match=r"array 'X': .*found Python objects"):
        read_npz(io.BytesIO(npz(X=np.array([[Trap()]]))))
    with pytest.raises(DataError, match="expected an array in NumPy's npy format"):
        read_array(io.BytesIO(pickle.dumps(Trap())), "d")


@pytest.mark.parametrize("index", [np.int32, np.int64, np.uint32])
def test_a_matrix_as_scipy_saves_it(index, tmp_path):
    matrix = scipy.sparse.csr_array(np.where(TABLE > 0.0, TABLE, 0.0))
    scipy.sparse.save_npz(tmp_path / "x.npz", matrix)
    arrays = read_npz(str(tmp_path / "x.npz"))
    arrays |= {name: arrays[name].astype(index) for name in ("indices", "indptr")}
    found = from_arrays(arrays, "x.npz")
    assert np.array_equal(found.matrix.toarray(), matrix.toarray())
    assert (found.labels, found.weights, found.names) == (None, None, None)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("indptr", [0, 1, 2]),
        ("indptr", [1, 1, 1, 2]),
        ("indptr", [0, 2, 1, 2]),
        ("indptr", [0, 1, 1, 3]),
        ("indices", [0, 2]),
        ("indices", [0, -1]),
        ("indices", [0]),
        ("shape", [2, 2]),
        ("shape", [3]),
        ("shape", [3, -1]),
        ("shape", [3.0, 2.0]),
        ("data", [[1.0], [2.0]]),
        ("data", [1j, 2j]),
        ("data", [1.0, np.nan]),
        ("format", b"coo"),
    ],
)
def test_parts_that_make_no_matrix(name, value):
    parts = {"data": [1.0, 2.0], "indices": [0, 1], "indptr": [0, 1, 1, 2], "shape": [3, 2], "format": b"csr"}
    assert from_arrays({key: np.array(part) for key, part in parts.items()}, "d").matrix.shape == (3, 2)
    with pytest.raises(DataError, match=r"expected|NaN \(row 2, column 1"):
        from_arrays({key: np.array(part) for key, part in {**parts, name: value}.items()}, "d")


def test_labels_in_words_and_numbers():
    words = np.array(["a", "b"] * 3)
    assert from_arrays({"X": TABLE, "y": words}, "d").labels.tolist() == words.tolist()
    assert from_arrays({"X": TABLE, "y": words}, "d").labels.dtype == object
    assert from_arrays({"X": TABLE, "y": np.arange(6).reshape(6, 1)}, "d").labels.tolist() == [0, 1, 2, 3, 4, 5]

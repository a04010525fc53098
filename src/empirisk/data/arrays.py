"""Examples in NumPy's files: a table in npy, or named arrays in npz, dense or as SciPy saves a CSR matrix."""

from __future__ import annotations

import errno
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from empirisk.arithmetic.exact_floats import exact_floats, first_inexact
from empirisk.data.errors import DataError, shortened
from empirisk.data.npy import map_array, read_array
from empirisk.designs import as_design, check_finite, matrix_of
from empirisk.protocols import Vector

MATRIX, LABELS, WEIGHTS, NAMES = "X", "y", "sample_weight", "feature_names"
CSR_PARTS = ("data", "indices", "indptr", "shape")
CSR_REMARKS = ("format", "_is_array")  # what scipy.sparse.save_npz writes besides
SHOWN = 10  # names that an error lists


class ArrayData(NamedTuple):
    """What the arrays say: row i of `matrix` belongs to `labels[i]`, column j is called `names[j]`."""

    matrix: Any  # float32 or float64, finite, dense or CSR
    labels: NDArray[Any] | None  # numbers, float64 where that holds them, or Python strings; n x T of T targets
    weights: Vector | None
    names: tuple[str, ...] | None


def read_npy(source: str | BinaryIO) -> NDArray[Any]:
    """The table of a path (mapped into memory) or of a stream: rows and columns of real numbers, perhaps not finite."""
    path = _path(source)
    table = map_array(source) if isinstance(source, str) else read_array(source, path)
    if table.ndim != 2:
        raise DataError(f"expected an array of two dimensions, rows and columns, found the shape {table.shape}", path)
    _check_real(table, path)
    return table


def from_table(table: NDArray[Any], path: str, label: int | None = None, weights: int | None = None) -> ArrayData:
    """A table with labels and weights in the columns of these numbers, counted from 0, or from the end if negative."""
    width = table.shape[1]
    cells: dict[int, NDArray[Any]] = {}
    for what, column in (("label", label), ("weights", weights)):
        if column is None:
            continue
        if not -width <= column < width:
            raise DataError(f"expected the {what} in column {column}, found {width} columns, counted from 0", path)
        values, place = table[:, column], f"{path}: column {column % width}"
        cells[column % width] = _labels(values, place) if what == "label" else _numbers(values, place)
    if len(cells) < (label is not None) + (weights is not None):
        raise DataError(f"expected labels and weights in two columns, found both in column {label}", path)
    features = np.setdiff1d(np.arange(width), list(cells))
    if not len(features):
        raise DataError(f"expected columns to learn from besides labels and weights, found {width} in all", path)
    are_adjacent = features[-1] - features[0] + 1 == len(features)
    rest = table[:, features[0] : features[-1] + 1] if are_adjacent else table[:, features]  # the first is no copy
    found = [None if column is None else cells[column % width] for column in (label, weights)]
    return ArrayData(_finite(rest, path), found[0], found[1], None)


def read_npz(source: str | BinaryIO) -> dict[str, NDArray[Any]]:
    """The arrays of a path or a stream by their names.

    They are read and not mapped: a zip archive does not place them where the processor wants numbers to start.
    """
    path = _path(source)
    file: Any = source if isinstance(source, (str, io.BytesIO)) else io.BytesIO(source.read())
    try:
        with zipfile.ZipFile(file) as archive:
            arrays = {}
            for name in archive.namelist():
                if not name.endswith(".npy"):
                    raise DataError(f"expected arrays of NumPy in this zip archive, found {shortened(name)!r}", path)
                with archive.open(name) as stream:
                    arrays[name.removesuffix(".npy")] = read_array(stream, _place(path, name.removesuffix(".npy")))
            return arrays
    except DataError:
        raise
    except RuntimeError:  # zipfile's word for a password or a method that it does not know
        raise DataError(
            "expected an npz archive as NumPy writes it, found an encrypted or unknown kind", path
        ) from None
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):  # EINVAL: a place before the start
            raise
        raise DataError("expected a whole npz archive, found a damaged one", path) from None


def from_arrays(
    arrays: Mapping[str, NDArray[Any]],
    path: str,
    label: str | None = None,
    weights: str | None = None,
    n_targets: int = 1,
) -> ArrayData:
    """The matrix X and, where they are there, y, sample_weight and feature_names; other arrays are an error.

    In place of X a CSR matrix as `scipy.sparse.save_npz` writes it: data, indices, indptr and shape. `label` and
    `weights` are other names for y and sample_weight, which then must be there. Of several targets, y has so many
    columns.
    """
    is_csr = MATRIX not in arrays and set(CSR_PARTS) <= set(arrays)
    needed = [*(CSR_PARTS if is_csr else (MATRIX,)), *(name for name in (label, weights) if name is not None)]
    lacking = [name for name in needed if name not in arrays]
    if lacking:
        raise DataError(f"expected the array {lacking[0]!r}, found {_listed(arrays)}", path)
    known = {*needed, *(CSR_REMARKS if is_csr else ()), label or LABELS, weights or WEIGHTS, NAMES}
    extra = [name for name in arrays if name not in known]
    if extra:
        raise DataError(f"expected no array besides {_listed(sorted(known))}, found also {_listed(extra)}", path)
    matrix = _csr(arrays, path) if is_csr else _dense(arrays[MATRIX], _place(path, MATRIX))
    n, d = matrix.shape
    labels = _vector(arrays, label or LABELS, n, path, n_targets)
    if labels is not None:
        is_text = labels.dtype.kind == "U"
        labels = labels.astype(object) if is_text else _labels(labels, _place(path, label or LABELS))
    sizes = _vector(arrays, weights or WEIGHTS, n, path)
    names = _vector(arrays, NAMES, d, path)
    return ArrayData(
        matrix,
        labels,
        None if sizes is None else _numbers(sizes, _place(path, weights or WEIGHTS)),
        None if names is None else _unique_names(names, _place(path, NAMES)),
    )


def _path(source: str | BinaryIO) -> str:
    return source if isinstance(source, str) else str(getattr(source, "name", "<stream>"))


def _place(path: str, name: str) -> str:
    return f"{path}: array {name!r}"


def _check_real(array: NDArray[Any], place: str) -> None:
    if array.dtype.kind not in "biuf":
        raise DataError(f"expected real numbers, found the dtype {array.dtype}", place)


def _finite(matrix: Any, place: str) -> Any:
    """Checked, and converted where the kernels need it: here once, so that nothing does it again."""
    if 0 in matrix.shape:
        raise DataError(f"expected rows and columns of numbers, found the shape {tuple(matrix.shape)}", place)
    try:
        design = as_design(matrix)
        check_finite(design)
    except ValueError as error:
        raise DataError(str(error), place) from None
    return matrix_of(design)


def _dense(array: NDArray[Any], place: str) -> Any:
    if array.ndim != 2:
        raise DataError(f"expected two dimensions, rows and columns, found the shape {array.shape}", place)
    _check_real(array, place)
    return _finite(array, place)


def _csr(arrays: Mapping[str, NDArray[Any]], path: str) -> Any:
    """The matrix of the parts that SciPy writes; nothing but a whole CSR matrix may reach compiled code."""
    data, indices, starts, shape = (arrays[name] for name in CSR_PARTS)
    layout = arrays["format"].tolist() if "format" in arrays else b"csr"
    if layout not in (b"csr", "csr"):
        raise DataError(f"expected a matrix of the format csr, found {layout!r}: save X.tocsr()", path)
    _check_real(data, _place(path, "data"))
    are_indices = all(part.dtype.kind in "iu" for part in (indices, starts, shape))
    if not are_indices or shape.shape != (2,) or any(part.ndim != 1 for part in (data, indices, starts)):
        raise DataError("expected data, indices, indptr and shape of a CSR matrix, found other shapes or dtypes", path)
    n, d = shape.tolist()
    are_starts = (
        starts.size == n + 1 and starts[0] == 0 and starts[-1] == data.size and np.all(starts[:-1] <= starts[1:])
    )
    if not are_starts or indices.size != data.size or (indices.size and not 0 <= indices.min() <= indices.max() < d):
        raise DataError(f"expected a CSR matrix of the shape ({n}, {d}), found indices or indptr outside it", path)
    return _finite(csr_array((data, indices, starts), shape=(n, d)), path)


def _vector(
    arrays: Mapping[str, NDArray[Any]], name: str, length: int, path: str, n_columns: int = 1
) -> NDArray[Any] | None:
    """The array of this name, one value for each row or column of X, or several in columns; None if there is none."""
    if name not in arrays:
        return None
    array = arrays[name]
    if array.shape == (length, 1):
        array = array[:, 0]
    wanted = (length,) if n_columns == 1 else (length, n_columns)
    if array.shape != wanted:
        raise DataError(f"expected the shape {wanted} as X has it, found {array.shape}", _place(path, name))
    return array


def _numbers(values: NDArray[Any], place: str) -> Vector:
    """As float64, all of them finite."""
    _check_real_and_finite(values, place)
    try:
        return exact_floats(values, "it")
    except ValueError as error:
        raise DataError(str(error), place) from None


def _labels(values: NDArray[Any], place: str) -> NDArray[Any]:
    """As they are, all of them finite; float64 where that changes no value: different labels stay different."""
    _check_real_and_finite(values, place)
    return values if first_inexact(values) >= 0 else values.astype(np.float64)


def _check_real_and_finite(values: NDArray[Any], place: str) -> None:
    _check_real(values, place)
    are_finite = np.isfinite(values)
    if not bool(np.all(are_finite)):
        row = int(np.argmin(are_finite))
        raise DataError(f"expected finite numbers, found {values[row]} in row {row}, counted from 0", place)


def _unique_names(names: NDArray[Any], place: str) -> tuple[str, ...]:
    if names.dtype.kind != "U":
        raise DataError(f"expected text, found the dtype {names.dtype}", place)
    listed = tuple(names.tolist())
    if len(set(listed)) < len(listed):
        again = next(name for k, name in enumerate(listed) if name in listed[:k])
        raise DataError(f"expected each name once, found {shortened(again)!r} again", place)
    return listed


def _listed(names: Iterable[str]) -> str:
    quoted = [repr(shortened(name)) for name in names]
    return (", ".join(quoted[:SHOWN]) + (", ..." if len(quoted) > SHOWN else "")) or "none"

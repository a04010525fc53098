"""Rows on disk: what a stream has shown, for those who must see all of it in the end."""

from __future__ import annotations

import contextlib
import tempfile
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import adopt
from empirisk.designs import CSR
from empirisk.online.rows_met import RowsMet
from empirisk.protocols import Vector

KINDS: dict[str, Any] = {
    "values": np.float64,
    "indices": np.uint32,
    "starts": np.int64,
    "labels": np.float64,
    "weights": np.float64,
}


class RowSpool:
    """Sparse rows, appended to temporary files in binary and mapped: memory holds what is looked at.

    Weights are kept once a row has one that is given; those before it are ones.
    """

    def __init__(self) -> None:
        self._open = contextlib.ExitStack()
        self._files: dict[str, IO[bytes]] = {}
        for name in KINDS:
            file = tempfile.TemporaryFile(prefix="empirisk-rows-", buffering=0)  # noqa: SIM115 (it is closed with the spool)
            self._files[name] = self._open.enter_context(file)
        self.n_rows, self._n_entries, self._n_weights = 0, 0, 0
        self._append("starts", np.zeros(1))

    def __enter__(self) -> RowSpool:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the disk as it was; maps stay readable while they are held."""
        self._open.close()

    def add(self, design: Any, labels: Vector, weights: Vector) -> None:
        """Further rows; the weights are empty where all are one."""
        if weights.size:
            self._append("weights", np.ones(self.n_rows - self._n_weights))
            self._append("weights", weights)
            self._n_weights = self.n_rows + labels.size
        part = slice(int(design.starts[0]), int(design.starts[-1]))
        self._append("values", design.values[part])
        self._append("indices", design.indices[part])
        self._append("starts", design.starts[1:] - design.starts[0] + self._n_entries)
        self._append("labels", labels)
        self.n_rows += labels.size
        self._n_entries += part.stop - part.start

    def rows(self, n_columns: int) -> RowsMet:
        """All rows so far, mapped, as rows of so many columns."""
        values, indices = self._mapped("values", self._n_entries), self._mapped("indices", self._n_entries)
        design = CSR(values, indices, self._mapped("starts", self.n_rows + 1), n_columns)
        adopt(design, inline=True)
        if self._n_weights:
            self._append("weights", np.ones(self.n_rows - self._n_weights))
            self._n_weights = self.n_rows
        return RowsMet(design, self._mapped("labels", self.n_rows), self._mapped("weights", self._n_weights))

    def _append(self, name: str, array: NDArray[Any]) -> None:
        """Write at the end, as the kind of numbers that the file is of."""
        rest = np.ascontiguousarray(array, dtype=KINDS[name]).view(np.uint8).data
        try:
            while rest.nbytes:  # NumPy's own tofile does not notice all that a full disk refuses
                rest = rest[self._files[name].write(rest) :]
        except OSError as error:
            raise OSError(error.errno, error.strerror, tempfile.gettempdir()) from None

    def _mapped(self, name: str, size: int) -> NDArray[Any]:
        """The first numbers of a file, read-only."""
        if size == 0:
            return np.empty(0, KINDS[name])
        file = self._files[name]
        found = np.memmap(file, dtype=KINDS[name], mode="r", shape=(size,)).view(np.ndarray)
        found.flags.writeable = False
        return found

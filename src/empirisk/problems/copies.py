"""What risks on rows share: they never change, and methods give others that share the data.

These are methods, which the classes of risks take over: a risk has `rows`, `labels`, `weights`, `total_weight`,
`regularizer`, `_parts`, the strengths l1 and l2, the further regularizer and the constraint that it is made of, and
`_fields_of(rows)`, what it keeps beside its rows.
"""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from empirisk.problems.construction import total_weight
from empirisk.problems.penalty_and_constraint import join
from empirisk.rows.in_memory import InMemory
from empirisk.rows.protocol import RowBlock, Rows, RowVector
from empirisk.rows.vectors import row_sum

Risk = TypeVar("Risk", bound=Any)


def refuse_change(self: Any, name: str, value: Any) -> NoReturn:
    """Nothing of a problem is overwritten."""
    raise AttributeError(f"a problem does not change: {name} is set by the methods with_..., which give another")


def name_and_description(self: Any) -> str:
    """Its class, and what it is in a few words."""
    return f"{type(self).__name__}({self.description()})"


def copy_with(self: Risk, **changes: Any) -> Risk:
    """The same problem but for these fields."""
    other = object.__new__(type(self))
    vars(other).update(vars(self), **frozen(changes))
    return other


def placed(rows: Rows, fields: dict[str, Any]) -> dict[str, Any]:
    """These fields of a problem, with its labels and weights beside the rows."""
    fields = frozen(fields)
    return {**fields, **{name: rows.place(fields[name]) for name in ("labels", "weights")}}


def frozen(fields: dict[str, Any]) -> dict[str, Any]:
    """These fields; labels and weights are read-only from now on, all of one kind for kernels."""
    for name in ("labels", "weights"):
        array = fields.get(name)
        if isinstance(array, np.ndarray) and array.flags.writeable:
            fields[name] = array.view()
            fields[name].flags.writeable = False
    return fields


def with_strengths(self: Risk, l1: float | None = None, l2: float | None = None) -> Risk:
    """The same data, loss, regularizer and constraint under other strengths; None keeps one. Nothing is copied."""
    old_l1, old_l2, regularizer, constraint = self._parts
    parts = (old_l1 if l1 is None else l1, old_l2 if l2 is None else l2, regularizer, constraint)
    return copy_with(self, _parts=parts, regularizer=join(*parts, self.rows.n_columns))


def with_weights(self: Risk, weights: RowVector) -> Risk:
    """The same problem under other sample weights, a copy of which is taken as it is; zero leaves a row out."""
    own = self.rows.vector(_copy, rows=(weights,))
    return copy_with(self, weights=own, total_weight=row_sum(self.rows, own))


def with_threads(self: Risk, n_threads: int) -> Risk:
    """The same problem, on so many threads."""
    return copy_with(self, rows=self.rows.with_threads(n_threads))


def with_rows(self: Risk, rows: NDArray[np.int64]) -> Risk:
    """The same problem on a copy of these rows, some of which must have weight."""
    kept = with_kept_rows(self, rows)
    return copy_with(kept, total_weight=total_weight(kept.weights, rows.size))


def with_kept_rows(self: Risk, rows: NDArray[np.int64], kept: Rows | None = None) -> Risk:
    """The part of the sum over a copy of these rows, if it is not given: the S by which it is divided stays."""
    all_rows: Rows = self.rows
    kept = InMemory(all_rows.take(rows), all_rows.n_threads) if kept is None else kept
    weights = all_rows.pick(self.weights, rows) if self.weights.size else np.empty(0)
    return copy_with(self, labels=all_rows.pick(self.labels, rows), weights=weights, **self._fields_of(kept))


def _copy(block: RowBlock, vector: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    out[:] = vector

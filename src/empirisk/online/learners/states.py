"""What a learner carries from round to round, and what can be done to it from outside.

A state is a named tuple with two methods that kernels call, predict(X, i, s) and update(loss, X, i, y, s, z, slope,
square), where s is the row's weight, z the answer, slope = s loss'(z) and square = ||g||^2; and three that Python calls
and that leave it alone: point(), and sum_of_points() and penalties(), the sums over the points after each step. The
first of these sums is optional, and so is scores(design), in place of those at the point. One that has is_interpreted()
is played by Python, and ending() says why it gave no number, where nothing overflowed. Whatever changes is in its
arrays, which are written in place: so it can be copied, stored and given more columns by whoever does not know it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import adopt


def adopted(state: Any) -> Any:
    """The state, whose methods kernels may call."""
    adopt(state)
    return state


def arrays_of(state: Any) -> dict[str, NDArray[Any]]:
    """Its arrays by the names of their fields; those of parts as part.field."""
    found: dict[str, NDArray[Any]] = {}
    for name, value in zip(type(state)._fields, state, strict=True):
        if isinstance(value, np.ndarray):
            found[name] = value
        elif isinstance(value, tuple) and hasattr(value, "_fields"):
            found.update({f"{name}.{inner}": array for inner, array in arrays_of(value).items()})
    return found


def with_arrays(state: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """The state with these arrays in place of its own, under the names of `arrays_of`."""
    fields = {}
    for name, value in zip(type(state)._fields, state, strict=True):
        if isinstance(value, np.ndarray):
            fields[name] = arrays[name]
        elif isinstance(value, tuple) and hasattr(value, "_fields"):
            start = f"{name}."
            inner = {key.removeprefix(start): array for key, array in arrays.items() if key.startswith(start)}
            fields[name] = with_arrays(value, inner)
    return state._replace(**fields)


def copied(state: Any) -> Any:
    """In arrays of its own."""
    return with_arrays(state, {name: array.copy() for name, array in arrays_of(state).items()})


def settled_rule(state: Any) -> Any:
    """The update rule of a state with every step made, in arrays of its own."""
    rule = copied(state).rule
    rule.settle()
    return rule


def grown(state: Any, fresh: Any, n_columns: int) -> Any:
    """A fresh state of more columns, with what this one of `n_columns` has written: others are as nobody has seen them.

    What stands behind the columns of an array, such as the intercept's, stays behind them.
    """
    arrays = {name: array.copy() for name, array in arrays_of(fresh).items()}
    for name, array in arrays_of(state).items():
        sizes = zip(array.shape, arrays[name].shape, strict=True)
        arrays[name][np.ix_(*(_places(before, after, n_columns) for before, after in sizes))] = array
    return with_arrays(fresh, arrays)


def cut(state: Any, fresh: Any, n_columns: int) -> Any:
    """A fresh state of `n_columns`, with what this one of more has written there: the inverse of `grown`."""
    arrays = arrays_of(state)
    for name, array in arrays_of(fresh).items():
        sizes = zip(array.shape, arrays[name].shape, strict=True)
        arrays[name] = arrays[name][np.ix_(*(_places(after, before, n_columns) for after, before in sizes))]
    return with_arrays(fresh, arrays)


def _places(before: int, after: int, n_columns: int) -> NDArray[np.int64]:
    """Where the entries of an axis are found when it has grown."""
    places = np.arange(before)
    places[n_columns:] += after - before
    return places if after > before else np.arange(before)

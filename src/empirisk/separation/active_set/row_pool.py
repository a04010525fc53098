"""The active-set method on a pool of rows that grows by violated ones: most rows of large data are never copied."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.designs import CSR, Dense, as_design
from empirisk.designs.transposed import scaled_rows
from empirisk.protocols import Vector
from empirisk.separation.active_set.active_rows import (
    RUNNING,
    SOLVED,
    UNBOUNDED,
    Active,
    Program,
    ascend,
    empty_active,
    start,
)
from empirisk.separation.watch import Watch

ROUNDS = 16  # between two looks at the clock
MOST_ACTIVE = 6000  # rows at hand: their triangular factor takes 288 MB
LEAST_POOL, POOL_PER_COLUMN = 1000, 4  # rows that join the pool at a time
SAMPLED = 1000  # rows whose size is measured
SMALL = 1 << 21  # entries up to which all rows are in the pool from the start


class Outcome(NamedTuple):
    """How the search ended, with the point it reached; for an unbounded program the weights are those of the ray."""

    status: int
    w: Vector
    b: float
    rows: NDArray[np.int64]
    weights: Vector  # a_i > 0 of these rows


def maximize(
    program: Program,
    take: Callable[[NDArray[np.int64]], Any],
    shortfalls: Callable[[Vector, float], Vector],
    first: NDArray[np.int64],
    given: Vector,
    slack: float,
    *,
    n_columns: int,
    n_entries: int,
    watch: Watch | None = None,
) -> Outcome:
    """Maximise the program, from the rows `first` with weights `given`, until no row is short by more than `slack`.

    `take(rows)` is the design of these rows, `shortfalls(w, b)` has q_i - e_i (<w, x_i> + b) for every row of the data.
    """
    n = program.signs.size
    pool, is_whole = first, n_entries <= SMALL
    if is_whole:
        pool = np.concatenate([first, np.delete(np.arange(n), first)])
    active = empty_active(min(n, MOST_ACTIVE), n_columns, MOST_ACTIVE)
    active = active._replace(place=np.full(pool.size, -1, np.int64))
    X, part = take(pool), _part(program, pool)
    status = start(X, part, active, np.arange(first.size), given)
    watch = Watch("search") if watch is None else watch
    while status == RUNNING and not watch.is_over(rows=float(pool.size), support=float(active.numbers[0])):
        status = ascend(X, part, active, slack, ROUNDS)
        if status != SOLVED or is_whole:
            continue
        short = shortfalls(active.w, float(active.values[0]))
        short[pool] = -math.inf
        if not np.max(short) > slack:
            break
        status = RUNNING
        pool = np.concatenate([pool, _worst_rows(short, slack, max(LEAST_POOL, POOL_PER_COLUMN * n_columns))])
        is_whole = pool.size == n
        active = active._replace(place=np.pad(active.place, (0, pool.size - active.place.size), constant_values=-1))
        X, part = take(pool), _part(program, pool)
    return _outcome(status, active, pool)


def centers(design: Dense | CSR) -> Vector:
    """The middle between the least and the largest value of each column; zero for sparse data, which must stay so."""
    if isinstance(design, CSR):
        return np.zeros(design.n_columns())
    # Halves before the sum: two numbers near the largest would overflow.
    return 0.5 * design.values.min(axis=0).astype(np.float64) + 0.5 * design.values.max(axis=0).astype(np.float64)


def centred_rows(design: Dense | CSR, rows: NDArray[np.int64], center: Vector) -> Any:
    """A copy of these rows less `center`, in float64."""
    if isinstance(design, CSR) or not np.any(center):
        return scaled_rows(design, rows, np.ones(design.n_columns()))
    values = design.values[rows].astype(np.float64, copy=False)
    values -= center
    return as_design(values)


def typical_size(design: Dense | CSR, center: Vector) -> float:
    """About the root of the mean of ||x_i - center||^2, from a thousand rows; 1 where that is no size."""
    rows = np.unique(np.linspace(0, design.n_rows() - 1, SAMPLED).astype(np.int64))
    values = centred_rows(design, rows, center).values.reshape(-1)
    with np.errstate(over="ignore"):
        square = float(np.dot(values, values)) / rows.size
    return math.sqrt(square) if 0.0 < square < math.inf else 1.0


def _worst_rows(short: Vector, slack: float, count: int) -> NDArray[np.int64]:
    violated = np.flatnonzero(short > slack)
    if violated.size <= count:
        return violated
    return violated[np.argpartition(-short[violated], count)[:count]]


def _part(program: Program, rows: NDArray[np.int64]) -> Program:
    return program._replace(signs=program.signs[rows], levels=program.levels[rows])


def _outcome(status: int, active: Active, pool: NDArray[np.int64]) -> Outcome:
    if status == UNBOUNDED:
        used = np.flatnonzero(active.ray)
        rows, weights = active.ray_rows[used], active.ray[used]
    else:
        k = int(active.numbers[0])
        rows, weights = active.rows[:k], active.a[:k]
    return Outcome(status, active.w.copy(), float(active.values[0]), pool[rows], weights.copy())

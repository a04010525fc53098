"""An active-set method for the quadratic programs of the widest gap and of the smallest enclosing ball.

    maximise  D(a) = <q, a> - ||sum_i a_i r_i||^2 / 2     over  a >= 0,  and sum_i a_i e_i = t where that is asked

with r_i = e_i x_i (e_i is -1 or +1; rows of the augmented problem have e_i times a constant, the lift, as one more
coordinate). Its dual asks for the least ||w||^2 / 2 + t b with e_i (<w, x_i> + b) >= q_i, and w = sum_i a_i r_i.

The rows with a_i > 0 are kept linearly independent, with a factor of their matrix (`row_factor`). Rows that are
violated come in; the equations on the rows at hand are solved; where that takes an a_i below zero, the step ends at
zero and the row leaves. A row that depends on those at hand replaces one of them, or shows that D has no maximum: then
these rows, with positive weights, sum to zero. D never falls, so the method ends. References: Wolfe (1976); Lawson and
Hanson (1974), chapter 23; Goldfarb and Idnani (1983).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.protocols import Vector
from empirisk.separation.active_set.row_factor import append, clear, remove, solve, square

RUNNING, SOLVED, UNBOUNDED, FULL, STALLED = range(5)
MOST_BASIS = 1 << 22  # entries of Q
AT_ONCE = 16  # rows that may come in before the equations are solved again
NO_ROWS, NO_WEIGHTS = np.empty(0, np.int64), np.empty(0)
STALLS = 20  # row changes without a gain of D that are taken for rounding


class Program(NamedTuple):
    """What is maximised: signs e, levels q, the lift, and whether sum a_i e_i is fixed, at `total`."""

    signs: Vector
    levels: Vector
    lift: float
    is_fixed: bool
    total: float


class Active(NamedTuple):
    """The state: the first `numbers[0]` entries count. Arrays are updated in place."""

    rows: NDArray[np.int64]
    place: NDArray[np.int64]  # of each row among them; -1
    a: Vector
    factor: NDArray[np.float64]  # L
    basis: NDArray[np.float64]  # Q; no lines where there would be too many entries
    w: Vector
    numbers: NDArray[np.int64]  # rows at hand, stalls
    values: Vector  # b, D
    ray_rows: NDArray[np.int64]  # of an unbounded program; `ray` has their weights, zero behind the last
    ray: Vector


def empty_active(n_rows: int, n_columns: int, most: int) -> Active:
    """No row at hand; there can be as many as are independent, and `most`."""
    capacity = min(n_rows, n_columns + 1, most) + 1  # one more, to try a row that depends on the others
    return Active(
        rows=np.zeros(capacity, np.int64),
        place=np.full(n_rows, -1, np.int64),
        a=np.zeros(capacity),
        factor=np.zeros((capacity, capacity)),
        basis=np.zeros((capacity if capacity * (n_columns + 1) <= MOST_BASIS else 0, n_columns + 1)),
        w=np.zeros(n_columns),
        numbers=np.zeros(2, np.int64),
        values=np.array([0.0, -math.inf]),
        ray_rows=np.zeros(capacity, np.int64),
        ray=np.zeros(capacity),
    )


def start(X: Any, program: Program, active: Active, rows: NDArray[np.int64], a: Vector) -> int:
    """Begin at this feasible point, with those of its rows that are independent of the ones before; how it ended."""
    return int(_run(X, *program, *active, rows, a, math.inf, 0))


def ascend(X: Any, program: Program, active: Active, slack: float, rounds: int) -> int:
    """Up to so many rounds of changes, until no row is violated by more than `slack`; how it ended."""
    return int(_run(X, *program, *active, NO_ROWS, NO_WEIGHTS, slack, rounds))


@kernel
def _run(
    X, e, q, lift, is_fixed, total, rows, place, a, L, Q, w, numbers, values, ray_rows, ray, first, given, slack, rounds
):
    """One kernel for both, because each copy of what it calls takes seconds to compile."""
    capacity = a.size
    work, trial = np.zeros(w.size), np.zeros(w.size)
    line, fix, target = np.zeros(capacity), np.zeros(capacity), np.zeros(capacity)
    chosen, worst = np.zeros(AT_ONCE, np.int64), np.zeros(AT_ONCE)
    is_start = first.size > 0
    for _ in range(rounds + is_start):
        found = first.size if is_start else _most_violated(X, e, q, w, values[0], place, slack, chosen, worst)
        if found == 0:
            return SOLVED
        for c in range(found):
            i, k = first[c] if is_start else chosen[c], numbers[0]
            if k == capacity:
                return FULL
            if append(X, e, lift, rows, k, L, Q, i, work, line, fix):
                _enter(rows, place, a, numbers, i, given[c] if is_start else 0.0)
                continue
            leaving = _exchange(a, line, k)
            if leaving < 0:
                _write_ray(rows, line, k, i, ray_rows, ray)
                return UNBOUNDED
            if is_start:
                continue
            if c == 0:  # else the solution on the rows at hand comes first: to gain along a dependence needs it
                share = a[leaving] / line[leaving]
                for j in range(k):
                    a[j] = max(0.0, a[j] - share * line[j])
                remove(rows, place, a, L, Q, numbers, leaving)
                if not append(X, e, lift, rows, k - 1, L, Q, i, work, line, fix):
                    return STALLED
                _enter(rows, place, a, numbers, i, share)
            break
        is_start = False
        if not _settle(
            X, e, q, lift, is_fixed, total, rows, place, a, L, Q, w, numbers, values, target, trial, line, fix
        ):
            return STALLED
        if numbers[1] > STALLS:
            return STALLED
    return RUNNING


@kernel
def _enter(rows, place, a, numbers, i, value):
    k = numbers[0]
    rows[k] = i
    place[i] = k
    a[k] = value
    numbers[0] = k + 1


@kernel
def _write_ray(rows, line, k, i, ray_rows, ray):
    """Row i and its coefficients by the others, all negative or zero: with their sizes as weights these sum to zero."""
    ray_rows[0] = i
    clear(ray, ray.size)
    ray[0] = 1.0
    for j in range(k):
        ray_rows[j + 1] = rows[j]
        ray[j + 1] = -line[j]


@kernel
def _most_violated(X, e, q, w, b, place, slack, chosen, worst):
    """The rows with the largest q_i - e_i (<w, x_i> + b) above the slack, the largest first."""
    found = 0
    for i in range(e.size):
        if place[i] >= 0:
            continue
        short = q[i] - e[i] * (X.dot_row(i, w) + b)
        if short <= slack or (found == AT_ONCE and short <= worst[found - 1]):
            continue
        at = min(found, AT_ONCE - 1)
        while at > 0 and worst[at - 1] < short:
            worst[at] = worst[at - 1]
            chosen[at] = chosen[at - 1]
            at -= 1
        worst[at] = short
        chosen[at] = i
        found = min(found + 1, AT_ONCE)
    return found


@kernel
def _exchange(a, line, k):
    """The row that reaches zero first when the new one takes its share; -1 where none does."""
    leaving = -1
    least = np.inf
    for j in range(k):
        if line[j] > 0.0 and a[j] < least * line[j]:
            least = a[j] / line[j]
            leaving = j
    return leaving


@kernel
def _settle(X, e, q, lift, is_fixed, total, rows, place, a, L, Q, w, numbers, values, target, trial, line, fix):
    """Solve the equations on the rows at hand; rows that reach zero on the way leave."""
    while True:
        k = numbers[0]
        b = solve(X, e, q, lift, is_fixed, total, rows, k, L, Q, target, trial, line, fix)
        step, blocking = 1.0, -1
        for j in range(k):
            if target[j] <= 0.0:
                share = a[j] / (a[j] - target[j]) if a[j] > target[j] else 0.0
                if share < step or blocking < 0:
                    step, blocking = share, j
        if blocking < 0:
            value = -0.5 * square(trial, trial.size)
            for j in range(k):
                a[j] = target[j]
                value += q[rows[j]] * a[j]
            if not is_fixed:
                value -= 0.5 * b * b / (lift * lift) if lift > 0.0 else 0.0
            if not np.isfinite(value):
                return False
            for j in range(w.size):
                w[j] = trial[j]
            numbers[1] = 0 if value > values[1] else numbers[1] + 1
            values[0] = b
            values[1] = max(value, values[1])
            return True
        for j in range(k - 1, -1, -1):
            a[j] += step * (target[j] - a[j])
            if j == blocking or (target[j] <= 0.0 and a[j] <= 0.0):
                remove(rows, place, a, L, Q, numbers, j)
        if numbers[0] == 0:
            return False

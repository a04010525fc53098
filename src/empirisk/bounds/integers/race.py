"""One search order: rounded planes of the l1 path race, and the best goes on until no move makes its risk less.

After some moves those with the least guaranteed risk go on, and at last one of them goes on until no weight makes it
less; then some of its weights are drawn anew, and it goes on from there, while entries may be read.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from empirisk.bounds.integers.code import (
    LIMITS,
    IntegerPlane,
    length_of,
    scales_of,
    words_for_intercept,
    words_for_scales,
)
from empirisk.bounds.integers.search import bits_of, descend
from empirisk.bounds.integers.starts import Start, rounded
from empirisk.bounds.tails import binomial_upper
from empirisk.designs import CSR, Dense, matrix_of, rows_of
from empirisk.problems.passes import scores_of
from empirisk.protocols import Vector
from empirisk.separation.points import Points

RANKED_ROWS = 5_000  # by which starts are ranked
RACERS = 2  # starts for each limit and scaling
FINALISTS = 3
KICKS, KICKED = 40, 3  # times that weights are drawn anew, and how many of them
MOST_BITS = 62  # of an intercept


class Task(NamedTuple):
    """What the orders share."""

    points: Points
    columns: Dense | CSR  # of X, as rows
    usable: NDArray[np.int64]  # columns that are not constant
    scales: NDArray[np.int64]  # exponents by which columns spread alike
    log_delta: float
    budget: int  # entries that an order may read


class Racer(NamedTuple):
    """A plane on its way: values and scores change in place."""

    limit: int
    values: NDArray[np.int64]
    exponents: NDArray[np.int64]
    intercept: int
    scores: Vector
    risk: float
    errors: int

    def plane(self) -> IntegerPlane:
        """Where it is now."""
        used = np.flatnonzero(self.values)
        return IntegerPlane(self.values.size, used, self.values[used], self.exponents[used], self.intercept).shortest()


class _Lengths(NamedTuple):
    """What words cost while limit and scales are what they are."""

    by_count: Vector
    by_bits: Vector
    fixed: float


def race(task: Task, planes: list[tuple[Vector, float]], rng: np.random.Generator) -> Racer:
    """The plane that wins; `planes` are weights of the columns times 2^scales, and intercepts."""
    n = task.points.n_rows
    order = rng.permutation(task.usable)
    numbers = np.sort(rng.permutation(n)[:RANKED_ROWS])
    racers = [_moved(task, _racer(task, start), order, 0)[0] for start in _ranked(task, planes, numbers)]
    left = task.budget
    for keep, share in ((FINALISTS, 3), (1, 3)):
        each = left // (share * len(racers))
        for at, racer in enumerate(racers):
            racers[at], read = _moved(task, racer, order, each)
            left -= read
        racers = sorted(racers, key=lambda racer: racer.risk)[:keep]
    best, read = _moved(task, racers[0], order, left)
    for _ in range(KICKS):
        left -= read
        if left <= 0 or task.usable.size == 0:
            break
        kicked, read = _moved(task, _kicked(task, best, rng), order, left)
        best = min(best, kicked, key=lambda racer: racer.risk)
    return best


def _moved(task: Task, racer: Racer, order: NDArray[np.int64], budget: int) -> tuple[Racer, int]:
    """After `descend`, and the entries that it read."""
    lengths = _lengths(task, racer)
    c, risk, errors, read = descend(
        *(task.columns, task.points.y, order, np.ldexp(1.0, racer.exponents), racer.limit),
        *(lengths.by_count, lengths.by_bits, task.log_delta - lengths.fixed),
        *(racer.values, racer.intercept, task.points.fit_intercept, racer.scores, budget),
    )
    return racer._replace(intercept=int(c), risk=float(risk), errors=int(errors)), int(read)


def _racer(task: Task, start: Start) -> Racer:
    scores = scores_of(task.points.design, np.ldexp(start.values.astype(np.float64), start.exponents), start.intercept)
    return Racer(start.limit, start.values.copy(), start.exponents, start.intercept, scores, 1.0, task.points.n_rows)


def _kicked(task: Task, racer: Racer, rng: np.random.Generator) -> Racer:
    """Some weights drawn anew, half of them among those that are not zero."""
    values = racer.values.copy()
    used = np.flatnonzero(values)
    for turn in range(KICKED):
        among = used if turn % 2 == 0 and used.size else task.usable
        values[rng.choice(among)] = rng.integers(-racer.limit, racer.limit, endpoint=True)
    return _racer(task, Start(racer.limit, values, racer.exponents, racer.intercept))


def _ranked(task: Task, planes: list[tuple[Vector, float]], numbers: NDArray[np.int64]) -> Iterator[Start]:
    """The best starts of each limit and scaling on these rows, and the plane that always says the same."""
    y, n = task.points.y, task.points.n_rows
    is_free, d = task.points.fit_intercept, task.scales.size
    larger = 0 if not is_free or np.count_nonzero(y > 0.0) * 2 >= n else -1
    yield Start(1, np.zeros(d, dtype=np.int64), np.zeros(d, dtype=np.int64), larger)
    used = np.flatnonzero(np.any([w != 0.0 for w, _ in planes], axis=0)) if planes else np.zeros(0, dtype=np.int64)
    sample = matrix_of(rows_of(task.points.design, numbers))[:, used]
    labels = y[numbers]
    # Columns of about one scale need no exponents of their own; others pay for them.
    common = np.full(d, int(np.median(task.scales[task.usable])) if task.usable.size else 0, dtype=np.int64)
    for exponents in [common] if np.array_equal(common[used], task.scales[used]) else [common, task.scales]:
        for limit in LIMITS:
            starts = [start for w, b in planes for start in rounded(w, b, limit, task.scales, exponents)]
            if not starts:
                continue
            weights = np.array(
                [np.ldexp(start.values[used].astype(np.float64), start.exponents[used]) for start in starts]
            )
            scores = np.asarray(sample @ weights.T) + np.array([start.intercept for start in starts])
            wrong = np.count_nonzero((scores >= 0.0) != (labels > 0.0)[:, None], axis=0)
            risks = [_risk(task, s, round(k * n / labels.size)) for s, k in zip(starts, wrong.tolist(), strict=True)]
            seen: set[bytes] = set()
            for at in np.argsort(risks, kind="stable").tolist():
                words = starts[at].values.tobytes()
                if words not in seen and len(seen) < RACERS:
                    seen.add(words)
                    yield starts[at]


def _risk(task: Task, start: Start, errors: int) -> float:
    lengths = _lengths(task, start)
    length = (
        lengths.by_count[np.count_nonzero(start.values)] + lengths.by_bits[bits_of(start.intercept)] + lengths.fixed
    )
    return binomial_upper(errors, task.points.n_rows, task.log_delta - length)


def _lengths(task: Task, plane: Start | Racer) -> _Lengths:
    return _lengths_of(plane.values.size, plane.limit, *scales_of(plane.exponents[task.usable]))


@functools.lru_cache(maxsize=16)
def _lengths_of(d: int, limit: int, shift: int, spread: int) -> _Lengths:
    """To rounding; what is certified is computed from integers."""
    s = np.arange(d + 1)
    chosen = gammaln(d + 1.0) - gammaln(s + 1.0) - gammaln(d - s + 1.0)
    by_count = chosen + math.log(2.0) * np.maximum(np.frexp(s.astype(np.float64))[1] - 1, 0)
    by_count += s * math.log(2 * limit * 2**spread)
    by_bits = np.array([length_of(words_for_intercept(2**bits // 2)) for bits in range(MOST_BITS + 1)])
    fixed = length_of(len(LIMITS) * (d.bit_length() + 1) * words_for_scales(shift, spread, 0))
    return _Lengths(by_count, by_bits, fixed)

"""The proof of the mistake bound, watched on a run: three inequalities at every step.

After steps with m_1, m_2, ... wrong points each, M = sum m_t, Q = sum m_t^2, each of length a (1 online, 1/n in the
batch form), a plane w* with <w*, z_i> >= 1 for all i, and R = max_i ||z_i||:

    <w*, w> >= <w*, w_0> + a M          each step adds a m_t at least
    ||w||^2 <= ||w_0||^2 + a^2 Q R^2    a wrong point has <w, z> <= 0, so the squares add up at most
    cos(w*, w) >= (<w*, w_0> + a M) / (||w*|| sqrt(||w_0||^2 + a^2 Q R^2))    once <w*, w_0> + a M >= 0

Online from zero these are t, t R^2 and sqrt(t) / (R ||w*||) after t mistakes, and a cosine is at most 1.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import UNIT
from empirisk.compiled import kernel

GROWTH = 1.2  # a line is kept whenever the mistakes have grown by this factor
MOST_LINES = 256  # enough for 2^63 mistakes
MOST_SQUARE = 1e280
N_COLUMNS = 5  # visits, M, Q, <w*, w>, ||w||^2
INNER, NORM, COSINE, N_LINES = range(4)  # places in `worst`


class Allowances(NamedTuple):
    """What rounding can do to the inequalities, relative to their right sides."""

    inner: float
    norm: float


class MistakeTrace(NamedTuple):
    """The noted steps of a run, and the least slack of each inequality over all steps, relative to its right side."""

    visits: NDArray[np.int64]
    mistakes: NDArray[np.int64]  # M
    squares: NDArray[np.int64]  # Q
    inner: NDArray[np.float64]  # <w*, w>
    squared_norm: NDArray[np.float64]  # ||w||^2
    least_inner: NDArray[np.float64]  # what the theorem promises
    largest_squared_norm: NDArray[np.float64]
    plane_norm: float
    worst_inner: float
    worst_norm: float
    worst_cosine: float
    allowances: Allowances

    @property
    def cosine(self) -> NDArray[np.float64]:
        """cos(w*, w) at the noted steps; zero where w is."""
        size = self.plane_norm * np.sqrt(self.squared_norm)
        return np.divide(self.inner, size, out=np.zeros(size.size), where=size > 0.0)

    @property
    def least_cosine(self) -> NDArray[np.float64]:
        """What the theorem promises: sqrt(t) / (R ||w*||) online from zero; -1 where it promises nothing yet."""
        size = self.plane_norm * np.sqrt(self.largest_squared_norm)
        return np.where(self.least_inner >= 0.0, self.least_inner / size, -1.0)

    @property
    def holds(self) -> bool:
        """Whether all three inequalities held at every step, up to rounding."""
        inner, norm = self.allowances
        return self.worst_inner >= -inner and self.worst_norm >= -norm and self.worst_cosine >= -(inner + norm)

    def sentence(self) -> str:
        """The verdict in words."""
        what = "held at every step" if self.holds else "did NOT hold at every step"
        inner, norm = self.allowances
        return (
            f"<w*, w> >= t, ||w||^2 <= t R^2 and cos(w*, w) >= sqrt(t) / (R B) {what} "
            f"(least slack {self.worst_inner:.2g}, {self.worst_norm:.2g}, {self.worst_cosine:.2g} of the right sides; "
            f"rounding {max(inner, norm):.1g})."
        )


@kernel
def note_step(watched, w, b, step, mistakes, squares, visit, inner, square):
    """Compare the three inequalities after a step, and note the step where the mistakes have grown enough."""
    worst, lines = watched.worst, watched.lines
    size = abs(watched.start_inner) + step * mistakes
    lower = watched.start_inner + step * mistakes
    upper = watched.start_square + step * step * squares * watched.radius * watched.radius
    worst[INNER] = min(worst[INNER], (inner - lower) / size)
    worst[NORM] = min(worst[NORM], (upper - square) / upper)
    if lower >= 0.0:
        worst[COSINE] = min(worst[COSINE], (inner - lower * np.sqrt(max(0.0, square) / upper)) / size)
    k = int(worst[N_LINES])
    if k < lines.shape[0] and (k == 0 or mistakes >= GROWTH * lines[k - 1, 1]):
        total = watched.intercept * b
        squares_of_w = b * b
        for j in range(w.size):
            total += watched.plane[j] * w[j]
            squares_of_w += w[j] * w[j]
        lines[k, 0] = visit
        lines[k, 1] = mistakes
        lines[k, 2] = squares
        lines[k, 3] = total
        lines[k, 4] = squares_of_w
        worst[N_LINES] = k + 1


def largest_square(counts: Any, step: float, radius: float, start_square: float) -> float:
    """||w_0||^2 + a^2 Q R^2, what ||w||^2 is at most."""
    return start_square + step * step * counts.squares * radius * radius


def is_measurable(counts: Any, step: float, radius: float, norm: float, start_square: float) -> bool:
    """Whether the squares of the inequalities neither overflow nor lose digits; `norm` is that of the plane."""
    upper, reach = largest_square(counts, step, radius, start_square), math.sqrt(MOST_SQUARE)
    is_moved = 1.0 / MOST_SQUARE < upper < MOST_SQUARE and 1.0 / reach < step * max(1, counts.mistakes) < reach
    return 1.0 / reach < norm < reach and (is_moved or (counts.mistakes == 0 and upper < MOST_SQUARE))


def allowances_of(
    counts: Any, step: float, columns: int, radius: float, norm: float, start_inner: float, start_square: float
) -> Allowances:
    """Bounds on what rounding can do, relative to the right sides, for a run that decided as `kernels` does.

    With u the unit roundoff, W bounding ||w|| on the way and k the columns: the weights as stored are off
    their exact sum by E <= u (steps W + a R Q), so a wrong point has <w, z> <= R (E + 2 (k + 4) u W) for that sum,
    and the squares grow by 2 a M times as much beyond a^2 Q R^2. W = 2 sqrt(||w_0||^2 + a^2 Q R^2) is a bound as
    long as that growth is below three of these squares.
    """
    mistakes, squares, steps = counts.mistakes, counts.squares, counts.steps
    if mistakes == 0:
        return Allowances(8.0 * UNIT * (columns + 4), 8.0 * UNIT * (columns + 4))
    upper = largest_square(counts, step, radius, start_square)
    width = 2.0 * math.sqrt(upper)
    off = 1.01 * UNIT * (steps * width + step * radius * squares)
    growth = 2.0 * step * mistakes * radius * (off + 2.0 * (columns + 4) * UNIT * width)
    if not growth <= 3.0 * upper:
        return Allowances(math.inf, math.inf)
    size = abs(start_inner) + step * mistakes
    inner = UNIT * ((columns + 4) * norm * radius + mistakes + 8) + (columns + 4) * UNIT * norm * width / size
    return Allowances(inner + norm * off / size, growth / upper + 8.0 * UNIT * (steps + columns + 8))

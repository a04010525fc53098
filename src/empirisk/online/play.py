"""The one kernel that plays: for every learner, loss and design."""

from __future__ import annotations

import math

from empirisk.arithmetic import add_compensated
from empirisk.compiled import kernel

# Places in the ledger's numbers. Losses are kept in two parts, as a compensated sum is.
ROUNDS, WEIGHT, WEIGHT_REST, LOSS, LOSS_REST, ERRORS, SQUARES, LARGEST, HEAVIEST = range(9)
N_NUMBERS = 9


@kernel(borrows=True)
def play(loss, state, X, y, weights, has_intercept, scores, numbers):
    """Rounds over these rows, one after the other; returns how many were played, fewer where a number overflowed.

    A row of weight zero is no round: it is answered, and nothing is learned.
    """
    for i in range(X.n_rows()):
        s = weights[i] if weights.size else 1.0
        z = state.predict(X, i, s)
        scores[i] = z
        if s == 0.0:
            continue
        value = s * loss.value(z, y[i])
        slope = s * loss.derivative(z, y[i])
        square = slope * slope * (X.squared_row_norm(i) + (1.0 if has_intercept else 0.0))
        if not (math.isfinite(numbers[LOSS] + value) and math.isfinite(numbers[SQUARES] + square)):
            return i
        enter(numbers, s, value, square, y[i] * z <= 0.0)
        state.update(loss, X, i, y[i], s, z, slope, square)
    return X.n_rows()


@kernel(borrows=True)
def enter(numbers, s, value, square, is_error):
    """A round of weight s into an account: what it cost, and ||g||^2."""
    numbers[ROUNDS] += 1.0
    numbers[WEIGHT], numbers[WEIGHT_REST] = add_compensated(numbers[WEIGHT], numbers[WEIGHT_REST], s)
    numbers[LOSS], numbers[LOSS_REST] = add_compensated(numbers[LOSS], numbers[LOSS_REST], value)
    numbers[ERRORS] += is_error
    numbers[SQUARES] += square
    numbers[LARGEST] = max(numbers[LARGEST], square)
    numbers[HEAVIEST] = max(numbers[HEAVIEST], s)

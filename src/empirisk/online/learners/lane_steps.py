"""The lanes of the mixture: normalized AdaGrad at several alphas and bettors at several eps, side by side in memory.

A column has one record: the largest |x_j| so far, the largest s L |x_j| and the first of these; then the weights and
the sums of squares of the normalized lanes; then weights, sums of slopes, sums of squares and gains of the bettors.
They are the learners of `normalized_adagrad` and `scale_free_betting`, and a row is read once for all of them.
"""

from __future__ import annotations

import math

from empirisk.compiled import kernel

ALPHAS = tuple(2.0**p for p in (-6, -4, -2, 0, 2, 4))
EPS = (0.1, 1.0, 10.0)
N_STEPS, N_BETS = len(ALPHAS), len(EPS)
N_LANES = N_STEPS + N_BETS
SIZE, STEEPEST, FIRST = range(3)
STEP_WEIGHTS = 3
STEP_SQUARES = STEP_WEIGHTS + N_STEPS
BET_WEIGHTS = STEP_SQUARES + N_STEPS
BET_SLOPES = BET_WEIGHTS + N_BETS
BET_SQUARES = BET_SLOPES + N_BETS
BET_GAINS = BET_SQUARES + N_BETS
WIDTH = BET_GAINS + N_BETS


@kernel
def look(row, x, steepest, scores):
    """Bring the lanes of a column up to the size of its entry, and add x w_j to the scores of all of them."""
    size = abs(x)
    if size > row[SIZE]:
        if row[SIZE] > 0.0:
            share = row[SIZE] / size
            for k in range(N_STEPS):
                row[STEP_WEIGHTS + k] *= share * share
        row[SIZE] = size
    if size * steepest > row[STEEPEST]:
        row[STEEPEST] = size * steepest
        if row[FIRST] == 0.0:
            row[FIRST] = row[STEEPEST]
        place_bets(row)
    for k in range(N_STEPS):
        scores[k] += x * row[STEP_WEIGHTS + k]
    for k in range(N_BETS):
        scores[N_STEPS + k] += x * row[BET_WEIGHTS + k]


@kernel
def learn_column(row, x, step, slopes):
    """The steps of all lanes of a column, where `step` is sqrt(K / N) / M_j."""
    for k in range(N_STEPS):
        g = slopes[k] * x
        row[STEP_SQUARES + k] += g * g
        if row[STEP_SQUARES + k] > 0.0:
            row[STEP_WEIGHTS + k] -= ALPHAS[k] * step * g / math.sqrt(row[STEP_SQUARES + k])
    for k in range(N_BETS):
        g = slopes[N_STEPS + k] * x
        row[BET_GAINS + k] -= g * row[BET_WEIGHTS + k]
        row[BET_SLOPES + k] += g
        row[BET_SQUARES + k] += g * g
    place_bets(row)


@kernel
def place_bets(row):
    """The weights of the bettors by what they know."""
    largest = row[STEEPEST] * row[STEEPEST]
    for k in range(N_BETS):
        root = math.sqrt(row[BET_SQUARES + k] + largest)
        if root > 0.0:
            theta = min(max(-row[BET_SLOPES + k] / root, -1.0), 1.0)
            row[BET_WEIGHTS + k] = theta * (EPS[k] + row[BET_GAINS + k]) / (2.0 * root)

"""Bounds from rows that the predictor had not seen: `test` of planes, `test_errors` and `test_losses` of anything."""

from __future__ import annotations

import math

import numpy as np

from empirisk.bounds.kinds.kind import INDEPENDENT, Arrays, Ingredients, Kind, Terms, register
from empirisk.bounds.labelled_rows import LabelledRows
from empirisk.bounds.losses import Losses, check_range
from empirisk.bounds.means import mean_by_betting, mean_by_kl
from empirisk.bounds.mistakes import mistakes
from empirisk.bounds.row_order import shuffled
from empirisk.bounds.tails import binomial_upper
from empirisk.bounds.tails.factorials import STEP
from empirisk.bounds.vc import log_of
from empirisk.parameters import check_positive

ASSUMPTION = f"{INDEPENDENT}, and the predictor was fixed before these rows were looked at"


def _test(rows: LabelledRows, delta: float, choices: Ingredients, evidence: Arrays) -> Terms:
    """B(k, n, delta): the largest p with P(Bin(n, p) <= k) >= delta. Reference: Langford (2005)."""
    k = int(np.count_nonzero(mistakes(rows, evidence["weights"], evidence["intercept"])))
    predictor = "the plane" if len(rows.classes) == 2 else "the planes"
    return _of_errors(k, rows.n_rows, delta, predictor)


def _test_errors(errors: Losses, delta: float, choices: Ingredients, evidence: Arrays) -> Terms:
    """The same of errors of any kind: 1 for a row, or a whole sequence, that is wrong, else 0."""
    is_other = (errors.values != 0.0) & (errors.values != 1.0)
    if np.any(is_other):
        at = int(np.argmax(is_other))
        raise ValueError(
            f"an error is 0 or 1, got {errors.values[at]} in row {at}, counted from 0; for losses there is "
            "the kind test_losses"
        )
    return _of_errors(int(np.count_nonzero(errors.values)), errors.n_rows, delta, "the predictor")


def _of_errors(k: int, n: int, delta: float, predictor: str) -> Terms:
    return Terms(binomial_upper(k, n, log_of(delta)), k / n, {"errors": k}, predictor, ASSUMPTION)


def _test_losses(losses: Losses, delta: float, choices: Ingredients, evidence: Arrays) -> Terms:
    """c times the least of `mean_by_kl` and `mean_by_betting` of the losses over c, at delta / 2 each."""
    c = check_positive("largest", choices["largest"])
    check_range(losses.values, c)
    shares = np.minimum(losses.values / c, 1.0)
    log_half = (log_of(delta) - math.log(2.0)) * (1.0 + 2.0 * STEP)
    by_kl = mean_by_kl(shares, log_half)
    by_betting = mean_by_betting(shares[shuffled(int(choices["seed"]), shares.size)], log_half)
    value = min(c, c * min(by_kl, by_betting) * (1.0 + 8.0 * STEP))
    found = {**choices, "by_kl": c * by_kl, "by_betting": c * by_betting}
    return Terms(value, math.fsum(losses.values.tolist()) / losses.n_rows, found, "the predictor", ASSUMPTION)


OF_LOSSES = {"largest": float, "seed": int, "by_kl": float, "by_betting": float}
register(Kind("test", LabelledRows, _test, {"errors": int}))
register(Kind("test_errors", Losses, _test_errors, {"errors": int}, arrays={}))
register(Kind("test_losses", Losses, _test_losses, OF_LOSSES, ("largest", "seed"), {}))

"""Progressive validation: the losses of a learner that predicts each row before it learns from it."""

from __future__ import annotations

import math

import numpy as np

from empirisk.bounds.kinds.kind import Arrays, Ingredients, Kind, Terms, register
from empirisk.bounds.losses import Losses, check_range
from empirisk.bounds.means import mean_of_risks
from empirisk.bounds.tails.factorials import STEP
from empirisk.bounds.vc import log_of
from empirisk.parameters import check_positive

ASSUMPTION = (
    "Each predictor was fixed before its row came, and the rows, and those to come, are draws from one distribution "
    "given all before; nothing is assumed of how the predictors depend on each other"
)


def _progressive(losses: Losses, delta: float, choices: Ingredients, evidence: Arrays) -> Terms:
    """c times `mean_of_risks` of the losses over c: about the predictor that draws one of the T. Blum et al. (1999)."""
    c = check_positive("largest", choices["largest"])
    check_range(losses.values, c)
    value = min(c, c * mean_of_risks(np.minimum(losses.values / c, 1.0), log_of(delta)) * (1.0 + 8.0 * STEP))
    mean = math.fsum(losses.values.tolist()) / losses.n_rows
    predictor = f"one of the {losses.n_rows} predictors of the run, drawn at random"
    return Terms(value, mean, {**choices, "rounds": losses.n_rows}, predictor, ASSUMPTION)


register(Kind("progressive", Losses, _progressive, {"largest": float, "rounds": int}, ("largest",), {}))

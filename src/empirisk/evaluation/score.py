"""score: a model on rows with labels."""

from __future__ import annotations

from typing import Any

from empirisk.evaluation.answers import answers_of
from empirisk.evaluation.judged import Score, judge
from empirisk.evaluation.measures import LEVEL
from empirisk.parameters import check_share


def score(model: Any, X: Any, y: Any, sample_weight: Any = None, *, level: float = LEVEL) -> Score:
    """How good a model is on the rows of X with the labels y: each number with an interval of this level.

    `model` is one that was read from a file or fitted here, or a fitted estimator; also a pipeline or a search of
    scikit-learn's. A row of weight zero is as if absent. Of rows of unequal weights the numbers are weighted means, and
    there are no intervals. Of several targets, y is n x T, and there is a score for each. docs/scoring.md has the
    formulas.
    """
    level = check_share("level", level)
    return judge(answers_of(model, X), y, sample_weight, level).score

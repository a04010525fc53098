"""Bounds on the future error of an online learner: progressive on the rows of its run, on others by testing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from empirisk.bounds.losses import Losses, losses_of
from empirisk.bounds.risk_bound import RiskBound, risk_bound
from empirisk.models.future_error.loss_bounds import NO_CLIP, SEED
from empirisk.online import replay
from empirisk.online.rows_met import RowsMet
from empirisk.online.run import Run
from empirisk.parameters import check_positive, check_share
from empirisk.protocols import Vector

Pairs = Sequence[tuple[Run, RowsMet]]  # a run with the rows as it sees them: one, or one for each of K classes


def run_bound(pairs: Pairs, is_regression: bool, kind: str, delta: float, clip: float | None) -> RiskBound:
    """On the rows of the run `progressive`, about one of its predictors drawn at random; it is played again.

    Rows that are not those of the run, in their order, may have had a part in it, which nothing tells: that they had
    none must be said, by asking for `test_errors` or, of a regression, `test_losses`.
    """
    delta = check_share("delta", delta)
    tested = "test_losses" if is_regression else "test_errors"
    if kind not in ("auto", "progressive", tested):
        raise ValueError(f"the kind {kind!r:.100} is not about a run; there are auto, progressive, {tested}")
    is_own = _are_of_the_runs(pairs)
    if kind == tested and is_own:
        raise ValueError("these are the rows of the run, and a test needs others")
    if kind != tested and not is_own:
        said = "these are not the rows of the run, all of them in their order, without weights"
        raise ValueError(f"{said}; for rows that had no part in it there is kind={tested!r}")
    losses = run_losses(pairs, is_regression, clip)
    if kind != tested:
        return risk_bound("progressive", losses, delta, {"largest": 1.0 if clip is None else float(clip)})
    return risk_bound(tested, losses, delta, {} if clip is None else {"largest": float(clip), "seed": SEED})


def run_losses(pairs: Pairs, is_regression: bool, clip: float | None) -> Losses:
    """Of rows of the runs, before each of them was learned; of others at the present point.

    Errors of a classifier, 0 or 1; of a regression losses, those above `clip` as `clip`.
    """
    if is_regression and clip is None:
        raise ValueError(NO_CLIP)
    if not is_regression and clip is not None:
        raise ValueError("clip is for the losses of a regression: a classifier is right or wrong")
    is_own = _are_of_the_runs(pairs)
    scores = [run.again().learn_rows(rows) if is_own else run.scores(rows.design) for run, rows in pairs]
    if clip is None:
        return losses_of(_errors(scores, [rows.labels for _, rows in pairs]))
    (run, rows), c = pairs[0], check_positive("clip", clip)
    return losses_of(np.minimum(replay.losses_of(run.game.loss, scores[0], rows), c))


def _are_of_the_runs(pairs: Pairs) -> bool:
    return all(run.n_rows == rows.n_rows and run.fingerprint == rows.fingerprint() for run, rows in pairs)


def _errors(scores: Sequence[Vector], labels: Sequence[Vector]) -> Vector:
    """1 where another class is predicted than the label, else 0."""
    if len(scores) == 1:
        is_wrong = (scores[0] >= 0.0) != (labels[0] > 0.0)
    else:
        is_wrong = np.argmax(np.column_stack(scores), axis=1) != np.argmax(np.column_stack(labels), axis=1)
    return is_wrong.astype(np.float64)

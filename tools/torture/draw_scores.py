"""Problems with several scores a row, drawn wide: softmax, one-versus-rest over every loss, and several targets."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import empirisk as er
from empirisk.capabilities import tasks_of
from empirisk.losses import LOSSES
from empirisk.problems.several_targets import SeveralTargets
from empirisk.vector_losses import OneVersusRest, Softmax
from tools.torture.draw import DEGREES, Case, dressed, entries, labels_of, stored
from tools.torture.formulas import FORMULAS

BASES = [name for name in sorted(FORMULAS) if "classification" in tasks_of(LOSSES[name]())]
TARGETS = [name for name in sorted(FORMULAS) if "regression" in tasks_of(LOSSES[name]())]
MOST_SCORES = 4


class ManyScores(NamedTuple):
    """What is minimised, as numbers; the fields are those of a `Case`, with classes or several targets for labels."""

    X: NDArray[np.float64]
    y: NDArray[Any]  # numbers of classes, or n x T targets
    loss: Any  # of one score, or Softmax
    options: dict[str, Any]
    unit: tuple[int, int, int]
    storage: str
    n_scores: int

    def problem(self) -> er.MulticlassRisk | SeveralTargets:
        """As a user would pose it."""
        X = stored(self.X, self.storage)
        if self.y.ndim == 2:
            return SeveralTargets(X, self.y, self.loss, n_threads=1, **self.options)
        loss = OneVersusRest(self.loss) if self.splits() else self.loss
        return er.MulticlassRisk(X, self.y, self.n_scores, loss, n_threads=1, **self.options)

    def splits(self) -> bool:
        """Whether it is a problem for each class, or target."""
        return not isinstance(self.loss, Softmax)

    def one(self, j: int) -> Case:
        """The problem of a class against the rest, or of a target; for softmax its data and strengths."""
        y = self.y[:, j] if self.y.ndim == 2 else np.where(self.y == j, 1.0, -1.0)
        loss = self.loss if self.splits() else LOSSES["logistic"]()
        return Case(self.X, y, loss, self.options, self.unit, self.storage)

    def kept_labels(self) -> NDArray[Any]:
        """Those of the rows that have a weight."""
        weights = self.options.get("sample_weight")
        return self.y if weights is None else self.y[weights > 0.0]


def draw_scores(seed: int) -> ManyScores | None:
    """A problem; None where its numbers are not finite floats."""
    rng = np.random.default_rng((seed, 3))
    kind = rng.choice(["softmax", "one_vs_rest", "one_vs_rest", "targets"])
    X, count = entries(rng), int(rng.integers(2, MOST_SCORES + 1))
    if kind == "targets":
        name = str(rng.choice(TARGETS))
        y: Any = np.column_stack([labels_of(rng, name, X) for _ in range(count)])
        one = dressed(rng, name, X, y, name in DEGREES)
        return None if one is None else ManyScores(*one, count)
    name = "logistic" if kind == "softmax" else str(rng.choice(BASES))
    y = rng.integers(0, count, size=len(X))
    one = dressed(rng, name, X, y, False)
    if one is None:
        return None
    case = ManyScores(*one._replace(y=y), count)
    if kind == "softmax":  # which takes l1 and l2 alone
        kept = {key: value for key, value in one.options.items() if key not in ("constraint", "regularizer")}
        case = case._replace(loss=Softmax(one.loss.scale), options=kept)
    return case

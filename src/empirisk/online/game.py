"""The game that a learner plays: a row is shown, it answers with a score, the label is shown, it pays and moves."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from empirisk.capabilities import missing, name_of, optional
from empirisk.compiled import adopt
from empirisk.constraints import as_constraint
from empirisk.losses import as_loss
from empirisk.problems.passes import penalty_at
from empirisk.problems.penalty_and_constraint import join
from empirisk.protocols import Unsupported, Vector
from empirisk.vector_losses import Softmax


class Columns(NamedTuple):
    """As much of the rows as is known before the first."""

    n_columns: int
    is_in_memory: bool = True


class Game(NamedTuple):
    """What a round costs: s loss(z, y) + Omega(w), Omega penalty and constraint as one function.

    The penalty is not weighted: then the bounds hold for any weights, and coordinates that no row touches have closed
    forms.
    """

    loss: Any
    regularizer: Any  # Omega
    fit_intercept: bool
    n_columns: int
    l1: float  # that Omega is made of
    l2: float
    constraint: Any  # the same, or None

    @property
    def rows(self) -> Columns:
        """What conditions on the data ask."""
        return Columns(self.n_columns)

    def with_columns(self, n_columns: int) -> Game:
        """The same game on more columns."""
        omega = join(self.l1, self.l2, None, self.constraint, n_columns)
        return self._replace(n_columns=n_columns, regularizer=omega)

    def charge(self, w: Vector) -> float:
        """Omega(w), where w may have many entries."""
        return 0.0 if self.is_free else float(penalty_at(self.regularizer, w))

    @property
    def is_free(self) -> bool:
        """Whether Omega is zero everywhere."""
        return self.l1 == self.l2 == 0.0 and self.constraint is None

    @property
    def diameter(self) -> float:
        """Of the set of all (w, b): infinite without a bounded constraint, and with an intercept, which is free."""
        if self.constraint is None or self.fit_intercept:
            return math.inf
        return float(self.constraint.diameter(self.n_columns))

    @property
    def width(self) -> float:
        """Of the set, along the coordinate where it is largest."""
        return math.inf if self.constraint is None or self.fit_intercept else float(self.constraint.coordinate_width())


def game_of(
    loss: Any, l1: float, l2: float, constraint: Any, fit_intercept: bool, n_columns: int, task: str | None = None
) -> Game:
    """The game of these parts; refuses those that do not go together."""
    check_one_score(loss)
    loss, constraint = as_loss(loss, task), as_constraint(constraint)
    omega = join(l1, l2, None, constraint, n_columns)
    adopt(loss, omega)
    return Game(loss, omega, bool(fit_intercept), n_columns, float(l1), float(l2), constraint)


def check_one_score(loss: Any) -> None:
    """Refuse the loss of several scores together."""
    if isinstance(loss, Softmax) or (isinstance(loss, str) and loss.partition(":")[0] == "softmax"):
        said = "no online learner takes the softmax loss: three classes or more are learned one against the rest"
        raise Unsupported(f"{said}, each with a loss of one score such as 'logistic'")


def check_learner(learner: Any, game: Game) -> None:
    """Refuse a learner that cannot play, with the sentences that say why."""
    said = reasons_against(learner, game)
    if said:
        raise Unsupported(f"{name_of(learner)} {'; '.join(said)}")


def reasons_against(learner: Any, game: Game) -> list[str]:
    """What the game lacks for this learner: of its needs, and by its own word where it has more to say."""
    own = optional(learner, "refuses")
    return [*missing(learner, game), *(own(game) if own is not None else [])]

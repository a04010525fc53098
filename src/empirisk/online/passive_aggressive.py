"""The mistake bounds of the passive-aggressive learners, which are implicit descent on the hinge and its square."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.designs import matrix_of
from empirisk.driver import minimize
from empirisk.losses import Hinge, SquaredHinge
from empirisk.online.learners.implicit_descent import ImplicitDescent
from empirisk.online.regret import OTHER_ROWS
from empirisk.online.rows_met import rows_met
from empirisk.online.run import Run
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint, point_like
from empirisk.problems.passes import scores_of
from empirisk.protocols import Unsupported

ROUNDING = 2.0**-40


class AggressiveBound(NamedTuple):
    """What a passive-aggressive learner got wrong, and the most that its theorem allows, from what u gets wrong.

    With t = C and R^2 the largest ||x||^2, the intercept's 1 included:
    PA-I, the hinge: mistakes <= max(R^2, 1 / C) (||u - w_1||^2 + 2 C sum hinge_k(u));
    PA-II, its square: sum hinge_k^2 <= (R^2 + 1 / (2 C)) (||u - w_1||^2 + 2 C sum hinge_k(u)^2).
    Reference: Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006), theorems 4 and 5.
    """

    is_squared: bool  # PA-II
    found: float  # the mistakes; for PA-II the sum of hinge_k^2
    bound: float
    point: LinearPoint  # u

    @property
    def holds(self) -> bool:
        """Whether no more was found than is allowed, up to rounding."""
        return self.found <= self.bound * (1.0 + ROUNDING)

    def sentence(self) -> str:
        """The claim in words."""
        if self.is_squared:
            return f"PA-II: the squared hinge losses add up to {self.found:.6g}, at most {self.bound:.6g}."
        return f"PA-I: {self.found:.0f} mistakes, at most {self.bound:.6g}."


def passive_aggressive(run: Run, X: Any, y: Any, point: Any = None) -> AggressiveBound:
    """The mistake bound of a run of `implicit_descent` at u, a pair (weights, intercept).

    Unless it is given, u is about the best there is: the minimiser of ||w||^2 + 2 C sum loss_k(w). X and y are the rows
    of the run, whose weights must be one.
    """
    loss, ledger = run.game.loss, run.ledger
    if not isinstance(run.learner, ImplicitDescent) or not isinstance(loss, (Hinge, SquaredHinge)):
        raise Unsupported("the mistake bounds are those of implicit_descent with the loss hinge or squared_hinge")
    if ledger.weight != ledger.rounds or ledger.heaviest > 1.0 or ledger.rounds == 0:
        raise Unsupported("the mistake bounds are for one row or more, of weight one")
    rows = rows_met(X, y, None, loss)
    if rows.fingerprint() != run.fingerprint:
        raise ValueError(OTHER_ROWS)
    cost, table = run.learner.t * loss.scale, matrix_of(rows.design)
    if point is None:
        strength = 1.0 / (run.learner.t * rows.n_rows)
        found = minimize(EmpiricalRisk(table, rows.labels, loss, l2=strength, fit_intercept=run.game.fit_intercept))
        u = LinearPoint(found.point.weights, float(found.point.intercept))
    else:
        u = point_like(run.first, point, run.game.fit_intercept)
    is_squared = isinstance(loss, SquaredHinge)
    slack = np.maximum(0.0, 1.0 - rows.labels * scores_of(rows.design, u.weights, float(u.intercept)))
    squares = np.asarray((table * table).sum(axis=1), dtype=np.float64) + (1.0 if run.game.fit_intercept else 0.0)
    largest = float(squares.max())
    spent = run.met().distance(u) ** 2 + 2.0 * cost * math.fsum(slack**2 if is_squared else slack)
    if is_squared:
        return AggressiveBound(True, ledger.loss / loss.scale, (largest + 0.5 / cost) * spent, u)
    return AggressiveBound(False, float(ledger.errors), max(largest, 1.0 / cost) * spent, u)

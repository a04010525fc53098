"""Regret: what a run paid beyond the best fixed point in hindsight, which is searched for and certified here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np

from empirisk.certificates.duality_gap import DualityGap, duality_gap
from empirisk.constraints import as_constraint, constraint_text
from empirisk.driver import minimize
from empirisk.losses import loss_text
from empirisk.online.comparator import risk_in_hindsight
from empirisk.online.game import Game
from empirisk.online.learners import learner_text
from empirisk.online.learners.promise import Met, promised
from empirisk.online.ledger import Ledger
from empirisk.online.regret_bound import RegretBound
from empirisk.online.rows_met import RowsMet
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.solution import Trace

OTHER_ROWS = "these are not the rows of the run: give the same rows, labels and weights, in the order of the run"


class Playable(Protocol):
    """As much of a run as is asked for here."""

    learner: Any
    game: Game
    first: LinearPoint

    @property
    def fingerprint(self) -> str:
        """Of all rows so far."""

    @property
    def ledger(self) -> Ledger:
        """What was paid."""

    def met(self) -> Met:
        """What a bound sees of it."""

    def again(self) -> Any:
        """The same game from its beginning."""


class RegretAt(NamedTuple):
    """A point of the curve: after so many rounds, the interval of the regret, and the bound at the best point."""

    rounds: int
    least: float
    most: float
    bound: float


def regret_of(
    run: Playable, rows: RowsMet, *, against: Any = None, tol: float = 1e-6, start: LinearPoint | None = None
) -> RegretBound:
    """The certificate of the regret against the best point of the learner's own set, or of the set `against`.

    The search begins at `start`, where that is given: the best point of fewer rows, say.
    """
    if rows.fingerprint() != run.fingerprint:
        raise ValueError(OTHER_ROWS)
    if run.ledger.rounds == 0:
        raise ValueError("there is no regret before the first round")
    u, gap = _best_point(run, rows, against, tol, start)
    met = run.met()
    promises = promised(run.learner, met, u)
    first = run.first
    return RegretBound(
        learner=learner_text(run.learner),
        loss=loss_text(run.game.loss),
        l1=run.game.l1,
        l2=run.game.l2,
        constraint=_text(run.game.constraint),
        against=_text(run.game.constraint) if against is None else _text(against),
        fit_intercept=run.game.fit_intercept,
        rounds=met.ledger.rounds,
        weight=met.ledger.weight,
        cumulative_loss=met.ledger.loss,
        penalty=met.ledger.penalty,
        squares=met.ledger.squares,
        largest=met.ledger.largest,
        bound=promises.at.value,
        why=promises.at.why,
        over_set=promises.over_set,
        beforehand=promises.beforehand.value,
        void=promises.beforehand.why,
        intercept=float(u.intercept),
        first_intercept=float(first.intercept),
        gap=gap,
        n_rows=rows.n_rows,
        n_columns=rows.n_columns,
        fingerprint=run.fingerprint,
        weights=u.weights,
        first_weights=first.weights if np.any(first.stacked()) else np.empty(0),
    )


def regret_curve(
    run: Playable, rows: RowsMet, at: Iterable[int] | None = None, *, against: Any = None, tol: float = 1e-6
) -> list[RegretAt]:
    """The regret after these rounds, powers of two unless given: the game is played again, each prefix minimised."""
    if rows.fingerprint() != run.fingerprint:
        raise ValueError(OTHER_ROWS)
    again, curve, start = run.again(), [], None
    edges = _edges(rows, sorted(set(at)) if at is not None else None)
    for k, edge in edges:
        again.learn_rows(rows.part(edge, again.n_rows))
        prefix = rows.part(edge)
        u, gap = _best_point(again, prefix, against, tol, start)
        start = u
        met = again.met()
        least = met.ledger.total - met.ledger.weight * gap.objective
        most = least + met.ledger.weight * gap.gap
        curve.append(RegretAt(k, least, most, promised(again.learner, met, u).at.value))
    return curve


def _best_point(
    run: Playable, rows: RowsMet, against: Any, tol: float, start: LinearPoint | None
) -> tuple[LinearPoint, DualityGap]:
    """About the best point in hindsight, with the gap that it leaves; where there is no minimiser, a low one."""
    constraint = run.game.constraint if against is None else against
    ledger = run.ledger
    problem = risk_in_hindsight(run.game, rows, constraint, ledger)

    def is_known(trace: Trace) -> bool:
        """Whether the regret is, to the tolerance times what was paid: the best point may cost next to nothing."""
        return trace.checks[-1].gap * ledger.weight <= tol * ledger.total

    def searched(begin: LinearPoint | None) -> tuple[Any, DualityGap]:
        solution = minimize(problem, tol=tol, start=begin, callback=is_known)
        gap = solution.certificate
        if not isinstance(gap, DualityGap):
            gap = duality_gap(problem, solution.point).about(solution.point)
        return solution.point, gap

    if start is not None and not _cost(problem, problem.start(start)) <= _cost(problem, problem.zero()):
        start = None  # the best point of rows that a plane separates is far out, and costs much on one more
    point, gap = searched(start)
    if start is not None and not (gap.is_within(tol) or gap.gap * ledger.weight <= tol * ledger.total):
        point, gap = min(((point, gap), searched(None)), key=lambda found: found[1].gap)
    return LinearPoint(point.weights, float(point.intercept)), gap


def _cost(problem: EmpiricalRisk, point: LinearPoint) -> float:
    with np.errstate(all="ignore"):
        return duality_gap(problem, point).objective


def _edges(rows: RowsMet, rounds: list[int] | None) -> list[tuple[int, int]]:
    """Numbers of rounds, and of the rows up to them: rows of weight zero are none."""
    counted = np.cumsum(rows.weights > 0.0) if rows.weights.size else np.arange(1, rows.n_rows + 1)
    total = int(counted[-1])
    if rounds is None:
        rounds = [2**p for p in range(total.bit_length())]
        rounds += [total] if rounds[-1] != total else []
    wrong = [k for k in rounds if not 1 <= k <= total]
    if wrong:
        raise ValueError(f"rounds must be from 1 to {total}, got {wrong[0]}")
    return [(k, int(np.searchsorted(counted, k)) + 1) for k in rounds]


def _text(constraint: Any) -> str:
    found = as_constraint(constraint)
    return "" if found is None else constraint_text(found)

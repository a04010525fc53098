"""The certificate of a run: its regret against the best point in hindsight, beside the bound of its theorem."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import name_of
from empirisk.certificates.duality_gap import DualityGap
from empirisk.certificates.fields import (
    array_of,
    check_names,
    count_of,
    expect,
    fields_json,
    flag_of,
    number_of,
    numbers_json,
    text_of,
)
from empirisk.certificates.registry import register
from empirisk.certificates.verification import digest
from empirisk.constraints import as_constraint, constraint_text
from empirisk.losses import as_loss, loss_text
from empirisk.online.comparator import risk_in_hindsight
from empirisk.online.game import Game, check_learner, game_of
from empirisk.online.learners import as_learner, learner_text
from empirisk.online.learners.promise import promised
from empirisk.online.regret_trace import regret_trace
from empirisk.online.replay import replayed
from empirisk.online.rows_met import RowsMet, rows_met
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Headline, Point, Unsupported, Vector, Verification, Words

TEXTS = ("learner", "loss", "constraint", "against", "why", "void", "fingerprint")
NUMBERS = ("l1", "l2", "weight", "cumulative_loss", "penalty", "squares", "largest")
BOUNDS = ("bound", "over_set", "beforehand")  # nan where there is none
INTERCEPTS = ("intercept", "first_intercept")
COUNTS = ("rounds", "n_rows", "n_columns")
FIELDS = (*TEXTS, *NUMBERS, *BOUNDS, *INTERCEPTS, *COUNTS, "fit_intercept", "gap")
TO_READ = ("regret", "most")
ROUNDING = 2.0**-40  # of all the numbers of the inequality: what the rounding of a run may do to it
MOST_ROWS = 2**62
SAME, ELSEWHERE = 1e-12, 1e-6  # relative differences of losses: on the machine of the run, and on another


@register
class RegretBound(NamedTuple):
    """A learner paid `cumulative_loss` + `penalty` in K rounds, and so much more than the best fixed point.

    With S the sum of the weights and P the objective in hindsight (strengths K / S times those of a round), regret
    against u is sum_k (s_k loss_k(w_k) + Omega(w_k)) - S P(u); the DualityGap of u makes an interval of it for the best
    point. `bound` is the right side of the learner's theorem at u, from the sums that the run met; nan where it has
    none, and `why` says why. `over_set` is the same for the worst point of the learner's set, and `beforehand` what the
    theorem promised at u before the first round, from a G that was given; `void` says by what row that was made false.
    Reference: Zinkevich (2003); Shalev-Shwartz (2012).
    """

    learner: str
    loss: str
    l1: float
    l2: float
    constraint: str  # of the learner; empty for none
    against: str  # the set of comparators
    fit_intercept: bool
    rounds: int  # K
    weight: float  # S
    cumulative_loss: float
    penalty: float
    squares: float  # the sum of ||g_k||^2
    largest: float  # the largest ||g_k||
    bound: float
    why: str
    over_set: float
    beforehand: float
    void: str
    intercept: float  # of u
    first_intercept: float  # of w_1
    gap: DualityGap  # of u, as a minimiser of P
    n_rows: int
    n_columns: int
    fingerprint: str
    weights: Vector  # of u
    first_weights: Vector  # of w_1; empty where that is zero, intercept included

    @property
    def regret(self) -> float:
        """Against u: the least that it can be against the best point."""
        return self.cumulative_loss + self.penalty - self.weight * self.gap.objective

    @property
    def most(self) -> float:
        """The most that the regret against the best point can be."""
        return self.regret + self.weight * self.gap.gap

    @property
    def holds(self) -> bool:
        """Whether regret is within every bound, rounding allowed for; true where there is none."""
        return all(self._allows(bound, self.regret) for bound in (self.bound, self.over_set, self.beforehand))

    @property
    def subject(self) -> str:
        """The digest of u."""
        return digest(LinearPoint(self.weights, self.intercept))

    def sentence(self) -> str:
        """The claim in words."""
        which = f"the best point of {self.against}" if self.against else "the best point"
        count = f"{self.rounds} round{'s' * (self.rounds != 1)}"
        said = f"{count} cost {self.regret:.6g} to {self.most:.6g} more than {which} in hindsight"
        if math.isnan(self.bound):
            return f"{said}; no bound: {self.why}."
        said += f"; the theorem of {self.learner.partition(':')[0]} allows {self.bound:.6g}"
        if self.over_set > self.bound:
            said += f", at most {self.over_set:.6g} for any point of its set"
        if self.void:
            said += f"; what it promised beforehand is void, because {self.void}"
        return f"{said}, and promised {self.beforehand:.6g} beforehand." if self.beforehand > 0.0 else f"{said}."

    def words(self, tol: float) -> Words:
        """What the theorem says."""
        bound: float | str = "none" if math.isnan(self.bound) else self.bound
        return Words(
            meaning="A learner answers each row before it sees the label, and pays the loss of its answer. Regret is "
            "what it paid beyond the best fixed point, which nobody knows before the end. The theorem bounds it for "
            "every sequence of rows, whoever chose them.",
            headline=(
                Headline("Regret", self.regret, f"at most {self.most:.6g}, over {self.rounds} rounds"),
                Headline("Bound", bound, self.why or self._about_bound()),
            ),
            checked="the whole game, the sum of its losses, the best point's own gap and the inequality",
            shortfall=self._shortfall(tol),
        )

    def _about_bound(self) -> str:
        said = "the most that the theorem allows for these rows"
        if self.over_set > self.bound:
            said += f", {self.over_set:.6g} for any point of the set"
        return f"{said}; {self.beforehand:.6g} was promised beforehand" if self.beforehand > 0.0 else said

    def is_within(self, tol: float) -> bool:
        """Whether the inequality is true of these numbers, and best point or regret are known to the tolerance."""
        return not self._shortfall(tol)

    def _shortfall(self, tol: float) -> str:
        if not self.holds:
            return "the numbers contradict the theorem"
        paid = abs(self.cumulative_loss) + abs(self.penalty)
        if self.gap.is_within(tol) or self.weight * self.gap.gap <= tol * paid:
            return ""
        return f"the best point in hindsight is known to {self.gap.relative_gap:.2g}"

    def problem_of(self, X: Any, y: Any, sample_weight: Any = None) -> RowsMet:
        """The rows that it ran on."""
        return rows_met(X, y, sample_weight, as_loss(self.loss))

    def verify(self, problem: RowsMet, point: Point | None = None, *, trace: bool = False) -> Verification:
        """Play the game again, sum its losses exactly, check the gap of u and the inequality.

        With `trace` also the inequality that the proof has in every round: then a round costs all columns.
        """
        if point is not None and digest(point) != self.subject:
            return Verification(False, "The certificate speaks of another comparator than this one.")
        if not isinstance(problem, RowsMet):
            return Verification(False, f"The certificate speaks of a run over rows, not of {type(problem).__name__}.")
        for name, found in self._data_of(problem).items():
            if getattr(self, name) != found:
                said = f"its {name} is {getattr(self, name)}, not {found}"
                return Verification(False, f"The certificate speaks of other rows: {said}.")
        try:
            learner, game = as_learner(self.learner), self._game()
            check_learner(learner, game)
            self._check_texts(learner, game)
        except (ValueError, TypeError, Unsupported) as error:
            return Verification(False, f"There is no such game: {error}.")
        with np.errstate(all="ignore"):  # overflow is looked for, not warned of
            met = replayed(learner, game, self._first(), problem)
            if met is None:
                return Verification(False, "Played again, the game overflows.")
            verdict = self._judged(learner, met, problem)
            return self._traced(verdict, learner, game, problem) if trace and verdict.holds else verdict

    def _judged(self, learner: Any, met: Any, rows: RowsMet) -> Verification:
        """What a game played again says of the claim."""
        again = met.ledger
        pairs = {
            "rounds": (again.rounds, self.rounds),
            "weight": (again.weight, self.weight),
            "cumulative loss": (again.loss, self.cumulative_loss),
            "penalty": (again.penalty, self.penalty),
            "sum of squares": (again.squares, self.squares),
            "largest gradient": (again.largest, self.largest),
        }
        furthest = 0.0
        for name, (found, claimed) in pairs.items():
            apart = abs(found - claimed) / max(abs(found), abs(claimed), again.total, SAME)
            furthest = max(furthest, apart)
            if not apart <= ELSEWHERE:
                return Verification(False, f"Played again, the {name} is {found:.12g}, not {claimed:.12g}.")
        u = LinearPoint(self.weights, self.intercept)
        claimed_risk = again._replace(rounds=self.rounds, weight=self.weight)
        verdict = self.gap.verify(risk_in_hindsight(met.game, rows, self.against or None, claimed_risk), u)
        if not verdict.holds:
            return verdict._replace(sentence=f"The best point in hindsight fails: {verdict.sentence}")
        regret = again.total - self.weight * self.gap.objective
        (bound, why), over_set, (beforehand, void) = promised(learner, met, u)
        found = {"bound": bound, "over_set": over_set, "beforehand": beforehand}
        numbers = {"regret": regret, **{name: value for name, value in found.items() if not math.isnan(value)}}
        if (why, void) != (self.why, self.void):
            return Verification(False, "The bound is not what the theorem says of this run.", numbers)
        for name, value in found.items():
            claimed = getattr(self, name)
            if math.isnan(value) != math.isnan(claimed):
                return Verification(False, "The bound is not what the theorem says of this run.", numbers)
            if abs(value - claimed) > ELSEWHERE * max(abs(value), abs(claimed)):
                said = f"The theorem gives {value:.12g} for this run, not {claimed:.12g}."
                return Verification(False, said, numbers)
            if not self._allows(value, regret):
                return Verification(False, f"The regret {regret:.6g} exceeds the bound {value:.6g}.", numbers)
        said = f"Played again: regret {regret:.6g}"
        said += " (no bound)" if math.isnan(bound) else f" <= {bound:.6g}"
        if furthest > SAME:
            said += f"; the numbers differ by {furthest:.1g}, as they may on another machine"
        return Verification(True, f"{said}.", numbers)

    def _traced(self, verdict: Verification, learner: Any, game: Game, rows: RowsMet) -> Verification:
        """The verdict with what the rounds say, one by one."""
        try:
            trace = regret_trace(learner, game, self._first(), rows, LinearPoint(self.weights, self.intercept))
        except Unsupported as error:
            return verdict._replace(sentence=f"{verdict.sentence} Not round by round: {error}.")
        said = trace.sentence()
        return verdict._replace(holds=trace.holds, sentence=f"{verdict.sentence} {said[0].upper()}{said[1:]}.")

    def to_json(self) -> dict[str, Any]:
        """The game, the sums and the gap; the regret is there to be read."""
        plain = fields_json(self, (*TEXTS, *INTERCEPTS, *COUNTS, "fit_intercept"))
        return {
            "kind": name_of(self),
            **plain,
            **numbers_json(self, (*NUMBERS, *BOUNDS, *TO_READ)),
            "gap": self.gap.to_json(),
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """u, w_1, and the dual point of the gap."""
        inner = {f"gap.{name}": array for name, array in self.gap.arrays().items()}
        return {"weights": self.weights, "first_weights": self.first_weights, **inner}

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> RegretBound:
        """What `to_json` and `arrays` gave; refuses what does not fit together."""
        inner = {name.removeprefix("gap."): array for name, array in arrays.items() if name.startswith("gap.")}
        check_names(cls, data, (*FIELDS, *TO_READ), arrays, ("weights", "first_weights", *(f"gap.{x}" for x in inner)))
        numbers: dict[str, Any] = {name: number_of(data, name) for name in (*NUMBERS, *BOUNDS, *INTERCEPTS)}
        for name in (*INTERCEPTS, *NUMBERS):
            expect(math.isfinite(numbers[name]), name)
        fields: dict[str, Any] = {name: text_of(data, name) for name in TEXTS}
        fields |= {name: count_of(data, name, 1) for name in COUNTS}
        claim = cls(
            **fields,
            **numbers,
            fit_intercept=flag_of(data, "fit_intercept"),
            gap=DualityGap.from_json(data["gap"], inner),
            weights=array_of(arrays, "weights"),
            first_weights=array_of(arrays, "first_weights"),
        )
        expect(claim.rounds <= claim.n_rows <= MOST_ROWS, "rounds")
        expect(claim.weights.size == claim.n_columns and claim.first_weights.size in (0, claim.n_columns), "weights")
        expect(claim.first_weights.size > 0 or claim.first_intercept == 0.0, "first_weights")
        for name in BOUNDS:
            expect(not math.isinf(numbers[name]), name)
        expect(bool(claim.why) == math.isnan(claim.bound), "bound")
        expect(not claim.void or math.isnan(claim.beforehand), "beforehand")
        for name in TO_READ:
            expect(_same(number_of(data, name), getattr(claim, name)), name)
        return claim

    def _game(self) -> Game:
        return game_of(self.loss, self.l1, self.l2, self.constraint or None, self.fit_intercept, self.n_columns)

    def _check_texts(self, learner: Any, game: Game) -> None:
        """Refuse texts that say the same in another way, and sets that are none."""
        sets = {name: as_constraint(getattr(self, name) or None) for name in ("constraint", "against")}
        again = {name: "" if found is None else constraint_text(found) for name, found in sets.items()}
        again |= {"learner": learner_text(learner), "loss": loss_text(game.loss)}
        for name, text in again.items():
            if getattr(self, name) != text:
                raise ValueError(f"the {name} {getattr(self, name)!r} is written {text!r}")

    def _first(self) -> LinearPoint:
        weights = self.first_weights if self.first_weights.size else np.zeros(self.n_columns)
        return LinearPoint(weights, self.first_intercept)

    def _data_of(self, rows: RowsMet) -> dict[str, Any]:
        return {"n_rows": rows.n_rows, "n_columns": rows.n_columns, "fingerprint": rows.fingerprint()}

    def _allows(self, bound: float, regret: float) -> bool:
        """Whether such a bound allows such a regret, or is none; rounding is relative to all the numbers that meet."""
        paid = abs(self.cumulative_loss) + abs(self.penalty) + abs(self.weight * self.gap.objective)
        return math.isnan(bound) or regret <= bound + ROUNDING * (paid + abs(bound))


def _same(found: float, made: float) -> bool:
    return found == made or (math.isnan(found) and math.isnan(made))

"""The certificate of a perceptron's run: how many mistakes it made, beside the most that the data allow."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import UNIT
from empirisk.capabilities import name_of
from empirisk.certificates.fields import array_of, check_names, expect, fields_json
from empirisk.certificates.registry import register
from empirisk.certificates.verification import OTHER_POINT, digest
from empirisk.protocols import Headline, Point, Vector, Verification, Words
from empirisk.separation.data_claim import out_of, within
from empirisk.separation.found_plane import Endings
from empirisk.separation.perceptron_runs.answer import BATCH_FORMS, Answer
from empirisk.separation.perceptron_runs.bound_from_start import most_mistakes
from empirisk.separation.perceptron_runs.claimed_run import inconsistency, is_too_long, run_again
from empirisk.separation.perceptron_runs.mistake_trace import Allowances, allowances_of, largest_square
from empirisk.separation.perceptron_runs.run import Counts, Course, is_shuffled, visits_and_passes
from empirisk.separation.perceptron_runs.start_and_plane import inner_and_square, plane_norm
from empirisk.separation.perceptron_runs.status import PerceptronStatus
from empirisk.separation.plane import Separation
from empirisk.separation.points import Points, points_of

KINDS = {  # of the fields that JSON holds
    "form": str,
    "order": str,
    "step": float,
    "seed": int,
    "start_intercept": float,
    "visits": int,
    "mistakes": int,
    "squares": int,
    "steps": int,
    "errors": int,
    "subject": str,
}
ANSWERS = {"averaged": "the mean of its planes", "pocket": "the best plane that it saw"}  # of others, the last plane


@register
class MistakeBound(NamedTuple):
    """A run from (w_0, b_0) with steps of length a made M mistakes, and the theorem of Novikoff allows no more.

    For steps with m_t wrong points each, M = sum m_t, Q = sum m_t^2, points z_i with R = max_i ||z_i||, and B the least
    norm of a w* with <w*, z_i> >= 1 for all i:

        a M + <w*, w_0> <= B sqrt(||w_0||^2 + a^2 Q R^2)

    Online a = 1 and M = Q = t, the number of mistakes: t <= (R B)^2 from zero. Batch (a = 1/n) and gradient descent
    (a = alpha / n) from zero: M^2 / Q <= (R B)^2. `plane` proves R and B <= b_high.
    The run is the same on every machine, and so is what it answers with in each form: `subject` is the digest of that.
    What was asked of it is a plane with every point on its side: `errors` counts the points for which the answer is
    none. In the voted form that is the last plane, one of those that vote: votes are not decided beyond rounding.
    Reference: Novikoff (1962); Block (1962).
    """

    form: str
    order: str
    step: float  # a
    seed: int
    start_weights: Vector  # empty for zero
    start_intercept: float
    visits: int
    mistakes: int  # M
    squares: int  # Q
    steps: int
    errors: int  # points that the plane of the answer has on the wrong side, or on it
    plane: Separation
    subject: str  # digest of the plane, or the planes that vote, that the form answers with

    @property
    def is_batch(self) -> bool:
        """Whether all wrong points count at once."""
        return self.form in BATCH_FORMS

    @property
    def radius(self) -> float:
        """R, rounded up."""
        return self.plane.radius

    @property
    def n_columns(self) -> int:
        """Of the data that it speaks of."""
        return self.plane.n_columns

    @property
    def b_low(self) -> float:
        """The lower end of the interval for B."""
        return self.plane.b_low

    @property
    def b_high(self) -> float:
        """The upper end of the interval for B, which the bound is made of."""
        return self.plane.b_high

    @property
    def is_from_zero(self) -> bool:
        """Whether the run began at zero."""
        return not (np.any(self.start_weights) or self.start_intercept)

    @property
    def counts(self) -> Counts:
        """What the run did."""
        return Counts(self.visits, self.mistakes, self.squares, self.steps)

    @property
    def counted(self) -> float:
        """What `bound` bounds: the mistakes; from zero in the batch form M^2 / Q."""
        if self.is_batch and self.is_from_zero:
            return self.mistakes**2 / self.squares if self.squares else 0.0
        return float(self.mistakes)

    @property
    def bound(self) -> float:
        """(R B)^2 from zero; else the most mistakes that the inequality leaves room for (batch: at this Q).

        The latter allows for the rounding of the run.
        """
        if not self.is_from_zero:
            return self._most_from_start()
        product = _up(self.radius * self.b_high)
        return _up(product * product)

    @property
    def allowances(self) -> Allowances:
        """What rounding during the run can do to the two sides, relative to their sizes."""
        norm = max(self.b_high, plane_norm(self.plane))
        return allowances_of(self.counts, self.step, self.plane.n_columns + 1, self.radius, norm, *self._start())

    @property
    def left(self) -> float:
        """a M + <w*, w_0>."""
        return self.step * self.mistakes + self._start()[0]

    @property
    def right(self) -> float:
        """B sqrt(||w_0||^2 + a^2 Q R^2)."""
        return self.b_high * math.sqrt(largest_square(self.counts, self.step, self.radius, self._start()[1]))

    @property
    def holds(self) -> bool:
        """Whether the inequality is true of these numbers, rounding of the run allowed for."""
        if not self.is_from_zero:
            return self.counted <= self.bound
        inner, norm = self.allowances
        size = abs(self._start()[0]) + self.step * self.mistakes
        return self.left <= self.right * math.sqrt(1.0 + norm) * (1.0 + 16 * UNIT) + inner * size

    def sentence(self) -> str:
        """The claim in words."""
        what = f"{self.mistakes} mistakes in {visits_and_passes(self.visits, self.plane.n_rows)}"
        parts = f"R <= {self.radius:.6g}, {self.b_low:.6g} <= B <= {self.b_high:.6g}"
        if self.is_batch and self.is_from_zero:
            ratio = f"(sum m_t)^2 / sum m_t^2 = {self.counted:.6g}"
            return f"{what}, {self.steps} steps: {ratio}, at most (R B)^2 = {self.bound:.6g} ({parts})."
        if self.is_from_zero:
            return f"{what}: at most (R B)^2 = {self.bound:.6g} ({parts})."
        return f"{what} from w_0: at most {self.bound:.6g} by t + <w*, w_0> <= B sqrt(||w_0||^2 + t R^2) ({parts})."

    def words(self, tol: float) -> Words:
        """What the theorem says."""
        return Words(
            meaning="A perceptron changes its plane only when it is wrong about a point. If some plane separates the "
            "points, it cannot be wrong forever: the theorem of Novikoff allows at most (R B)^2 mistakes, where R is "
            "the length of the longest point and 1 / B the widest gap. The count of this run is stated beside that "
            "bound.",
            headline=(
                Headline("Mistakes", float(self.mistakes), f"in {visits_and_passes(self.visits, self.plane.n_rows)}"),
                Headline("Bound", self.bound, "the most that the theorem allows"),
            ),
            checked="the plane that bounds B, the whole run of the perceptron, and the errors of its answer",
            shortfall=self._shortfall(),
            notes=() if self.errors == 0 else ("More passes, or another form, may end with a plane that separates.",),
        )

    def plane_endings(self, tol: float) -> Endings:
        """How a run can have ended that has this bound."""
        is_short = bool(self._shortfall())
        return Endings("perceptron", tuple(status for status in PerceptronStatus if status.is_separated != is_short))

    def _shortfall(self) -> str:
        if not self.holds:
            return "the numbers contradict the theorem"
        if self.errors == 0:
            return ""
        answer = ANSWERS.get(self.form, "its last plane")
        return f"a plane that separates was asked of the run, and {answer} has {self.errors} points not on their sides"

    def is_within(self, tol: float) -> bool:
        """Whether every point is on its side of the answer, and the inequality is true of these numbers."""
        return self.errors == 0 and self.holds

    def problem_of(self, X: Any, y: Any, sample_weight: Any = None) -> Points:
        """The points that it ran on; weights do not matter for it."""
        return points_of(X, y, self.plane.fit_intercept)

    def verify(self, problem: Points, point: Point | None = None) -> Verification:
        """Check the plane in exact arithmetic, run the perceptron again, and compare what it did and answers with.

        The run is the last thing that is done, and goes no further than the claim can still be true.
        """
        if point is not None and digest(point) != self.subject:
            return OTHER_POINT
        refused = inconsistency(self) or ("" if self.holds else "The mistakes exceed the bound.")
        if refused:
            return Verification(False, refused)
        verdict = self.plane.verify(problem)
        if not verdict.holds:
            return verdict._replace(sentence=f"The plane of the bound fails: {verdict.sentence}")
        if is_too_long(self.visits, problem):
            return Verification(False, f"A run of {self.visits} visits of rows is too long to be run again.")
        again, trace, answer, errors, is_whole = run_again(self, problem)
        if again != self.counts:
            said = f"Run again, the perceptron makes {again.mistakes} mistakes in {again.visits} visits of rows"
            return Verification(False, f"{said}, not {self.mistakes} in {self.visits}.")
        if not is_whole:
            return Verification(False, f"No run ends after {self.visits} visits of rows: neither by itself nor a pass.")
        numbers = {"mistakes": float(again.mistakes), "bound": self.bound, "errors": float(errors)}
        if digest(answer) != self.subject:
            said = f"Run again, the {self.form} perceptron answers with another plane."
            return Verification(False, said, numbers)
        if errors != self.errors:
            return Verification(False, f"The answer has {errors} errors, not {self.errors}.", numbers)
        if not trace.holds:
            return Verification(False, "The mistakes exceed the bound.", numbers)
        said = f"Run again: {self.mistakes} mistakes, and {self.counted:.6g} <= {self.bound:.6g}"
        return Verification(True, f"{said}; the three inequalities held at every step.", numbers)

    def to_json(self) -> dict[str, Any]:
        """The run and the plane; the bound is there to be read."""
        to_read = fields_json(self, ("counted", "bound"))
        return {"kind": name_of(self), **fields_json(self, KINDS), "plane": self.plane.to_json(), **to_read}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The start, and those of the plane."""
        return {"start_weights": self.start_weights, **within("plane", self.plane.arrays())}

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> MistakeBound:
        """What `to_json` and `arrays` gave; refuses what does not fit together."""
        of_plane = out_of("plane", arrays)
        known = ("start_weights", *within("plane", of_plane))
        check_names(cls, data, (*KINDS, "plane", "counted", "bound"), arrays, known)
        for name, kind in {**KINDS, "counted": float, "bound": float}.items():  # JSON keeps 1 and 1.0 and true apart
            expect(type(data[name]) is kind, name)
        claim = cls(
            **{name: data[name] for name in KINDS},
            start_weights=array_of(arrays, "start_weights"),
            plane=Separation.from_json(data["plane"], of_plane),
        )
        refused = inconsistency(claim)
        if refused or (data["counted"], data["bound"]) != (claim.counted, claim.bound):
            raise ValueError(f"the mistake bound is damaged: {refused or 'the bound is not that of its parts.'}")
        return claim

    def _most_from_start(self) -> float:
        """The most mistakes from w_0, rounded up."""
        plane = [*self.plane.weights.tolist(), self.plane.intercept]
        start = [*(self.start_weights.tolist() or [0.0] * self.plane.n_columns), self.start_intercept]
        step = self.step if self.is_batch else None
        return most_mistakes(plane, start, self.b_high, self.radius, self.allowances, self.counts, step)

    def _start(self) -> tuple[float, float]:
        """<w*, w_0> and ||w_0||^2."""
        return inner_and_square(self.plane, self.start_weights, self.start_intercept)


def mistake_bound(
    form: str, course: Course, counts: Counts, plane: Separation, answer: Answer, errors: int
) -> MistakeBound | None:
    """The bound of a run that ended with these counts, by this plane; None where its numbers cannot be compared.

    `errors` are those of the answer's plane.
    """
    start = course.start_weights if np.any(course.start_weights) else np.empty(0)
    seed = course.seed if is_shuffled(course.is_batch, course.order) else 0
    claim = MistakeBound(
        form, course.order, float(course.step), seed, start, float(course.start_intercept), *counts, errors,
        plane, digest(answer),
    )  # fmt: skip
    return None if inconsistency(claim) else claim


def _up(x: float) -> float:
    """A little more than x: the few roundings that made it are allowed for."""
    return x * (1.0 + 8.0 * UNIT) if x > 0.0 else x * (1.0 - 8.0 * UNIT)

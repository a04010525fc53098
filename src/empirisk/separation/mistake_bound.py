"""The certificate of a perceptron's run: how many mistakes it made, beside the most that the data allow."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.arithmetic import UNIT
from empirisk.certificates.verification import Verification
from empirisk.protocols import Vector, name_of
from empirisk.separation.mistake_trace import Allowances, MistakeTrace, allowances_of
from empirisk.separation.perceptron_run import Counts, Course, Runner
from empirisk.separation.plane import Separation
from empirisk.separation.points import Points, points_of

ORDERS = ("cyclic", "random")


class MistakeBound(NamedTuple):
    """A run from (w_0, b_0) with steps of length a made M mistakes, and the theorem of Novikoff allows no more.

    For steps with m_t wrong points each, M = sum m_t, Q = sum m_t^2, points z_i with R = max_i ||z_i||, and B the least
    norm of a w* with <w*, z_i> >= 1 for all i:

        a M + <w*, w_0> <= B sqrt(||w_0||^2 + a^2 Q R^2)

    Online a = 1 and M = Q = t, the number of mistakes: t <= (R B)^2 from zero. Batch (a = 1/n) and gradient descent
    (a = alpha / n) from zero: M^2 / Q <= (R B)^2. `plane` proves R and B <= b_high.
    Reference: Novikoff (1962); Block (1962).
    """

    is_batch: bool
    order: str
    step: float  # a
    seed: int
    start_weights: Vector  # empty for zero
    start_intercept: float
    visits: int
    mistakes: int  # M
    squares: int  # Q
    steps: int
    plane: Separation
    seal: str  # a digest of all of the above

    @property
    def radius(self) -> float:
        """R, rounded up."""
        return self.plane.radius

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
        """(R B)^2 from zero; else the most mistakes that the inequality leaves room for (batch: at this Q)."""
        product = _up(self.radius * self.b_high) ** 2
        if self.is_from_zero:
            return _up(product)
        inner, square = self._start()
        if self.is_batch:
            reach = self.b_high * math.sqrt(square + self.step**2 * self.squares * self.radius**2)
            return _up((reach - inner) / self.step)
        # The larger root of (t + inner)^2 = B^2 (square + t R^2).
        half = 0.5 * product - inner
        return _up(half + math.sqrt(max(0.0, half**2 - inner**2 + self.b_high**2 * square)))

    @property
    def allowances(self) -> Allowances:
        """What rounding during the run can do to the two sides, relative to their sizes."""
        norm = max(self.b_high, self._plane_norm())
        return allowances_of(self.counts, self.step, self.plane.n_columns + 1, self.radius, norm, *self._start())

    @property
    def left(self) -> float:
        """a M + <w*, w_0>."""
        return self.step * self.mistakes + self._start()[0]

    @property
    def right(self) -> float:
        """B sqrt(||w_0||^2 + a^2 Q R^2)."""
        return self.b_high * math.sqrt(self._start()[1] + self.step**2 * self.squares * self.radius**2)

    @property
    def holds(self) -> bool:
        """Whether the inequality is true of these numbers, rounding of the run allowed for."""
        inner, norm = self.allowances
        size = abs(self._start()[0]) + self.step * self.mistakes
        return self.left <= self.right * math.sqrt(1.0 + norm) * (1.0 + 16 * UNIT) + inner * size

    def sentence(self) -> str:
        """The claim in words."""
        what = f"{self.mistakes} mistakes in {self.visits} visits of rows"
        parts = f"R <= {self.radius:.6g}, {self.b_low:.6g} <= B <= {self.b_high:.6g}"
        if self.is_batch and self.is_from_zero:
            ratio = f"(sum m_t)^2 / sum m_t^2 = {self.counted:.6g}"
            return f"{what}, {self.steps} steps: {ratio}, at most (R B)^2 = {self.bound:.6g} ({parts})."
        if self.is_from_zero:
            return f"{what}: at most (R B)^2 = {self.bound:.6g} ({parts})."
        return f"{what} from w_0: at most {self.bound:.6g} by t + <w*, w_0> <= B sqrt(||w_0||^2 + t R^2) ({parts})."

    def verify(self, X: Any, y: Any) -> Verification:
        """Check the plane in exact arithmetic, run the perceptron again, and compare."""
        refused = self._inconsistency()
        if refused:
            return Verification(False, refused, math.nan)
        verdict = self.plane.verify(X, y)
        if not verdict.holds:
            return Verification(False, f"The plane of the bound fails: {verdict.sentence}", math.nan)
        points = points_of(X, y, self.plane.fit_intercept)
        again, trace = self.replayed(points)
        if again != self.counts:
            said = f"Run again, the perceptron makes {again.mistakes} mistakes in {again.visits} visits of rows"
            return Verification(False, f"{said}, not {self.mistakes} in {self.visits}.", math.nan)
        if not (self.holds and trace.holds):
            return Verification(False, "The mistakes exceed the bound.", self.bound - self.counted)
        said = f"Run again: {self.mistakes} mistakes, and {self.counted:.6g} <= {self.bound:.6g}"
        return Verification(True, f"{said}; the three inequalities held at every step.", self.bound - self.counted)

    def replayed(self, points: Points) -> tuple[Counts, MistakeTrace]:
        """The same run on these points, watched."""
        start = self.start_weights if self.start_weights.size else np.zeros(points.n_columns)
        course = Course(self.is_batch, self.order, self.step, self.seed, start, self.start_intercept)
        runner = Runner(points, course, keeps_best=False)
        runner.watch(self.plane)
        runner.run(self.visits, 2 * self.visits + 1)
        return runner.counts, runner.trace()

    def to_json(self) -> dict[str, Any]:
        """Everything, the plane included; the bound is there to be read."""
        data = self._asdict()
        data |= {"start_weights": self.start_weights.tolist(), "plane": self.plane.to_json()}
        return {"kind": name_of(self), **data, "counted": self.counted, "bound": self.bound}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> MistakeBound:
        """What `to_json` gave; refuses what does not fit together."""
        if data.get("kind") != name_of(cls):
            raise ValueError(f"this is no mistake bound: its kind is {data.get('kind')!r}")
        try:
            claim = cls(
                is_batch=_exactly(bool, data["is_batch"]),
                order=_exactly(str, data["order"]),
                step=_exactly(float, data["step"]),
                seed=_exactly(int, data["seed"]),
                start_weights=np.array([_exactly(float, x) for x in data["start_weights"]], dtype=np.float64),
                start_intercept=_exactly(float, data["start_intercept"]),
                visits=_exactly(int, data["visits"]),
                mistakes=_exactly(int, data["mistakes"]),
                squares=_exactly(int, data["squares"]),
                steps=_exactly(int, data["steps"]),
                plane=Separation.from_json(data["plane"]),
                seal=_exactly(str, data["seal"]),
            )
            read = (data["counted"], data["bound"])
        except (KeyError, TypeError) as error:
            raise ValueError(f"the mistake bound is damaged: {error}") from None
        refused = claim._inconsistency()
        if refused or read != (claim.counted, claim.bound):
            raise ValueError(f"the mistake bound is damaged: {refused or 'the bound is not that of its parts.'}")
        return claim

    def sealed(self) -> MistakeBound:
        """The same with its digest."""
        return self._replace(seal=self._digest())

    def _digest(self) -> str:
        parts = self._replace(seal="")._asdict() | {
            "start_weights": self.start_weights.tolist(),
            "plane": self.plane.seal,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def _inconsistency(self) -> str:
        """What is wrong with the numbers alone; empty where nothing is."""
        if self.seal != self._digest():
            return "The certificate was changed: its seal does not fit."
        d, numbers = self.plane.n_columns, [*self.start_weights.tolist(), self.start_intercept, self.step]
        if self.start_weights.size not in (0, d) or not all(map(math.isfinite, numbers)) or not self.step > 0.0:
            return "The start or the step is not one of a run on such points."
        if not self.is_batch and self.step != 1.0:
            return "An online run has steps of length 1."
        if self.order not in ORDERS or (self.start_intercept != 0.0 and not self.plane.fit_intercept):
            return "The order or the intercept is not one of a run on such points."
        if not (0 <= self.steps <= self.mistakes <= self.squares and self.steps <= self.visits):
            return "The counts contradict each other."
        return ""

    def _start(self) -> tuple[float, float]:
        """<w*, w_0> and ||w_0||^2, for the plane shrunk until its least margin is 1, whose norm is b_high."""
        products = (self.plane.weights * self.start_weights).tolist() if self.start_weights.size else []
        inner = math.fsum([*products, self.plane.intercept * self.start_intercept])
        square = math.fsum([*(self.start_weights**2).tolist(), self.start_intercept**2])
        return inner * min(1.0, self.b_high / self._plane_norm()), square

    def _plane_norm(self) -> float:
        return math.sqrt(math.fsum([*(self.plane.weights**2).tolist(), self.plane.intercept**2]))


def mistake_bound(course: Course, counts: Counts, plane: Separation) -> MistakeBound:
    """The bound of a run that ended with these counts, by this plane."""
    start = course.start_weights if np.any(course.start_weights) else np.empty(0)
    return MistakeBound(
        course.is_batch, course.order, float(course.step), course.seed, start, float(course.start_intercept),
        *counts, plane, "",
    ).sealed()  # fmt: skip


def _up(x: float) -> float:
    """A little more than x: the few roundings that made it are allowed for."""
    return x * (1.0 + 8.0 * UNIT) if x > 0.0 else x * (1.0 - 8.0 * UNIT)


def _exactly(kind: type, value: Any) -> Any:
    """The value, if it is of this type: JSON keeps 1 and 1.0 and true apart."""
    if type(value) is not kind:
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value

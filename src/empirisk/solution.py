"""What a run gives back: the point, its certificate, why it stopped, and the trace of the run."""

from __future__ import annotations

import enum
import math
from typing import Any, NamedTuple

from empirisk.progress import Event
from empirisk.protocols import OptimalityCertificate


class Status(enum.StrEnum):
    """Why the driver stopped, in a sentence."""

    CERTIFIED = "certified: the gap is within the tolerance"
    FLOATING_POINT = "at the limit of floating point: the gap is below what rounding allows to tell"
    PASS_LIMIT = "stopped at the pass limit before the gap was within the tolerance"
    TIME_LIMIT = "stopped at the time limit before the gap was within the tolerance"
    INTERRUPTED = "stopped: interrupted before the gap was within the tolerance"
    AT_ZERO = "certified: w = 0 is a minimiser whatever the data, as this loss is nowhere below its value at zero"
    FLAT = "flat: every derivative of the loss is zero here and at zero, so no step is known and nothing is proven"
    UNATTAINED = "no minimiser exists: the objective falls forever along a direction; penalise or constrain the weights"
    STALLED = "stopped: no step of this solver improves the objective beyond rounding"
    PRECISION_REACHED = "precision reached: the norm of the gradient is at most epsilon"
    DIVERGED = "diverged: the steps are too long for this problem; take a smaller alpha, or none for backtracking"
    CALLBACK = "stopped by the callback"
    CALLBACK_RAISED = "stopped: the callback raised an error, which the solution keeps"
    NOT_A_NUMBER = "stopped: the loss returned NaN; er.check_loss finds out where"
    OVERFLOW = "stopped: numbers overflowed; scale the columns (and targets) of the data"


PROVEN = (Status.CERTIFIED, Status.AT_ZERO)  # what only a certified run ends with
# What no certified run ends with: these say that less is proven.
UNPROVEN = (
    *(Status.PASS_LIMIT, Status.TIME_LIMIT, Status.INTERRUPTED),
    *(Status.FLAT, Status.UNATTAINED, Status.NOT_A_NUMBER),
)


class Check(NamedTuple):
    """One line of a trace; gap is nan where no certificate was computed."""

    passes: float
    seconds: float  # of work since the run began, compiling left out
    objective: float
    gap: float
    estimate: float = math.nan  # of the gap, by the solver, for free; proves nothing


class Trace(NamedTuple):
    """The checks of a run in order, and what callbacks need to tell the progress."""

    checks: list[Check]
    target: float  # the gap to reach
    max_passes: float
    time_left: float  # seconds, estimated from the slope of log(gap); nan when it cannot be told
    point: Any = None  # the newest one that was checked, in arrays of its own; for callbacks, else None
    points: list[Any] | None = None  # one for each line of `checks`, where they were asked for
    compile_seconds: float = 0.0  # while machine code was made: 0 where all was in the cache; no line counts them

    def last(self) -> Check:
        """The newest line."""
        return self.checks[-1]

    def seconds_left(self) -> float:
        """Until the target, had log(gap) kept its slope over the last half of the checks; nan where that is unknown."""
        checks = [check for check in self.checks if check.gap > 0.0 and math.isfinite(check.gap)]
        if len(checks) < 2 or not self.target > 0.0:
            return math.nan
        first, last = checks[len(checks) // 2 - 1], checks[-1]
        fallen = math.log(first.gap) - math.log(last.gap)  # the quotient itself may overflow, or vanish
        if not fallen > 0.0:
            return math.nan
        rate = fallen / max(last.seconds - first.seconds, 1e-9)
        return max(0.0, (math.log(last.gap) - math.log(self.target)) / rate)

    def done(self) -> float:
        """The part that is done from the largest gap to the target, on a logarithmic scale."""
        gaps = [check.gap for check in self.checks if check.gap > 0.0 and math.isfinite(check.gap)]
        if not gaps or not self.target > 0.0:
            return 0.0
        first, last = max(gaps), min(gaps)
        return 1.0 if last <= self.target else math.log(first / last) / math.log(first / self.target)

    def event(self) -> Event:
        """The newest line, as every long run tells where it is."""
        check = self.last()
        numbers = {
            "pass": float(round(check.passes)),
            "objective": check.objective,
            "gap": check.gap,
            "target": self.target,
        }
        return Event("fit", self.done(), numbers, check.seconds, self.time_left)


class Solution(NamedTuple):
    """The answer of `minimize`."""

    point: Any  # of the problem; that of a linear predictor has weights and intercept
    objective: float
    certificate: OptimalityCertificate
    certified: bool
    status: Status
    trace: Trace
    solver: str
    reason: str  # why this solver was taken, in one sentence
    passes: float
    error: Exception | None = None  # that the callback raised

    @property
    def compile_seconds(self) -> float:
        """While machine code was made, which the seconds of the trace leave out."""
        return self.trace.compile_seconds

    @property
    def weights(self) -> Any:
        """d of them; K x d for many classes."""
        return self.point.weights

    @property
    def intercept(self) -> Any:
        """A float; K of them for many classes."""
        return self.point.intercept

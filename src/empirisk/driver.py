"""The only driver: it runs a solver, decides when to check, stops on the certificate and keeps the trace."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from empirisk.blas_threads import one_blas_thread
from empirisk.capabilities import optional
from empirisk.certificates import certify, refute
from empirisk.other_packages import hinting
from empirisk.parameters import check_boolean, check_callback, check_positive, check_seed, check_time_limit, is_number
from empirisk.protocols import OptimalityCertificate, Point, Problem, Progress, Solver
from empirisk.selection import choose
from empirisk.solution import Check, Solution, Status, Trace
from empirisk.stopwatch import Stopwatch, work_clock

log = logging.getLogger("empirisk")

Callback = Callable[[Trace], Any]  # True stops
Found = TypeVar("Found")

CHECK_SHARE = 0.2  # of the work goes into certificates that the solver's own estimate did not ask for
SURE_SHARE = 0.05  # where the estimate is as good as a certificate: for callbacks and progress bars
UNFINISHED = (Status.STALLED, Status.FLOATING_POINT, Status.OVERFLOW)  # another method may do better
BATCH_PASSES = 3.0  # that a certificate costs, in passes of a batch solver; a pass of a sampling one costs as much


@hinting
def minimize(
    problem: Problem,
    solver: str | Solver = "auto",
    *,
    tol: float = 1e-6,
    max_passes: float = 1000,
    callback: Callback | None = None,
    start: Any = None,
    seed: int | None = None,
    n_threads: int | None = None,
    keep_points: bool = False,
    time_limit: float | None = None,
    stop: Callable[[], Any] | None = None,
) -> Solution:
    """Minimise a problem until its certificate is within `tol`: for a duality gap, tol * max(|P|, 1e-6 P(0, 0)).

    `callback(trace)` is called at each check; returning True stops, and so does an error that it raises: the solution
    so far is returned, with the error in `error`. `start` is a point of the problem: for an empirical risk a pair
    (weights, intercept). `seed` is for solvers that sample. With `keep_points` the trace has the path in `points`, a
    point for each step of the solver. No step begins once the work, compiling left out, has taken `time_limit` seconds,
    or `stop()` is true, which is asked before each: what is reached by then is returned.
    """
    keep_points = check_boolean("keep_points", keep_points)
    check_callback(callback)
    tol = check_positive("tol", tol)
    if not (is_number(max_passes) and max_passes >= 1):
        raise ValueError(f"max_passes must be a number >= 1, got {max_passes!r}")
    if seed is not None:
        seed = check_seed(seed)
    if n_threads is not None:
        problem = problem.with_threads(n_threads)
    chosen, reason = choose(problem, solver, seed)
    point = problem.zero() if start is None else problem.start(start)
    if log.isEnabledFor(logging.INFO):
        log.info("%s; %s", problem.description(), reason)
    # Overflow is looked for, not warned of: solvers step back from it, certificates become infinite.
    with one_blas_thread(), np.errstate(all="ignore"):
        run = _Run(problem, chosen, tol, max_passes, callback, start is not None, keep_points)
        run.stop, run.ends = stop, work_clock() + check_time_limit(time_limit)
        return run.loop(point, reason)


class _Run:
    """One minimisation: the clock, the checks and the decision to stop."""

    def __init__(
        self,
        problem: Problem,
        solver: Solver,
        tol: float,
        max_passes: float,
        callback: Callback | None,
        is_warm: bool,
        keep_points: bool,
    ) -> None:
        self.problem, self.solver, self.tol, self.max_passes = problem, solver, tol, max_passes
        self.callback = callback
        self.is_warm = is_warm  # the start may be certified already: check it
        self.trace = Trace([], math.nan, max_passes, math.nan, points=[] if keep_points else None)
        self.watch = Stopwatch()
        self.checks = 0
        self.point: Point  # the newest one that was checked
        own_rule = optional(solver, "has_own_rule")
        self.has_own_rule = own_rule is not None and bool(own_rule())  # of when to stop
        self.further = optional(solver, "further")  # the next method of a chain
        self.best: tuple[Point, OptimalityCertificate] | None = None  # of all methods: the one with the least gap
        self.finite: tuple[Point, OptimalityCertificate] | None = None  # the newest with a finite objective
        self.refutation: OptimalityCertificate | None = None  # the certificate that there is no minimiser
        self.has_overflowed = False  # one of the methods
        self.is_stopped = False  # by the callback
        self.was_doubted = False  # whether there is a minimiser, before a second method was tried
        self.error: Exception | None = None  # that the callback raised
        self.stop: Callable[[], Any] | None = None
        self.ends = math.inf  # by the clock of work
        self.estimate_to_beat = math.inf  # an estimate within the target must halve before it is tried again

    def loop(self, start: Point, reason: str) -> Solution:
        """Step, check when it pays, stop when the certificate says so."""
        self.point = start
        state = self._guarded(self.solver.init, self.problem, start.copy())
        certificate: OptimalityCertificate | None = None
        status: Status | None = None
        while status is None:
            progress = self.solver.progress(self.problem, state)
            ended = self._ended_from_outside()
            if ended is not None or self._is_due(progress):
                certificate = self._guarded(self._check, state, progress)
                status = self._verdict(certificate, progress, state) or ended
                another = None if ended else self._another(certificate, status, progress, state)
                if another is not None:
                    state, status, self.estimate_to_beat = another, None, math.inf
                    continue
            else:
                self._record(progress, progress.objective, math.nan, state)
            if status is None:
                state = self._guarded(self.solver.step, self.problem, state)
        assert certificate is not None
        if self.has_overflowed and status is Status.STALLED:
            status = Status.OVERFLOW
        if status is Status.OVERFLOW:  # back to what was finite, at worst to the start
            begun = start, self._guarded(certify, self.problem, start, self.tol)
            self.point, certificate = min((self.finite or begun, begun), key=lambda pair: pair[1].objective)
        if self.best is not None and status in (*UNFINISHED, Status.PASS_LIMIT, Status.TIME_LIMIT, Status.INTERRUPTED):
            self.point, certificate = min((self.best, (self.point, certificate)), key=lambda pair: pair[1].gap)
        account = optional(self.solver, "account")
        if account is not None and account(state):
            reason = f"{reason.removesuffix('.')}; {account(state)}."
        stopped = (
            Status.UNATTAINED,
            Status.CALLBACK,
            Status.CALLBACK_RAISED,
            Status.TIME_LIMIT,
            Status.INTERRUPTED,
        )
        if status not in stopped and self.refutation is None:
            self.refutation = refute(self.problem, self.point, certificate.objective, thorough=True)
        if self.refutation is not None:
            certificate, status = self.refutation, Status.UNATTAINED
        return Solution(
            point=self.point.copy(),
            objective=certificate.objective,
            certificate=certificate.about(self.point),
            certified=certificate.is_within(self.tol),
            status=status,
            trace=self.trace._replace(compile_seconds=self.watch.compile_seconds()),
            solver=reason.partition(":")[0],
            reason=reason,
            passes=progress.passes,
            error=self.error,
        )

    def _ended_from_outside(self) -> Status | None:
        """By the clock, or by who asks; a run with neither can be repeated bit for bit."""
        if self.stop is not None and self.stop():
            return Status.INTERRUPTED
        return Status.TIME_LIMIT if work_clock() >= self.ends else None

    def _another(
        self, certificate: OptimalityCertificate, status: Status | None, progress: Progress, state: Any
    ) -> Any:
        """The state of the next method of a chain, where this one got no further and there is a minimum to look for."""
        self.has_overflowed |= status is Status.OVERFLOW
        has_ended = status not in UNFINISHED or progress.passes >= self.max_passes or self.is_stopped
        if self.further is None or has_ended:
            return None
        if not self.was_doubted:  # before time goes into a search for what there is not
            self.was_doubted = True
            self.refutation = refute(self.problem, self.point, certificate.objective, thorough=True)
            if self.refutation is not None:
                return None
        return self._guarded(self.further, self.problem, state)

    def _is_due(self, progress: Progress) -> bool:
        """Decided by passes, never by the clock: a run can be repeated bit for bit."""
        ends = progress.stalled or bool(progress.ending) or progress.passes >= self.max_passes
        if ends or (self.is_warm and self.checks == 0):
            return True
        if math.isinf(progress.objective):
            return True
        if progress.gap <= min(self.tol * abs(progress.objective), self.estimate_to_beat):
            self.estimate_to_beat = 0.5 * progress.gap
            return True
        cost = 1.0 if math.isnan(progress.gap) else BATCH_PASSES
        share = SURE_SHARE if progress.is_sure else CHECK_SHARE
        return (self.checks + 1) * cost <= share * progress.passes

    def _check(self, state: Any, progress: Progress) -> OptimalityCertificate:
        point = self.solver.point(state)
        if not is_finite(point):
            point = self.point.copy()  # the solver overflowed: go back to what was finite
        self.point = point
        certificate = certify(self.problem, point, self.tol)
        if not certificate.is_within(self.tol):
            self.refutation = refute(self.problem, point, certificate.objective, thorough=False)
        if math.isfinite(certificate.objective):
            self.finite = point, certificate
            if self.further is not None and not (self.best is not None and self.best[1].gap <= certificate.gap):
                self.best = point.copy(), certificate
        self.checks += 1
        self.trace = self.trace._replace(target=self.tol * certificate.scale)
        self._record(progress, certificate.objective, certificate.gap, state)
        self.trace = self.trace._replace(time_left=self.trace.seconds_left())
        return certificate

    def _record(self, progress: Progress, objective: float, gap: float, state: Any) -> None:
        self.trace = self.trace._replace(compile_seconds=self.watch.compile_seconds())
        self.trace.checks.append(Check(progress.passes, self.watch.seconds(), objective, gap, progress.gap))
        if self.trace.points is not None:
            self.trace.points.append(self.solver.point(state).copy())

    def _guarded(self, call: Callable[..., Found], *arguments: Any) -> Found:
        """One sentence for what a user's own part of the problem raises while it runs."""
        try:
            return call(*arguments)
        except Exception as error:
            explain = optional(self.problem, "explain")
            said = None if explain is None else explain(error)
            if said is None:
                raise
            raise said from error

    def _verdict(self, certificate: OptimalityCertificate, progress: Progress, state: Any) -> Status | None:
        stop = self.is_stopped = self._is_stopped_by_callback()
        is_proven = math.isfinite(certificate.objective) and certificate.is_within(self.tol)
        if is_proven and not self.has_own_rule:
            is_trivial = optional(self.problem, "is_trivial")
            return Status.AT_ZERO if is_trivial is not None and is_trivial(self.point) else Status.CERTIFIED
        if math.isnan(certificate.objective):
            return Status.NOT_A_NUMBER
        ending = optional(certificate, "ending")
        if ending is not None and ending():
            return Status[ending()]
        if self.refutation is not None:
            return Status.UNATTAINED
        if not math.isfinite(certificate.objective) or not is_finite(self.solver.point(state)):
            return Status.OVERFLOW
        if progress.ending:
            return Status[progress.ending]
        if certificate.is_rounding_only():
            return Status.FLOATING_POINT
        if progress.stalled:
            return Status.STALLED
        if progress.passes >= self.max_passes:
            return Status.PASS_LIMIT
        if self.error is not None:
            return Status.CALLBACK_RAISED
        return Status.CALLBACK if stop else None

    def _is_stopped_by_callback(self) -> bool:
        if self.callback is None:
            return False
        self.trace = self.trace._replace(point=self.point.copy())
        try:
            return bool(self.callback(self.trace))
        except Exception as error:  # a user's code: the work done so far is worth keeping
            log.exception("the callback raised an error; the solution so far is returned")
            self.error = error
            return True


def is_finite(point: Point) -> bool:
    """Whether no number of the point overflowed."""
    return all(bool(np.isfinite(array).all()) for array in point.arrays())

"""The projected (proximal) subgradient method."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.one_score_passes import implied_duals
from empirisk.problems.passes import Gradient, penalty, risk_gradient
from empirisk.protocols import Progress, Vector
from empirisk.rows.protocol import RowVector
from empirisk.solvers.sampling.averages import Average, begin_average
from empirisk.solvers.sampling.schedules import (
    FACTOR,
    best_step,
    check_alpha,
    check_schedule,
    first_guess,
    named_schedule,
)
from empirisk.solvers.steps.proximal_step import gap_estimate, proximal_point
from empirisk.update_rules.subgradient import Schedule

SOON = 100.0  # passes within which steps that fall like 1 / k should halve, to be chosen
TRIAL_STEPS = 5


class MeasuredPoint(NamedTuple):
    """Weights and intercept, and what is known there."""

    w: Vector
    b: float
    at: Gradient  # mean loss and a subgradient
    u: RowVector  # -loss' at the rows
    omega: float  # Omega(w)

    @property
    def objective(self) -> float:
        """P(w, b)."""
        return self.at.objective + self.omega

    @property
    def averaged(self) -> tuple[Vector, ...]:
        """What means are taken of.

        The numbers are the intercept, the mean loss, its slope in the intercept, Omega, and the subgradient along the
        point.
        """
        along = float(self.at.weights @ self.w) + self.at.intercept * self.b
        numbers = np.array([self.b, self.at.objective, self.at.intercept, self.omega, along])
        return self.w, self.u, self.at.weights, numbers


class SubgradientState(NamedTuple):
    """Where the method stands."""

    start: MeasuredPoint
    now: MeasuredPoint
    average: Average
    schedule: Schedule
    ratio: float  # the intercept's step, in steps of the weights
    steps: int  # so far
    passes: float


class ProjectedSubgradient(NamedTuple):
    """w <- prox_{t Omega}(w - t g), where g is a subgradient of the mean loss: for a constraint, a projection.

    Any convex loss and any Omega, over all rows at each step. The steps are alpha ("constant"), alpha / sqrt(k)
    ("inverse_sqrt") or 1 / (m (k + k0)) with m the strong convexity of Omega and the first one equal to alpha
    ("inverse"); "auto" takes the last where m is large enough for it to matter. alpha = 0 takes the one, among powers
    of four, that lowers the objective most over five steps from the start. `average` is "weighted", "suffix",
    "uniform" or "none", as for SGD.
    The gap of the mean falls like 1/sqrt(k), and like 1/k with steps 1 / (m k) and any average but "uniform".
    References: Shor (1985); Duchi and Singer (2009) for the prox; Lacoste-Julien, Schmidt and Bach (2012) for 1/k.
    """

    schedule: str = "auto"
    alpha: float = 0.0
    average: str = "weighted"

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "convex", "regularizer.prox")

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> SubgradientState:
        """Evaluate the start and choose the steps."""
        w, b = point.weights, point.intercept
        check_alpha(self.alpha)
        check_schedule(self.schedule, problem.regularizer.strong_convexity())
        step, ratio, passes = (self.alpha, 1.0, 1.0) if self.alpha > 0.0 else (*first_guess(problem), 2.0)
        start = _evaluate(problem, w, b)
        average = begin_average(self.average, *start.averaged)
        schedule = self._schedule(problem, step)
        state = SubgradientState(start, start, average, schedule, ratio, 0, passes)
        return state if self.alpha > 0.0 else self._tuned(problem, state)

    def step(self, problem: EmpiricalRisk, state: SubgradientState) -> SubgradientState:
        """One step, and the subgradient at its end."""
        now = _moved(problem, state)
        passes = state.passes + 1.0
        if self.alpha == 0.0 and not now.objective <= state.start.objective + abs(state.start.objective):
            # The trials were too kind, which happens where slopes grow without bound: begin again with shorter steps.
            average = begin_average(self.average, *state.start.averaged)
            schedule = self._schedule(problem, state.schedule.first / FACTOR)
            return state._replace(now=state.start, average=average, schedule=schedule, steps=0, passes=passes)
        average = state.average.after(*now.averaged)
        return state._replace(now=now, average=average, steps=state.steps + 1, passes=passes)

    def point(self, state: SubgradientState) -> LinearPoint:
        """The mean and that of the dual variables; or the last point."""
        if self.average == "none" or state.average.is_empty:
            return LinearPoint(state.now.w, state.now.b)
        w, u, _, numbers = state.average.mean.parts
        return LinearPoint(w, float(numbers[0]), u)

    def progress(self, problem: EmpiricalRisk, state: SubgradientState) -> Progress:
        """Bounds at the mean, by convexity: P is at most the mean of P, and the dual at least that of the tangents."""
        w, _, g, numbers = state.average.mean.parts
        b, risk, slope, omega, along = (float(number) for number in numbers)
        omega_of_mean, gap = gap_estimate(problem, np.append(w, b), Gradient(risk, np.append(g, slope)))
        bends = (omega - omega_of_mean) + (along - float(g @ w) - slope * b)
        return Progress(state.passes, risk + omega, gap + max(0.0, bends))

    def _schedule(self, problem: EmpiricalRisk, first: float) -> Schedule:
        return named_schedule(self.schedule, problem.regularizer.strong_convexity(), first, SOON)

    def _tuned(self, problem: EmpiricalRisk, state: SubgradientState) -> SubgradientState:
        """With the first step for which the mean objective of a few points is least; the guess, where none falls."""

        def mean_objective(first: float) -> float:
            trial = state._replace(schedule=self._schedule(problem, first))
            total = 0.0
            for k in range(TRIAL_STEPS):
                trial = trial._replace(now=_moved(problem, trial), steps=k + 1)
                total += trial.now.objective
            return total / TRIAL_STEPS

        value, first, trials = best_step(mean_objective, state.schedule.first)
        state = state._replace(passes=state.passes + TRIAL_STEPS * trials)
        if not value < state.start.objective:
            return state
        return state._replace(schedule=self._schedule(problem, first))


def _moved(problem: EmpiricalRisk, state: SubgradientState) -> MeasuredPoint:
    now, t = state.now, state.schedule.length(state.steps)
    x = proximal_point(problem.regularizer, np.append(now.w, now.b), now.at.slope, t, state.ratio)
    return _evaluate(problem, x[:-1], float(x[-1]))


def _evaluate(problem: EmpiricalRisk, w: Vector, b: float) -> MeasuredPoint:
    scores = problem.rows.blank()
    at = risk_gradient(problem, np.append(w, b), scores)
    return MeasuredPoint(w, b, at, implied_duals(problem, scores), penalty(problem, w))

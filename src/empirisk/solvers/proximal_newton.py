"""Newton's method for losses with kinks: a proximal method on the dual, each step solved by Newton's method."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.compiled import adopt, kernel
from empirisk.problems.passes import penalty
from empirisk.protocols import Progress, Vector
from empirisk.solvers.newton import Newton, NewtonState
from empirisk.solvers.smoothed import Smoothed

FIRST_STRENGTH, LEAST_STRENGTH = 1.0, 1e-9
SHARPEN = 0.2  # factor of the strength from one centre to the next
MOST_FLAT = 8  # centres in a row without a better gap, after which rounding is all that is left


class ProximalNewtonState(NamedTuple):
    """Where the method stands."""

    problem: Any  # the smoothed one
    inner: NewtonState
    u: Vector  # the dual point that belongs to the inner iterate
    objective: float  # of the problem itself
    gap: float  # estimate at (w, b, u)
    best_gap: float
    flat: int  # centres since the best gap


class ProximalNewton(NamedTuple):
    """Replace the loss by its envelope around the dual point u, minimise by Newton's method, move u, sharpen.

    The proximal point method on the dual (the method of multipliers): u_i <- the maximiser of
    -loss*(-t) - z_i t - strength/2 (t - u_i)^2. Each inner problem is smooth; only rows at a kink have curvature,
    so its Hessian is cheap. A few dozen steps reach high precision where dual coordinate ascent takes thousands of
    passes; the free intercept needs no care. References: Rockafellar (1976); Yan and Li (2020).
    """

    linear_solver: str = "auto"  # of the inner Newton method

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "loss.conjugate", "loss.dual_step", "convex", "l2 alone")

    def init(self, problem: Any, w: Vector, b: float) -> ProximalNewtonState:
        """Centre the smoothing at u = 0."""
        n = problem.design.n_rows()
        smoothed = self._smoothed(problem, Smoothed(problem.loss, problem.labels, np.zeros(n), FIRST_STRENGTH))
        inner = self._newton().init(smoothed, w, b)
        return self._measured(problem, smoothed, inner, np.inf, 0)

    def step(self, problem: Any, state: ProximalNewtonState) -> ProximalNewtonState:
        """One Newton step; when the smoothed problem is solved well enough, a new centre."""
        newton = self._newton()
        inner = newton.step(state.problem, state.inner)
        state = self._measured(problem, state.problem, inner, state.best_gap, state.flat)
        inner_gap = newton.progress(state.problem, inner).gap
        if not inner.stalled and inner_gap > 0.5 * (state.gap - inner_gap):
            return state
        envelope = state.problem.loss
        envelope.centers[:] = state.u
        sharper = envelope._replace(strength=max(LEAST_STRENGTH, SHARPEN * envelope.strength))
        smoothed = self._smoothed(problem, sharper)
        restarted = newton.init(smoothed, inner.w, inner.b)
        flat = 0 if state.gap < 0.9 * state.best_gap else state.flat + 1
        return state._replace(
            problem=smoothed,
            inner=restarted._replace(passes=inner.passes + 1.0),
            best_gap=min(state.best_gap, state.gap),
            flat=flat,
        )

    def point(self, state: ProximalNewtonState) -> tuple[Vector, float, Vector | None]:
        """The inner iterate and its dual point."""
        return state.inner.w, state.inner.b, state.u

    def progress(self, problem: Any, state: ProximalNewtonState) -> Progress:
        """The gap is known up to the repair of the intercept."""
        return Progress(state.inner.passes, state.objective, state.gap, state.flat >= MOST_FLAT)

    def _newton(self) -> Newton:
        return Newton(linear_solver=self.linear_solver, dual_passes=0)

    def _smoothed(self, problem: Any, envelope: Smoothed) -> Any:
        adopt(envelope, envelope.loss)
        return problem.with_loss(envelope, np.arange(problem.design.n_rows(), dtype=np.float64))

    def _measured(
        self, problem: Any, smoothed: Any, inner: NewtonState, best_gap: float, flat: int
    ) -> ProximalNewtonState:
        u = np.empty(problem.design.n_rows())
        scale = 1.0 / problem.total_weight
        risk, kinks = _duals_and_gap(
            problem.loss, smoothed.loss, problem.labels, problem.weights, scale, inner.scores, u
        )
        gap = float(kinks) + self._newton().progress(smoothed, inner).gap
        return ProximalNewtonState(smoothed, inner, u, risk + penalty(problem, inner.w), gap, best_gap, flat)


@kernel
def _duals_and_gap(loss, envelope, y, weights, scale, z, u):
    """Write the dual point at the scores z; returns the mean loss, and that of loss(z) + loss*(-u) + z u >= 0."""
    risk = 0.0
    kinks = 0.0
    for i in range(z.size):
        u[i] = envelope.maximizer_at(z[i], float(i))
        s = scale * weights[i] if weights.size else scale
        if s > 0.0:
            value = loss.value(z[i], y[i])
            risk += s * value
            kinks += s * (value + loss.conjugate(-u[i], y[i]) + z[i] * u[i])
    return risk, kinks

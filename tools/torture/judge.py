"""Every claim that is made about the minimum of a problem, judged: what is false comes back as a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb

import empirisk as er
from empirisk.certificates import ClassGaps, DualityGap, certify
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported
from empirisk.selection import choose
from empirisk.solvers import SOLVERS
from tools.torture.draw import Case, described, draw
from tools.torture.draw_scores import ManyScores, draw_scores
from tools.torture.formulas import Ball
from tools.torture.judged import CERTIFIED, NOT_DRAWN, OPEN, Effort, Judged, judged
from tools.torture.polish import Balls, Exact, as_balls, best, healthy_start
from tools.torture.softmax_truth import SoftmaxTruth
from tools.torture.truth import Truth

FULL = Effort()
TOL = 1e-6
LEAST_SCALE = 1e-6
REFUSALS = ("spans too many orders of magnitude", "not supported", "no solver can minimise", "squares of X overflow")


def judge(seed: int, effort: Effort = FULL) -> Judged:
    """Draw a problem with one score a row, solve it and look at what is said."""
    return judge_case(seed, draw(seed), effort)


def judge_scores(seed: int, effort: Effort = FULL) -> Judged:
    """The same for a problem with several scores a row."""
    return judge_case(seed, draw_scores(seed), effort)


def judge_case(seed: int, case: Case | ManyScores | None, effort: Effort) -> Judged:
    """Solve a problem and look at what is said."""
    if case is None:
        return Judged("", NOT_DRAWN, [])

    def look() -> tuple[str, list[str]]:
        problem = case.problem()
        solver = _solver(seed, problem)
        solution = er.minimize(problem, solver, tol=TOL, max_passes=effort.max_passes)
        faults = [f"{solver}: {fault}" for fault in _faults(seed, case, problem, solution, effort.is_thorough)]
        return CERTIFIED if solution.certified else OPEN, faults

    return judged(described(case), look, REFUSALS)


def _solver(seed: int, problem: Any) -> str:
    """The default as a rule, else one of those that can."""
    rng = np.random.default_rng((seed, 2))
    return "auto" if rng.random() < 0.6 else str(rng.choice([name for name in SOLVERS if _can(name, problem)]))


def _can(name: str, problem: Any) -> bool:
    try:
        choose(problem, name)
    except Unsupported:
        return False
    return True


class _Part:
    """A problem that stands alone: the whole, or that of one class or target; `j` is its number."""

    def __init__(self, case: Any, truth: Exact, j: int | None = None) -> None:
        self.case, self.truth, self.j = case, truth, j
        self.lower: list[tuple[Ball, Balls]] = []

    def point(self, weights: Any, intercept: Any) -> Balls:
        """Its part of a point."""
        return as_balls(weights, intercept) if self.j is None else as_balls(weights[self.j], intercept[self.j])

    def claim(self, certificate: Any) -> Any:
        """Its part of a certificate."""
        return certificate.gaps[self.j] if isinstance(certificate, ClassGaps) else certificate

    def search(self, weights: Any, intercept: Any, is_thorough: bool) -> None:
        """Look for points that are lower."""
        starts = [self.point(weights, intercept), self.point(0.0 * weights, 0.0 * intercept)]
        healthy = healthy_start(self.case) if is_thorough else None
        self.lower = best(self.truth, starts if healthy is None else [*starts, healthy], is_thorough)


def _parts(case: Case | ManyScores) -> list[_Part]:
    if isinstance(case, Case):
        return [_Part(case, Truth(case))]
    if not case.splits():
        return [_Part(case, SoftmaxTruth(case))]
    cases = [case.one(j) for j in range(case.n_scores)]
    return [_Part(one, Truth(one), j) for j, one in enumerate(cases)]


def _faults(seed: int, case: Case | ManyScores, problem: Any, solution: Any, is_thorough: bool) -> list[str]:
    weights, intercept = solution.weights, np.asarray(solution.intercept)
    parts, certificate, faults = _parts(case), solution.certificate, []
    for part in parts:
        part.search(weights, intercept, is_thorough)
    verdict = er.verify(solution, problem)
    if not verdict.holds and np.isfinite(certificate.gap):  # an infinite one claims nothing
        faults.append(f"verify refuses its own certificate: {verdict.sentence}")
    for part in parts:
        here, claim = part.point(weights, intercept), part.claim(certificate)
        if isinstance(claim, DualityGap):
            faults += _of_gap("solution", claim, part, here)
            if solution.certified:
                faults += _of_tolerance(part, here, claim)
    if "no minimiser" in solution.status and case.options["l1"] + case.options["l2"] > 0.0:
        faults.append(f"no minimiser, with a penalty: {solution.status}")
    rng = np.random.default_rng((seed, 1))
    for far in (1e-13, 1e-6, 1.0) if is_thorough else (1e-13,):
        w = problem.start((weights * (1.0 + far * rng.normal(size=weights.shape)), 0.0 * intercept)).weights
        b = intercept * (1.0 + far * rng.normal(size=intercept.shape)) if problem.fit_intercept else 0.0 * intercept
        if np.all(np.isfinite(w)) and np.all(np.isfinite(b)):
            certificate = certify(problem, LinearPoint(w, b if b.ndim else float(b)))
            for part in parts:
                faults += _of_gap(f"a point {far:g} away", part.claim(certificate), part, part.point(w, b))
    return faults


def _of_gap(where: str, claim: DualityGap, part: _Part, x: Balls) -> list[str]:
    """The objective within its rounding, the gap not below the suboptimality where it is claimed."""
    where = where if part.j is None else f"{where}, score {part.j}"
    faults: list[str] = []
    if not np.isfinite(claim.gap):
        return faults
    objective = part.truth.objective(x)
    if abs(objective - arb(claim.objective)) > arb(claim.rounding):
        off = float(abs(objective - arb(claim.objective)).mid())
        faults.append(f"{where}: objective {claim.objective!r} is off by {off:.3g}, said {claim.rounding:.3g}")
    for value, other in part.lower:
        sizes = zip(part.truth.sizes(other), (claim.weights_radius, claim.radius), strict=True)
        is_inside = all(not np.isfinite(radius) or size <= arb(radius) for size, radius in sizes)
        if is_inside and objective - value > arb(claim.gap):
            true = float((objective - value).mid())
            faults.append(f"{where}: gap {claim.gap:.6g}, truly at least {true:.6g}")
            break
    return faults


def _of_tolerance(part: _Part, x: Balls, claim: DualityGap) -> list[str]:
    if np.isfinite(claim.radius) or np.isfinite(claim.weights_radius):
        return []
    objective, at_zero = part.truth.objective(x), part.truth.objective([0 * v for v in x])
    allowed = arb(TOL) * abs(objective).max(abs(at_zero) * LEAST_SCALE) * (1 + arb(2) ** -40)
    worst = min((value for value, _ in part.lower), key=lambda value: float((value - objective).mid()))
    if objective - worst > allowed:
        return [
            f"certified, and {float(((objective - worst) / abs(objective)).mid()):.3g} of the objective from the least"
        ]
    return []

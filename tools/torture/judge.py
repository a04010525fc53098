"""Every claim that is made about a problem, judged: what is false comes back as a sentence."""

from __future__ import annotations

import traceback
import warnings
from typing import Any

import numpy as np
from flint import arb

import empirisk as er
from empirisk.capabilities import missing
from empirisk.certificates import DualityGap, duality_gap
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported
from empirisk.solvers import SOLVERS
from tools.torture.draw import Case, draw
from tools.torture.formulas import Ball
from tools.torture.truth import Balls, Truth, as_balls, healthy_start

TOL = 1e-6
LEAST_SCALE = 1e-6
REFUSED = ("spans too many orders of magnitude", "not supported", "no solver can minimise")  # no claims


def judge(seed: int, max_passes: float = 60, is_thorough: bool = True) -> tuple[Case | None, list[str]]:
    """Draw a problem, solve it and look at what is said; nothing is wrong where the list is empty.

    If not thorough, the search for lower points is short: fewer false claims would be found.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        case = draw(seed)
        if case is None:
            return None, []
        try:
            problem = case.problem()
            solver = _solver(seed, problem)
            solution = er.minimize(problem, solver, tol=TOL, max_passes=max_passes)
            return case, [f"{solver}: {fault}" for fault in _faults(seed, case, problem, solution, is_thorough)]
        except (Unsupported, ValueError) as error:
            said = str(error)
            return case, [] if any(part in said for part in REFUSED) else [f"{type(error).__name__}: {said}"]
        except Exception:
            return case, [" ".join(traceback.format_exc().split("\n")[-5:])]


def _solver(seed: int, problem: Any) -> str:
    """The default as a rule, else one of those that can."""
    rng = np.random.default_rng((seed, 2))
    able = [name for name, cls in SOLVERS.items() if not missing(cls(), problem)]
    return "auto" if rng.random() < 0.6 else str(rng.choice(able))


def _faults(seed: int, case: Case, problem: Any, solution: Any, is_thorough: bool) -> list[str]:
    truth = Truth(case)
    here = as_balls(solution.weights, solution.intercept)
    starts = [here, as_balls(np.zeros(truth.d), 0.0)]
    healthy = healthy_start(case) if is_thorough else None
    if healthy is not None:
        starts.append(healthy)
    lower = truth.best(starts, is_thorough)
    faults = []
    verdict = er.verify(solution, problem)
    if not verdict.holds and np.isfinite(solution.certificate.gap):  # an infinite one claims nothing
        faults.append(f"verify refuses its own certificate: {verdict.sentence}")
    if isinstance(solution.certificate, DualityGap):
        faults += _of_gap("solution", solution.certificate, truth, here, lower)
        if solution.certified:
            faults += _of_tolerance(truth, here, lower, solution.certificate)
    elif "no minimiser" in solution.status and case.options["l1"] + case.options["l2"] > 0.0:
        faults.append(f"no minimiser, with a penalty: {solution.status}")
    rng = np.random.default_rng((seed, 1))
    for far in (1e-13, 1e-6, 1.0) if is_thorough else (1e-13,):
        w = problem.start((solution.weights * (1.0 + far * rng.normal(size=truth.d)), 0.0)).weights
        b = solution.intercept * (1.0 + far * rng.normal()) if truth.has_intercept else 0.0
        if np.all(np.isfinite(w)) and np.isfinite(b):
            certificate = duality_gap(problem, LinearPoint(w, float(b)))
            faults += _of_gap(f"a point {far:g} away", certificate, truth, as_balls(w, b), lower)
    return faults


def _of_gap(where: str, claim: DualityGap, truth: Truth, x: Balls, lower: list[tuple[Ball, Balls]]) -> list[str]:
    """The objective within its rounding, the gap not below the suboptimality where it is claimed."""
    faults = []
    if not np.isfinite(claim.gap):
        return faults
    objective = truth.objective(x)
    if abs(objective - arb(claim.objective)) > arb(claim.rounding):
        off = float(abs(objective - arb(claim.objective)).mid())
        faults.append(f"{where}: objective {claim.objective!r} is off by {off:.3g}, said {claim.rounding:.3g}")
    for value, other in lower:
        inside = abs(other[-1]) <= arb(claim.radius) if np.isfinite(claim.radius) else True
        if np.isfinite(claim.weights_radius):
            inside = inside and sum((v * v for v in other[:-1]), arb(0)).sqrt() <= arb(claim.weights_radius)
        if inside and objective - value > arb(claim.gap):
            true = float((objective - value).mid())
            faults.append(f"{where}: gap {claim.gap:.6g}, truly at least {true:.6g}")
            break
    return faults


def _of_tolerance(truth: Truth, x: Balls, lower: list[tuple[Ball, Balls]], claim: DualityGap) -> list[str]:
    if np.isfinite(claim.radius) or np.isfinite(claim.weights_radius):
        return []
    objective, at_zero = truth.objective(x), truth.objective(as_balls(np.zeros(truth.d), 0.0))
    allowed = arb(TOL) * abs(objective).max(abs(at_zero) * LEAST_SCALE) * (1 + arb(2) ** -40)
    worst = min((value for value, _ in lower), key=lambda value: float((value - objective).mid()))
    if objective - worst > allowed:
        return [
            f"certified, and {float(((objective - worst) / abs(objective)).mid()):.3g} of the objective from the least"
        ]
    return []

"""Verdicts on planes and balls, judged in rational numbers: what is false comes back as a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import empirisk as er
from tools.torture.draw import stored
from tools.torture.draw_points import PointSet, draw_points
from tools.torture.judged import CERTIFIED, NOT_DRAWN, OPEN, Effort, Judged, judged
from tools.torture.plane_truth import PlaneTruth, Rational, distance, dot, rational, rationals, smallest_ball

TOL = 1e-6
REFUSALS = ("larger than float64 holds",)
FORMS = ("online", "averaged", "voted", "pocket", "batch", "gradient")
NODES_A_PASS = 30  # boxes of planes, for each pass that an effort allows
Answered = tuple[str, list[str]]


def judge_separate(seed: int, effort: Effort) -> Judged:
    """`er.separate`: planes, conflicts, or no verdict."""

    def look(given: PointSet, truth: PlaneTruth, X: Any) -> Answered:
        verdict = er.separate(X, given.y, fit_intercept=given.fit_intercept)
        faults = of_verdict(truth, verdict)
        if not isinstance(verdict, er.Undecided):
            faults += _of_verify(er.verify(verdict, X, given.y))
        return CERTIFIED if verdict.is_separable is not None else OPEN, faults

    return _judged(seed, look)


def judge_widest_gap(seed: int, effort: Effort) -> Judged:
    """`er.widest_gap`, with b free or a weight like the others."""

    def look(given: PointSet, truth: PlaneTruth, X: Any) -> Answered:
        is_augmented = bool(given.rng.random() < 0.3)
        found = er.widest_gap(X, given.y, fit_intercept=given.fit_intercept, tol=TOL, augmented=is_augmented)
        if not isinstance(found, er.WidestGap):
            return CERTIFIED if found.is_separable is not None else OPEN, of_verdict(truth, found)
        faults = of_verdict(truth, found.plane) + _of_verify(er.verify(found, X, given.y))
        if truth.is_separable:
            least = truth.least_square(is_augmented)
            faults += _within("the least norm", least, found.norm_low, found.norm_high)
            faults += _within("the margin", 1 / least, found.margin_low, found.margin_high)
        return CERTIFIED if found.is_within(TOL) else OPEN, faults

    return _judged(seed, look)


def judge_enclosing_ball(seed: int, effort: Effort) -> Judged:
    """`er.enclosing_ball`."""

    def look(given: PointSet, truth: PlaneTruth, X: Any) -> Answered:
        ball = er.enclosing_ball(X, tol=TOL)
        faults = _of_verify(er.verify(ball, X))
        faults += _within("the least radius", smallest_ball(given.X), ball.radius_low, ball.radius_high)
        center = rationals(ball.center)
        if any(distance(point, center) > _square(ball.radius_high) for point in truth.points):
            faults.append(f"a point is outside of the ball of radius {ball.radius_high!r}")
        return CERTIFIED if ball.is_within(TOL) else OPEN, faults

    return _judged(seed, look)


def judge_perceptron(seed: int, effort: Effort) -> Judged:
    """`er.perceptron` in every form: its errors, its bound, its verdict."""

    def look(given: PointSet, truth: PlaneTruth, X: Any) -> Answered:
        rng, d = given.rng, given.X.shape[1]
        options: dict[str, Any] = {"form": str(rng.choice(FORMS)), "order": str(rng.choice(["cyclic", "random"]))}
        if rng.random() < 0.3:
            start = rng.normal(size=d) * 10.0 ** rng.uniform(-3, 3), float(rng.normal()) * given.fit_intercept
            options["start"] = start
        options["widest_gap"] = bool(rng.random() < 0.3)
        options |= {"fit_intercept": given.fit_intercept, "max_passes": effort.max_passes}
        run = er.perceptron(X, given.y, **options)
        faults = [] if run.verdict is None else of_verdict(truth, run.verdict)
        faults += [] if run.plane is None else of_verdict(truth, run.plane)
        planes = run.last, (run.weights, run.intercept)
        if run.is_separated and all(min(truth.margins(*plane)) <= 0 for plane in planes):
            faults.append(f"{run.status}, and both answer and last plane have a point not on its side")
        for name, w, b, errors in (("answer", run.weights, run.intercept, run.errors), ("best plane", *run.best)):
            wrong = sum(margin <= 0 for margin in truth.margins(w, b)) if np.all(np.isfinite([*w, b])) else len(given.y)
            faults += [] if errors in (wrong, None) else [f"{errors} errors of the {name}, truly {wrong}"]
        if run.certificate is not None:
            faults += _of_verify(er.verify(run.certificate, X, given.y))
            if run.certificate.counted > run.certificate.bound:
                faults.append(f"{run.certificate.counted} mistakes, at most {run.certificate.bound}")
            if run.certificate.is_from_zero and truth.is_separable and math.isfinite(run.bound):
                product = truth.largest_square() * truth.least_square(True)
                faults += [] if product <= rational(run.bound) else [f"(R B)^2 is more than {run.bound!r}"]
        is_decided = run.certificate is not None or run.conflict is not None
        return CERTIFIED if is_decided else OPEN, [f"{options}: {fault}" for fault in faults]

    return _judged(seed, look)


def judge_fewest_errors(seed: int, effort: Effort) -> Judged:
    """`er.fewest_errors`, with weights: every subset of the rows is the truth."""

    def look(given: PointSet, truth: PlaneTruth, X: Any) -> Answered:
        options = {"sample_weight": given.weights, "fit_intercept": given.fit_intercept}
        most = NODES_A_PASS * effort.max_passes
        found = er.fewest_errors(X, given.y, **options, time_limit=None, max_nodes=most)
        weights = rationals(np.ones(len(given.y)) if given.weights is None else given.weights)
        least = truth.least_error(weights)
        margins = truth.margins(found.weights, found.intercept)
        lost = sum((s for s, margin in zip(weights, margins, strict=True) if margin <= 0), rational(0.0))
        faults = _of_verify(er.verify(found.certificate, X, given.y, given.weights))
        if lost > rational(found.errors):
            faults.append(f"the plane loses more than {found.errors!r}")
        if rational(found.bound) > least:
            faults.append(f"every plane loses {found.bound!r}, truly {float(least.p) / float(least.q)!r}")
        unit = sum(weights, rational(0.0)) * rational(2.0**-50)  # weights are rounded to whole units
        if found.is_optimal and lost - least > unit:
            faults.append(f"optimal with {found.errors!r}, and fewer are possible")
        return CERTIFIED if found.is_optimal else OPEN, faults

    return _judged(seed, look)


def of_verdict(truth: PlaneTruth, verdict: Any) -> list[str]:
    """What is false in a verdict of `separate`."""
    if isinstance(verdict, er.Separation):
        return ["separable, and is not"] if not truth.is_separable else _of_plane(truth, verdict)
    if isinstance(verdict, er.FineSeparation):
        parts = [rationals(part) for part in verdict.parts]
        u = [sum(column, rational(0.0)) for column in zip(*parts, strict=True)]
        return _of_margin("margin", min(truth.margins(u[:-1], u[-1])), dot(u, u), verdict.margin)
    if isinstance(verdict, er.Inseparability) and verdict.is_separable is False:
        if truth.is_separable:
            return ["inseparable, and a plane separates them"]
        return [] if truth.is_conflict(verdict.rows) else [f"no minimal conflict: rows {verdict.rows}"]
    return []


def _of_plane(truth: PlaneTruth, plane: er.Separation) -> list[str]:
    """The numbers of a plane that separates."""
    w, b = rationals(plane.weights), rational(plane.intercept)
    least = min(truth.margins(w, b))
    faults = [] if least >= 1 else ["some y (<w, x> + b) is below 1"]
    faults += _of_margin("margin", least, dot(w, w) + b * b, plane.margin)
    faults += _of_margin("affine_margin", least, dot(w, w), plane.affine_margin)
    if _square(plane.radius) < truth.largest_square():
        faults.append(f"the radius is more than {plane.radius!r}")
    return faults + _within("B", truth.least_square(True), plane.b_low, plane.b_high)


def _of_margin(name: str, least: Rational, square: Rational, claim: float) -> list[str]:
    """A margin is claimed, of a plane with this least product and this square of its norm."""
    is_true = least > 0 and claim >= 0.0 and _square(claim) * square <= least * least
    return [] if is_true else [f"the {name} is less than {claim!r}"]


def _within(what: str, square: Rational, low: float, high: float) -> list[str]:
    """Whether the root of a number is in an interval."""
    is_above = low >= 0.0 and math.isfinite(low) and _square(low) <= square
    is_below = high == math.inf or square <= _square(high)
    return [] if is_above and is_below else [f"{what} is not between {low!r} and {high!r}"]


def _square(x: float) -> Rational:
    return rational(x) ** 2


def _of_verify(verdict: Any) -> list[str]:
    return [] if verdict.holds else [f"verify refuses its own certificate: {verdict.sentence}"]


def _judged(seed: int, look: Callable[[PointSet, PlaneTruth, Any], Answered]) -> Judged:
    given = draw_points(seed)
    if given is None:
        return Judged("", NOT_DRAWN, [])
    truth = PlaneTruth(given.X, given.y, given.fit_intercept)
    return judged(given.described(), lambda: look(given, truth, stored(given.X, given.storage)), REFUSALS)

"""The plane with the fewest training errors, with a bound that rises until it is proven, or the budget ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from empirisk.arithmetic import rounded_down, rounded_up
from empirisk.parameters import check_callback, check_count, check_seed, check_time_limit
from empirisk.progress import Event
from empirisk.protocols import Vector
from empirisk.separation.found_plane import FoundPlane
from empirisk.separation.inseparability import Inseparability
from empirisk.separation.perceptron_runs.answer import Answer
from empirisk.separation.plane import Separation
from empirisk.separation.points import Points, points_of
from empirisk.separation.separate import separate_points
from empirisk.zero_one.budget import Budget, SearchStatus
from empirisk.zero_one.evidence import Evidence, Packing, Proof
from empirisk.zero_one.merged_points import MergedPoints, in_units, merge_points
from empirisk.zero_one.optimality import ZeroOneOptimality, certificate_of, weights_of
from empirisk.zero_one.packing import find_packing, scaled_points
from empirisk.zero_one.prove import Space, prove, space_of
from empirisk.zero_one.recount import wrong_rows
from empirisk.zero_one.starts import directions
from empirisk.zero_one.whitened_points import WhitenedPoints, plane_of

MOST_COORDINATES = 12  # of the points, for which boxes are cut at all
MOST_ENTRIES = 2_000_000  # of the points: the stack of boxes takes two hundred bytes for each
MOST_PACKED = 200  # coordinates, or points if these are fewer, for which conflicts are looked for
START_SHARE = 0.5  # of the time, where boxes are too many
# Tries to prove the best plane optimal: boxes, and the share of the time that goes to conflicts after each.
TRIES = ((50_000, 0.02), (300_000, 0.1))
FIRST_LIMIT = 0.5  # of the best plane's errors: what is proven first, when these tries fail
STEP = 0.75  # of what is then left, each time
NUDGES = (1e-15, 1e-13, 1e-11, 1e-8)  # of the largest term of a score


class Progress(NamedTuple):
    """What a callback gets."""

    best: float
    bound: float
    nodes: int
    seconds: float

    @property
    def gap(self) -> float:
        """Between the best plane and the bound."""
        return self.best - self.bound

    def event(self) -> Event:
        """As every long run tells it; done is the share of the best plane's errors that is proven."""
        numbers = {"best": self.best, "bound": self.bound, "gap": self.gap, "boxes": float(self.nodes)}
        return Event("search", self.bound / self.best if self.best > 0.0 else 1.0, numbers, self.seconds)


class FewestErrors(NamedTuple):
    """The answer: the plane is within `certificate.gap` of the fewest errors."""

    weights: Vector
    intercept: float
    certificate: ZeroOneOptimality
    status: SearchStatus  # why it ended
    nodes: int
    seconds: float

    @property
    def errors(self) -> float:
        """The weight of the rows on the wrong side, or on the plane."""
        return self.certificate.errors

    @property
    def bound(self) -> float:
        """Every plane has at least these errors."""
        return self.certificate.bound

    @property
    def is_optimal(self) -> bool:
        """Whether the two are the same."""
        return self.certificate.is_optimal

    def found_plane(self) -> FoundPlane:
        """For the model."""
        plane = Answer(self.weights, self.intercept)
        return FoundPlane("fewest_errors", plane, self.certificate, self.status)


def fewest_errors(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    fit_intercept: bool = True,
    time_limit: float | None = 60.0,
    max_nodes: int | None = None,
    seed: int = 0,
    callback: Callable[[Progress], Any] | None = None,
) -> FewestErrors:
    """Minimise the weight of the rows with y (<w, x> + b) <= 0 over all planes.

    `time_limit` is in seconds, None for no limit; `max_nodes` limits the boxes of planes that are looked at. The
    callback is called about fifty times a second; returning True stops. So does Ctrl-C: what was found and proven so
    far is returned.
    """
    check_callback(callback)
    limit, seed = check_time_limit(time_limit), check_seed(seed)
    most = None if max_nodes is None else check_count("max_nodes", max_nodes, 0)
    points = points_of(X, y, fit_intercept, sample_weight)
    weights = weights_of(points)
    budget = Budget(limit, most)
    run = _Run(points, merge_points(points, weights), weights, budget, callback)
    ended = None
    try:
        with np.errstate(all="ignore"):  # what overflows is not decided
            run.search(seed)
            budget.is_spent()  # the parts of a budget have reasons of their own
    except KeyboardInterrupt:
        ended = SearchStatus.INTERRUPTED
    certificate = certificate_of(points, run.merged, run.plane, run.proof, run.packing)
    status = SearchStatus.PROVEN if certificate.is_optimal else ended or budget.reason or SearchStatus.WORN_OUT
    return FewestErrors(*run.plane, certificate, status, budget.nodes, budget.seconds)


class _Run:
    """The best plane and the best bound so far."""

    def __init__(self, points: Points, merged: MergedPoints, weights: Vector, budget: Budget, callback: Any) -> None:
        self.points, self.merged, self.budget, self.callback = points, merged, budget, callback
        budget.report = self.report
        self.units = np.array(in_units(weights)[0], dtype=np.int64)
        self.sizes = np.ones(points.n_columns + points.fit_intercept)  # of the columns
        if merged.n_points:
            self.sizes = np.max(np.abs(merged.z), axis=0)
            self.sizes[self.sizes == 0.0] = 1.0
        self.plane: tuple[Vector, float] = (np.zeros(points.n_columns), 0.0)
        self.best = merged.total  # units, with the base
        self.proof: Proof | None = None
        self.packing: Packing | None = None
        self.packed = 0  # what it proves, in units

    def search(self, seed: int) -> None:
        """Starts, quick tries, conflicts, then limits that rise."""
        self._try_simple(seed)
        if self.left() <= 0 or not self.merged.n_points:
            return
        if self.merged.z.shape[1] > MOST_COORDINATES or self.merged.z.size > MOST_ENTRIES:
            self._search_large(seed)
            return
        space = space_of(self.merged, seed)
        for u in directions(space.whitened, self.budget, seed):
            self.take(space, u)
        evidence = Evidence(self.merged)
        for turn, (nodes, share) in enumerate(TRIES):
            if self.left() <= 0 or self._prove(space, evidence, self.limit(), nodes):
                return
            self._pack(share, seed + turn, Evidence(self.merged))
        while self.left() > 0 and not self.budget.is_spent():
            gap = self.limit() - self.proven()
            first = math.ceil(FIRST_LIMIT * self.limit()) - self.proven()
            step = max(1, first if self.proof is None and first > 0 else math.ceil(STEP * gap))
            if not self._prove(space, evidence, self.proven() + step, math.inf):
                return

    def _search_large(self, seed: int) -> None:
        """Where boxes are too many: a plane without errors, or starts and conflicts."""
        verdict = separate_points(self.merged.as_points(), time_limit=self.budget.seconds_left(), seed=seed)
        if isinstance(verdict, Separation):
            self.try_plane(verdict.weights)
            return
        evidence = Evidence(self.merged)
        if isinstance(verdict, Inseparability):
            largest = max(verdict.weights)
            evidence.find_conflict(np.array(verdict.rows), np.array([weight / largest for weight in verdict.weights]))
        scaled = scaled_points(self.merged)
        scaled_only = WhitenedPoints(scaled.a, scaled.powers, scaled.blur, self.merged.weights)
        for u in directions(scaled_only, self.budget.part(START_SHARE), seed):
            self.try_plane(scaled.direction(u))
        if min(self.merged.z.shape) <= MOST_PACKED or evidence.conflicts:
            self._pack(1.0, seed, evidence)

    def _prove(self, space: Space, evidence: Evidence, limit: int, max_nodes: float) -> bool:
        """Prove a limit (in units, without the base); False where that did not raise the bound."""
        before = self.proven()
        proof = prove(space, limit, self.budget, evidence, lambda u: self.take(space, u), max_nodes)
        if proof is not None and proof.loss > before:
            self.proof = proof
        return self.proven() > before

    def _pack(self, share: float, seed: int, evidence: Evidence) -> None:
        part = self.budget.part(share)
        packing, planes = find_packing(self.merged, evidence, part, self.limit(), seed)
        loss = packing.loss(self.merged)
        if loss > self.packed:
            self.packing, self.packed = packing, loss
        for w in planes:
            self.try_plane(w)

    def proven(self) -> int:
        """What every plane loses besides the base, in units."""
        return max(0 if self.proof is None else self.proof.loss, self.packed)

    def limit(self) -> int:
        """What the best plane loses besides the base."""
        return self.best - self.merged.base

    def left(self) -> int:
        """The gap in units."""
        return self.limit() - self.proven()

    def take(self, space: Space, u: Vector) -> int:
        """Count the errors of the plane of a direction; what the best plane now loses besides the base."""
        self.try_plane(plane_of(space.columns, space.L, u, self.merged.z.shape[1]))
        return self.limit()

    def try_plane(self, w: Vector) -> None:
        """Keep the plane of the direction w of the points z where it is better, by an exact count."""
        largest = np.max(np.abs(w), initial=0.0)
        if not 0.0 < largest < math.inf:
            return
        w = np.ldexp(w, -int(np.frexp(largest)[1]))
        if self._count(w):
            return
        draw, sizes = np.random.default_rng(0), self.sizes
        for share in NUDGES:  # off the copies with both labels that lie on it
            if self._count(w + share * np.max(np.abs(w) * sizes) * draw.standard_normal(w.size) / sizes):
                return

    def _count(self, w: Vector) -> bool:
        """Keep w where it is better; whether no copies with both labels lie on it."""
        b = float(w[-1]) if self.points.fit_intercept else 0.0
        w = w[: self.points.n_columns].copy()
        is_wrong = wrong_rows(self.points, w, b)
        lost = int(self.units[is_wrong].sum())
        if lost < self.best:
            self.best, self.plane = lost, (w, b)
        return lost == self.merged.base + int(self.merged.weights[is_wrong[self.merged.rows]].sum())

    def _try_simple(self, seed: int) -> None:
        """The constants; without an intercept any direction, as zero has every point on its plane."""
        simple = np.random.default_rng(seed).standard_normal(size=self.sizes.size) / self.sizes
        if self.points.fit_intercept:
            simple[:-1], simple[-1] = 0.0, 1.0
        self.try_plane(simple)
        self.try_plane(-simple)

    def report(self) -> bool:
        """Tell the callback; whether it asks to stop."""
        if self.callback is None:
            return False
        best = rounded_up(self.merged.in_weight(self.best))
        bound = rounded_down(self.merged.in_weight(self.merged.base + self.proven()))
        return bool(self.callback(Progress(best, bound, self.budget.nodes, self.budget.seconds)))

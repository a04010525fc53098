"""The certificate of a problem that falls apart, into classes or targets: the duality gap of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import name_of
from empirisk.certificates.duality_gap import ARRAYS, NUMBERS, DualityGap, duality_gap
from empirisk.certificates.fields import array_of, check_names, expect, numbers_json, text_of
from empirisk.certificates.gap_words import gap_words
from empirisk.certificates.registry import register
from empirisk.certificates.verification import OTHER_POINT, OTHER_PROBLEM, digest
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.several_targets import SeveralTargets
from empirisk.protocols import Verification, Words
from empirisk.rows.threads import in_threads

CLASSES, TARGETS = "class", "target"
PLURALS = {CLASSES: "classes", TARGETS: "targets"}
Parts = MulticlassRisk | SeveralTargets


@register
class ClassGaps(NamedTuple):
    """The objective of each class against the rest, or of each of several targets, is within its gap of its minimum.

    The objective of the whole is the sum over the classes, and so are the bounds. A tolerance holds where it holds for
    each class: a small gap of the sum would let a class with a small objective be far off.
    """

    gaps: tuple[DualityGap, ...]
    subject: str = ""  # digest of all weights and intercepts
    noun: str = CLASSES  # what the problem falls apart into

    @property
    def objective(self) -> float:
        """The sum of the classes' objectives."""
        return math.fsum(gap.objective for gap in self.gaps)

    @property
    def dual_value(self) -> float:
        """The sum of their dual values."""
        return math.fsum(gap.dual_value for gap in self.gaps)

    @property
    def gap(self) -> float:
        """The sum of their gaps, which bounds the suboptimality of the sum."""
        return sum(gap.gap for gap in self.gaps)

    @property
    def rounding(self) -> float:
        """The sum of their roundings."""
        return sum(gap.rounding for gap in self.gaps)

    @property
    def scale(self) -> float:
        """The sum of their scales."""
        return sum(gap.scale for gap in self.gaps)

    @property
    def radius(self) -> float:
        """Of the intercepts that every class's claim covers."""
        return min(gap.radius for gap in self.gaps)

    @property
    def weights_radius(self) -> float:
        """Of the weights that every class's claim covers."""
        return min(gap.weights_radius for gap in self.gaps)

    @property
    def relative_gap(self) -> float:
        """The largest relative gap of a class."""
        return max(gap.relative_gap for gap in self.gaps)

    def is_within(self, tol: float) -> bool:
        """Whether every class is."""
        return all(gap.is_within(tol) for gap in self.gaps)

    def is_rounding_only(self) -> bool:
        """Whether no class's gap is larger than rounding alone can make it."""
        return all(gap.is_rounding_only() for gap in self.gaps)

    def about(self, point: LinearPoint) -> ClassGaps:
        """The same certificate, bound to this point."""
        gaps = tuple(gap.about(_of_class(point, j)) for j, gap in enumerate(self.gaps))
        return self._replace(gaps=gaps, subject=digest(point))

    def with_evidence(self, point: LinearPoint) -> LinearPoint:
        """The point with the stored dual variables of each class; without evidence when nothing is stored."""
        stored = tuple(gap.with_evidence(point).dual for gap in self.gaps)
        return point._replace(evidence=None if all(column is None for column in stored) else stored)

    def sentence(self) -> str:
        """The claim in words."""
        where = "any intercepts" if math.isinf(self.radius) else f"intercepts up to {self.radius:g} in size"
        norm = self.weights_radius
        where += f" and weights of norm up to {norm:g} for each {self.noun}" if math.isfinite(norm) else ""
        said = f"The objective {self.objective:.10g}, a sum over {len(self.gaps)} {PLURALS[self.noun]}, is within "
        relative = f"(largest relative gap of a {self.noun} {self.relative_gap:.2g})"
        return f"{said}{self.gap:.3g} of the minimum {relative} for {where}, rounding included."

    def words(self, tol: float) -> Words:
        """What a floor proves."""
        return gap_words(self, tol)

    def verify(self, problem: Parts, point: LinearPoint) -> Verification:
        """Recompute the gap of every class."""
        if _noun(problem) != self.noun or not isinstance(point, LinearPoint):
            return OTHER_PROBLEM
        if self.subject != digest(point):
            return OTHER_POINT
        count = len(self.gaps)
        shapes = np.shape(point.weights)[:1], np.shape(point.intercept)
        if problem.n_classes != count or shapes != ((count,), (count,)):
            said = f"The certificate speaks of {count} {PLURALS[self.noun]}, the problem has {problem.n_classes}."
            return Verification(False, said)
        verdicts = _each_class(problem, lambda j, part: self.gaps[j].verify(part, _of_class(point, j)))
        for j, verdict in enumerate(verdicts):
            if not verdict.holds:
                return verdict._replace(sentence=f"{self.noun.capitalize()} {j}: {verdict.sentence}")
        gap = sum(verdict.numbers["gap"] for verdict in verdicts)
        return Verification(True, f"Recomputed from the data: the gap is at most {gap:.3g}.", {"gap": gap})

    def to_json(self) -> dict[str, Any]:
        """The numbers of every class; the dual points are in `arrays`."""
        return {
            "kind": name_of(self),
            "classes": [numbers_json(gap, NUMBERS) for gap in self.gaps],
            "subjects": [gap.subject for gap in self.gaps],
            "subject": self.subject,
            **({} if self.noun == CLASSES else {"noun": self.noun}),
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The dual points, one class after the other, and where each starts."""
        return {
            "dual_rows": np.concatenate([gap.dual_rows for gap in self.gaps]),
            "dual_values": np.concatenate([gap.dual_values for gap in self.gaps]),
            "dual_starts": np.cumsum([0, *(gap.dual_rows.size for gap in self.gaps)]),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> ClassGaps:
        """What `to_json` and `arrays` gave."""
        noun = data.get("noun", CLASSES)
        expect(noun in (CLASSES, TARGETS) and data.get("noun") != CLASSES, "noun")
        names = ("classes", "subjects", "subject", *(() if noun == CLASSES else ("noun",)))
        check_names(cls, data, names, arrays, (*ARRAYS, "dual_starts"))
        numbers, subjects = data["classes"], data["subjects"]
        expect(isinstance(numbers, list) and isinstance(subjects, list), "classes")
        expect(0 < len(numbers) == len(subjects), "classes")
        starts, whole = array_of(arrays, "dual_starts", np.int64), array_of(arrays, "dual_rows", np.int64)
        values = array_of(arrays, "dual_values")
        expect(values.size == whole.size, "dual_values")
        expect(starts.size == len(numbers) + 1 and starts[0] == 0 and starts[-1] == whole.size, "dual_starts")
        expect(np.all(np.diff(starts) >= 0), "dual_starts")
        gaps = []
        for j, (fields, subject) in enumerate(zip(numbers, subjects, strict=True)):
            expect(isinstance(fields, dict), "classes")
            rows = slice(int(starts[j]), int(starts[j + 1]))
            dual = {"dual_rows": whole[rows], "dual_values": values[rows]}
            gaps.append(DualityGap.from_json({"kind": name_of(DualityGap), **fields, "subject": subject}, dual))
        return cls(tuple(gaps), text_of(data, "subject"), noun)


def class_gaps(problem: Parts, point: LinearPoint) -> ClassGaps:
    """Certify weights (K x d) and intercepts of a problem that falls apart into K; dual variables are n x K."""
    shape = (problem.n_classes, problem.rows.n_columns)
    if point.weights.shape != shape or np.shape(point.intercept) != shape[:1]:
        raise ValueError(f"weights of shape {point.weights.shape} do not fit {problem.n_classes} classes or targets")
    gaps = tuple(_each_class(problem, lambda j, part: duality_gap(part, _of_class(point, j))))
    return ClassGaps(gaps, noun=_noun(problem))


def _noun(problem: Any) -> str:
    """What it falls apart into; empty where it does not."""
    if isinstance(problem, SeveralTargets):
        return TARGETS
    return CLASSES if isinstance(problem, MulticlassRisk) and problem.loss.splits() else ""


def _of_class(point: LinearPoint, j: int) -> LinearPoint:
    dual = None if point.dual is None else point.dual[j]
    return LinearPoint(np.ascontiguousarray(point.weights[j]), float(point.intercept[j]), dual)


def _each_class(problem: Parts, task: Callable[[int, EmpiricalRisk], Any]) -> list[Any]:
    """task(j, problem of class j) for every class: threads are over the classes, one thread each."""

    def one(j: int) -> Any:
        return task(j, problem.of_class(j).with_threads(1))

    return in_threads(one, list(range(problem.n_classes)), problem.n_threads)

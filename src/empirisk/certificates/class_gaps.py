"""The certificate of a one-versus-rest problem: the duality gap of every class."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.certificates.duality_gap import NUMBERS, DualityGap, duality_gap
from empirisk.certificates.verification import Verification, digest, number_text
from empirisk.protocols import Matrix, Vector, name_of
from empirisk.rows.blocks import map_blocks


class ClassGaps(NamedTuple):
    """The objective of each class against the rest is within its gap of its minimum.

    The objective of the whole is the sum over the classes, and so are the bounds. A tolerance holds where it holds for
    each class: a small gap of the sum would let a class with a small objective be far off.
    """

    gaps: tuple[DualityGap, ...]
    subject: str = ""  # digest of all weights and intercepts

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
    def relative_gap(self) -> float:
        """The largest relative gap of a class."""
        return max(gap.relative_gap for gap in self.gaps)

    def is_within(self, tol: float) -> bool:
        """Whether every class is."""
        return all(gap.is_within(tol) for gap in self.gaps)

    def is_rounding_only(self) -> bool:
        """Whether no class's gap is larger than rounding alone can make it."""
        return all(gap.is_rounding_only() for gap in self.gaps)

    def about(self, w: Matrix, b: Vector) -> ClassGaps:
        """The same certificate, bound to these weights."""
        bound = tuple(gap.about(w[j], float(b[j])) for j, gap in enumerate(self.gaps))
        return ClassGaps(bound, digest(w, b))

    def sentence(self) -> str:
        """The claim in words."""
        where = "any intercepts" if math.isinf(self.radius) else f"intercepts up to {self.radius:g} in size"
        norm = min(gap.weights_radius for gap in self.gaps)
        where += f" and weights of norm up to {norm:g} for each class" if math.isfinite(norm) else ""
        return (
            f"The objective {self.objective:.10g}, a sum over {len(self.gaps)} classes, is within {self.gap:.3g} of "
            f"the minimum (largest relative gap of a class {self.relative_gap:.2g}) for {where}, rounding included."
        )

    def verify(self, problem: Any, w: Matrix, b: Vector) -> Verification:
        """Recompute the gap of every class."""
        if self.subject != digest(w, b):
            return Verification(False, "The certificate speaks of other weights than these.", math.nan)
        count = len(self.gaps)
        if problem.n_classes != count or w.shape[0] != count or b.size != count:
            said = f"The certificate speaks of {count} classes, the problem has {problem.n_classes}."
            return Verification(False, said, math.nan)
        verdicts = _each_class(problem, lambda j, part: self.gaps[j].verify(part, _row(w, j), float(b[j])))
        for j, verdict in enumerate(verdicts):
            if not verdict.holds:
                return Verification(False, f"Class {j}: {verdict.sentence}", verdict.gap)
        gap = sum(verdict.gap for verdict in verdicts)
        return Verification(True, f"Recomputed from the data: the gap is at most {gap:.3g}.", gap)

    def given(self, n: int) -> Matrix | None:
        """The stored dual variables, n x K, nan elsewhere; None when nothing is stored."""
        stored = [gap.given(n) for gap in self.gaps]
        if all(column is None for column in stored):
            return None
        return np.column_stack([np.full(n, np.nan) if column is None else column for column in stored])

    def to_json(self) -> dict[str, Any]:
        """The numbers of every class; the dual points are in `arrays`."""
        numbers = [{name: number_text(getattr(gap, name)) for name in NUMBERS} for gap in self.gaps]
        return {
            "kind": name_of(self),
            "classes": numbers,
            "subjects": [gap.subject for gap in self.gaps],
            "subject": self.subject,
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The dual points, one class after the other, and where each starts."""
        return {
            "dual_rows": np.concatenate([gap.dual_rows for gap in self.gaps]),
            "dual_values": np.concatenate([gap.dual_values for gap in self.gaps]),
            "dual_starts": np.cumsum([0, *(gap.dual_rows.size for gap in self.gaps)]),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> ClassGaps:
        """What `to_json` and `arrays` gave."""
        starts = arrays["dual_starts"]
        if len(data["classes"]) != len(data["subjects"]) or starts.size != len(data["classes"]) + 1:
            raise ValueError("the certificate is damaged: its lists have different lengths")
        gaps = []
        for j, (numbers, subject) in enumerate(zip(data["classes"], data["subjects"], strict=True)):
            rows = slice(int(starts[j]), int(starts[j + 1]))
            dual = {"dual_rows": arrays["dual_rows"][rows], "dual_values": arrays["dual_values"][rows]}
            gaps.append(DualityGap.from_json({**numbers, "subject": subject}, dual))
        return cls(tuple(gaps), str(data["subject"]))


def class_gaps(problem: Any, w: Matrix, b: Vector, dual: Matrix | None = None) -> ClassGaps:
    """Certify weights w (K x d) and intercepts b of a one-versus-rest problem, `dual` being n x K."""
    if w.shape != (problem.n_classes, problem.design.n_columns()) or b.shape != (problem.n_classes,):
        raise ValueError(f"weights of shape {w.shape} do not fit {problem.n_classes} classes")
    return ClassGaps(
        tuple(
            _each_class(
                problem,
                lambda j, part: duality_gap(part, _row(w, j), float(b[j]), None if dual is None else _row(dual.T, j)),
            )
        )
    )


def _row(a: Matrix, j: int) -> Vector:
    return np.ascontiguousarray(a[j])


def _each_class(problem: Any, task: Any) -> list[Any]:
    """task(j, problem of class j) for every class: threads are over the classes, one thread each."""

    def one(j: int) -> Any:
        part = problem.of_class(j)
        part.n_threads = 1
        return task(j, part)

    return map_blocks(one, list(range(problem.n_classes)), problem.n_threads)

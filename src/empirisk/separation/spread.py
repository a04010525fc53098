"""A perceptron ends at some separating plane: how much margins and test errors differ from run to run.

Beside the runs stand the plane of the widest gap, of which there is one, and least squares on the labels -1 and +1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import name_of
from empirisk.certificates.seal import sealed_json
from empirisk.designs import as_design, check_finite
from empirisk.driver import minimize
from empirisk.parameters import check_count, check_seed
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.passes import scores_of
from empirisk.protocols import Vector
from empirisk.separation.fine_plane import FineSeparation
from empirisk.separation.inseparability import Inseparability
from empirisk.separation.margins_with_rounding import largest_and_nearest
from empirisk.separation.perceptron import perceptron
from empirisk.separation.points import Points, points_of
from empirisk.separation.separate import Undecided
from empirisk.separation.widest_gap import WidestGap, widest_gap_of_points

HEADINGS = ("plane", "margin", "of the widest", "errors", "test errors", "mistakes", "passes")


class SpreadLine(NamedTuple):
    """One plane, judged on all data."""

    name: str
    weights: Vector
    intercept: float
    margin: float  # min_i y_i (<w, x_i> + b) / ||w||: negative where a point is on the wrong side
    errors: int  # training points on the wrong side or on the plane
    test_errors: int | None  # test points predicted wrong; None without test data
    mistakes: int | None = None  # of a perceptron
    passes: float | None = None


class Spread(NamedTuple):
    """Perceptrons from many starts and orders, the widest gap, and least squares."""

    runs: tuple[SpreadLine, ...]
    widest: SpreadLine | None  # None where `gap` is no gap
    least_squares: SpreadLine
    gap: WidestGap | FineSeparation | Inseparability | Undecided
    n_rows: int
    n_test: int

    def sentence(self) -> str:
        """The spread in words."""
        said = f"{len(self.runs)} perceptrons: margins {_range(line.margin for line in self.runs)}"
        if self.widest is not None:
            said += f", the widest {self.widest.margin:.4g}"
        if self.n_test:
            errors = [100.0 * (line.test_errors or 0) / self.n_test for line in self.runs]
            said += f"; test errors in percent {_range(errors)}"
            if self.widest is not None:
                said += f", the widest gap {100.0 * (self.widest.test_errors or 0) / self.n_test:.4g}"
            said += f", least squares {100.0 * (self.least_squares.test_errors or 0) / self.n_test:.4g}"
        return said + "."

    def text(self) -> str:
        """A table, and the sentence below it."""
        widest = math.nan if self.widest is None else self.widest.margin
        lines = [*self.runs, *([] if self.widest is None else [self.widest]), self.least_squares]
        table = [HEADINGS, *(_cells(line, widest) for line in lines)]
        widths = [max(len(row[k]) for row in table) for k in range(len(HEADINGS))]
        shown = (
            "  ".join(cell.ljust(width) if k == 0 else cell.rjust(width) for k, (cell, width) in enumerate(pairs))
            for pairs in (tuple(zip(row, widths, strict=True)) for row in table)
        )
        verdict = [] if self.widest is not None else [self.gap.sentence()]
        return "\n".join([*(line.rstrip() for line in shown), self.sentence(), *verdict])

    def to_json(self) -> dict[str, Any]:
        """Every number, and the certificate of the gap (or the verdict), sealed."""
        return {
            "kind": name_of(self),
            "runs": [_plain(line) for line in self.runs],
            "widest": None if self.widest is None else _plain(self.widest),
            "least_squares": _plain(self.least_squares),
            "gap": self.gap.to_json() if isinstance(self.gap, Undecided) else sealed_json(self.gap),
            "n_rows": self.n_rows,
            "n_test": self.n_test,
        }


def perceptron_spread(
    X: Any,
    y: Any,
    X_test: Any = None,
    y_test: Any = None,
    *,
    n_runs: int = 20,
    fit_intercept: bool = True,
    max_passes: int = 1000,
    tol: float = 1e-6,
    seed: int = 0,
) -> Spread:
    """Train `n_runs` online perceptrons: the first from zero in the order of the rows, the others from random starts.

    A random start has the length R of the longest point, so that it weighs as much as one mistake, and its run has a
    random order. A run that has not separated the data after `max_passes` gives the best plane it saw. The widest gap
    is certified to `tol`, and so is the objective of least squares.
    """
    n_runs, seed = check_count("n_runs", n_runs), check_seed(seed)
    points = points_of(X, y, fit_intercept)
    test = None if X_test is None and y_test is None else _test_points(points, X_test, y_test)
    rng = np.random.default_rng(seed)
    radius = largest_and_nearest(points, 1.0)[0]
    runs = []
    for k in range(n_runs):
        start = _start(rng, points, radius) if k else None
        run = perceptron(
            X, y, order="random" if k else "cyclic", fit_intercept=fit_intercept, start=start,
            max_passes=max_passes, seed=seed + k, certify=False,
        )  # fmt: skip
        w, b = (run.weights, run.intercept) if run.is_separated else (run.best.weights, run.best.intercept)
        line = _judged("perceptron, from zero" if k == 0 else f"perceptron, start {k}", points, test, w, b)
        runs.append(line._replace(mistakes=run.mistakes, passes=run.passes))
    gap = widest_gap_of_points(points, tol=tol, seed=seed)
    widest = _judged("widest gap", points, test, gap.weights, gap.intercept) if isinstance(gap, WidestGap) else None
    squares = minimize(EmpiricalRisk(points.design, points.y, "squared", l2=0.0, fit_intercept=fit_intercept), tol=tol)
    line = _judged("least squares", points, test, squares.weights, squares.intercept)
    return Spread(tuple(runs), widest, line, gap, points.n_rows, 0 if test is None else test.n_rows)


def _start(rng: np.random.Generator, points: Points, radius: float) -> tuple[Vector, float]:
    drawn = rng.standard_normal(points.n_columns + points.fit_intercept)
    drawn *= radius / np.linalg.norm(drawn)
    return (drawn[:-1], float(drawn[-1])) if points.fit_intercept else (drawn, 0.0)


def _test_points(points: Points, X_test: Any, y_test: Any) -> Points:
    """Test data with the labels of the training data, of one class or of both."""
    if X_test is None or y_test is None:
        raise ValueError("X_test and y_test belong together: give both or neither")
    design, labels = as_design(X_test), np.asarray(y_test)
    check_finite(design)
    if design.n_columns() != points.n_columns:
        raise ValueError(f"X_test has {design.n_columns()} columns, X has {points.n_columns}")
    if labels.shape != (design.n_rows(),):
        raise ValueError(f"X_test has {design.n_rows()} rows, y_test has the shape {labels.shape}")
    is_known = np.isin(labels, points.classes)
    if not np.all(is_known):
        stranger = labels[int(np.argmin(is_known))]
        raise ValueError(f"y_test holds the label {stranger!r}, which y does not")
    return Points(design, np.where(labels == points.classes[1], 1.0, -1.0), points.fit_intercept, points.classes)


def _judged(name: str, points: Points, test: Points | None, w: Vector, b: float) -> SpreadLine:
    margins = points.y * scores_of(points.design, w, b)
    size = float(np.linalg.norm(w))
    margin = float(np.min(margins)) / size if size > 0.0 else 0.0
    wrong = None
    if test is not None:
        is_last = scores_of(test.design, w, b) >= 0.0
        wrong = int(np.count_nonzero(is_last != (test.y > 0.0)))
    return SpreadLine(name, w, float(b), margin, int(np.count_nonzero(margins <= 0.0)), wrong)


def _cells(line: SpreadLine, widest: float) -> tuple[str, ...]:
    share = "" if math.isnan(widest) or line.margin <= 0.0 else f"{100.0 * line.margin / widest:.2f} %"
    counts = ("" if value is None else str(value) for value in (line.test_errors, line.mistakes))
    passes = "" if line.passes is None else f"{line.passes:.4g}"
    test_errors, mistakes = counts
    return line.name, f"{line.margin:.6g}", share, str(line.errors), test_errors, mistakes, passes


def _range(values: Iterable[float]) -> str:
    known = np.array(list(values))
    return f"{known.min():.4g} to {known.max():.4g} (median {np.median(known):.4g})"


def _plain(line: SpreadLine) -> dict[str, Any]:
    return {**line._asdict(), "weights": line.weights.tolist()}

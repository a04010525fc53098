"""The problem that data and options pose: labels as numbers, class weights, scaled columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic.exact_floats import as_exact_array, check_exact
from empirisk.designs import as_design, check_finite, matrix_of
from empirisk.models.labels import class_numbers, classes_of, to_signs, with_class_weights
from empirisk.models.many_classes import many_class_risk
from empirisk.models.options import FitOptions
from empirisk.models.scaling import Scaling, scaling_of
from empirisk.problems.construction import check_weights
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_risk import LinearRisk
from empirisk.problems.several_targets import SeveralTargets
from empirisk.protocols import Vector
from empirisk.rows.fingerprint import fingerprint
from empirisk.rows.in_memory import InMemory
from empirisk.rows.threads import available_threads


class Posed(NamedTuple):
    """A problem, and how the user's data became it."""

    problem: LinearRisk
    classes: NDArray[Any] | None  # sorted; None for regression
    scaling: Scaling | None  # as computed from these data
    fingerprint: str


def pose(
    X: Any, y: Any, options: FitOptions, sample_weight: Any, classes: Any = None, stored: Scaling | None = None
) -> Posed:
    """The problem that these data and options pose, with the classes and scaling of the fit where given."""
    scaling: Scaling | None = None
    labels, design = as_exact_array(y), as_design(X)
    n = design.n_rows()
    if n == 0 or design.n_columns() == 0:
        raise ValueError(f"X is empty: it has {n} row(s) and {design.n_columns()} column(s)")
    weights = None if sample_weight is None else check_weights(sample_weight, n)
    has_targets = options.task == "regression" and labels.ndim == 2
    if labels.shape[:1] != (n,) or labels.ndim > (2 if has_targets else 1):
        raise ValueError(f"y must have one label for each of the {n} rows of X, got shape {labels.shape}")
    if options.task == "classification":
        classes = classes_of(labels, weights) if classes is None else classes
        labels, weights = _numbers_and_weights(labels, classes, options, weights)
    elif np.asarray(y).dtype.kind not in "biuf":
        raise ValueError(f"y must hold numbers for regression, got dtype {labels.dtype}")
    else:
        check_exact(labels, "y")
    if options.standardize:
        check_finite(design)
        given = np.empty(0) if weights is None else weights
        threads = options.n_threads or available_threads()
        scaling = scaling_of(InMemory(design, threads), given, options.fit_intercept)
    # The stored scaling, where it agrees with that of the data: other machines round sums otherwise.
    used = stored if stored is not None and agree(scaling, stored) else scaling
    rows = design if used is None else used.apply(matrix_of(design))
    if classes is not None and classes.size > 2:
        problem: LinearRisk = many_class_risk(rows, labels, classes.size, options, weights)
    else:
        problem = (SeveralTargets if has_targets else EmpiricalRisk)(
            rows,
            labels.astype(np.float64),
            options.loss,
            l1=options.l1,
            l2=options.l2,
            regularizer=options.regularizer,
            constraint=options.constraint,
            sample_weight=weights,
            fit_intercept=options.fit_intercept,
            n_threads=options.n_threads,
        )
    printed = fingerprint(design, labels.astype(np.float64), weights, problem.n_threads)
    return Posed(problem, classes, scaling, printed)


def fingerprint_of(X: Any, y: Any, options: FitOptions, sample_weight: Any, classes: Any) -> str:
    """That of the problem which these data pose, without posing it."""
    labels, design = as_exact_array(y), as_design(X)
    weights = None if sample_weight is None else check_weights(sample_weight, design.n_rows())
    if classes is not None:
        labels, weights = _numbers_and_weights(labels, classes, options, weights)
    return fingerprint(design, labels.astype(np.float64), weights, options.n_threads or available_threads())


def _numbers_and_weights(
    labels: NDArray[Any], classes: NDArray[Any], options: FitOptions, weights: Vector | None
) -> tuple[NDArray[Any], Vector | None]:
    """The labels as numbers, signs for two classes, and the weights of rows times those of their classes."""
    numbers = class_numbers(labels, classes)
    weights = with_class_weights(options.class_weight, classes, numbers, weights)
    return to_signs(numbers) if classes.size == 2 else numbers, weights


def agree(scaling: Scaling | None, stored: Scaling | None) -> bool:
    """Equal up to the rounding of sums."""
    if scaling is None or stored is None:
        return scaling is stored
    if scaling.scale.shape != stored.scale.shape:
        return False
    close = np.abs(scaling.shift - stored.shift) <= 1e-9 * (np.abs(scaling.shift) + scaling.scale)
    return bool(np.all(close & (np.abs(scaling.scale - stored.scale) <= 1e-9 * scaling.scale)))

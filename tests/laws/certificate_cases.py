"""A true certificate of every kind, with the problem and the point that it speaks of, and what may be changed in it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import empirisk as er
from empirisk.vector_losses import OneVersusRest, Softmax
from tests.own_losses import Welsch


class Case(NamedTuple):
    certificate: Any
    problem: Any
    point: Any  # None where the certificate holds it


def solved(problem: Any, **asked: Any) -> Case:
    found = er.minimize(problem, **asked)
    return Case(found.certificate, problem, found.point)


def alone(certificate: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Case:
    return Case(certificate, certificate.problem_of(X, y, sample_weight), None)


class Data(NamedTuple):
    """What the cases are about: rows, labels that a plane separates and such that none does, few rows, weights."""

    X: Any
    target: Any
    mixed: Any
    far: Any
    apart: Any
    classes: Any
    few: Any
    labels: Any
    s: Any


@functools.cache
def data() -> Data:
    rng = np.random.default_rng(0)
    X, noise = rng.normal(size=(40, 3)), rng.normal(size=40)
    target = X @ [1.0, -1.0, 0.5] + 0.1 * noise
    mixed, apart = np.where(X[:, 0] + noise > 0.0, 1.0, -1.0), np.where(X[:, 0] > 0.0, 1.0, -1.0)
    far = X + apart[:, None] * [1.0, 0.0, 0.0]
    classes = np.argmax(X + rng.normal(size=X.shape), axis=1)
    s = rng.integers(1, 4, 20).astype(float)
    return Data(X, target, mixed, far, apart, classes, X[:20, :2], mixed[:20], s)


def one_versus_rest(d: Data) -> Any:
    return er.MulticlassRisk(d.X, d.classes, 3, OneVersusRest(er.Hinge()), l2=0.1)


# By name, of which the first words are the kind.
CASES: dict[str, Callable[[Data], Case]] = {
    "duality_gap": lambda d: solved(er.EmpiricalRisk(d.X, d.mixed, l2=0.1)),
    "duality_gap, stored dual": lambda d: solved(
        er.EmpiricalRisk(d.X, d.mixed, "hinge", l2=0.1), solver="sdca", tol=1e-3
    ),
    "duality_gap, softmax": lambda d: solved(er.MulticlassRisk(d.X, d.classes, 3, Softmax(1.0), l2=0.1)),
    "class_gaps": lambda d: solved(one_versus_rest(d), solver="sdca", tol=1e-3),
    "stationarity": lambda d: solved(er.EmpiricalRisk(d.X, d.target, Welsch(), l2=0.1), tol=1e-3),
    "unattained_infimum": lambda d: solved(er.EmpiricalRisk(d.far, d.apart, l2=0.0)),
    "separation": lambda d: alone(er.separate(d.far, d.apart), d.far, d.apart),
    "inseparability": lambda d: alone(er.separate(d.few, d.labels), d.few, d.labels),
    "mistake_bound": lambda d: alone(er.perceptron(d.far, d.apart).certificate, d.far, d.apart),
    "widest_gap": lambda d: alone(er.widest_gap(d.far, d.apart), d.far, d.apart),
    "enclosing_ball": lambda d: alone(er.enclosing_ball(d.X), d.X),
    "zero_one_optimality": lambda d: alone(er.fewest_errors(d.few, d.labels).certificate, d.few, d.labels),
    "zero_one_optimality, weighted": lambda d: alone(
        er.fewest_errors(d.few, d.labels, sample_weight=d.s).certificate, d.few, d.labels, d.s
    ),
}

# Where a change leaves a true claim: (kind, the end of the path, direction) -> why.
HARMLESS = {
    ("duality_gap", "gap", "up"): "a larger gap is a weaker claim",
    ("duality_gap", "rounding", "down"): "the checker computes its own; a smaller one claims no smaller gap",
    ("duality_gap", "rounding", "up"): "the same, as long as the gap follows from it",
    ("duality_gap", "scale", "down"): "tolerances relative to a smaller number are stricter",
    ("class_gaps", "gap", "up"): "as for the gap of one class",
    ("class_gaps", "rounding", "down"): "as for the gap of one class",
    ("class_gaps", "rounding", "up"): "as for the gap of one class",
    ("class_gaps", "scale", "down"): "as for the gap of one class",
    ("stationarity", "gap", "up"): "a larger bound on the gradient is a weaker claim",
    ("stationarity", "rounding", "up"): "it only tells when a run stops; the checker computes its own",
    ("stationarity", "rounding", "down"): "it only tells when a run stops; the checker computes its own",
    ("stationarity", "scale", "down"): "tolerances relative to a smaller number are stricter",
    ("unattained_infimum", "direction", "down"): "a shorter direction has the same signs of margins",
    ("unattained_infimum", "direction", "up"): "a direction nearby that separates proves as much",
    ("mistake_bound", "visits", "down"): "a shorter run with as many mistakes is a run too, and is run again",
    ("widest_gap", "plane.support_weights", "up"): "only the ratios of weights that show b_low matter: it has one",
    ("widest_gap", "plane.support_weights", "down"): "only the ratios of weights that show b_low matter: it has one",
    ("zero_one_optimality", "intercept", "up"): "a plane nearby with the same errors: it holds its own plane",
    ("zero_one_optimality", "intercept", "down"): "a plane nearby with the same errors: it holds its own plane",
    ("zero_one_optimality", "weights", "up"): "a plane nearby with the same errors: it holds its own plane",
    ("zero_one_optimality", "weights", "down"): "a plane nearby with the same errors: it holds its own plane",
    ("zero_one_optimality", "L", "up"): "any invertible L will do under which the boxes of the tree prove the bound",
    ("zero_one_optimality", "L", "down"): "any invertible L will do under which the boxes of the tree prove the bound",
}


@functools.cache
def case(name: str) -> Case:
    return CASES[name](data())


def kind_of(name: str) -> str:
    return name.partition(",")[0]

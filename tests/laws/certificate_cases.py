"""A true certificate of every kind, with the problem and the point that it speaks of."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

import empirisk as er
from empirisk.protocols import name_of
from empirisk.vector_losses import OneVersusRest, Softmax


class Case(NamedTuple):
    certificate: Any
    problem: Any
    point: Any  # None where the certificate holds it


class Wave(NamedTuple):
    """A loss that is not convex."""

    scale: float = 1.0

    def value(self, z, y):
        return self.scale * (1.0 - np.exp(-0.5 * (z - y) ** 2))

    def derivative(self, z, y):
        return self.scale * (z - y) * np.exp(-0.5 * (z - y) ** 2)

    def is_convex(self):
        return False


def solved(problem: Any, **asked: Any) -> Case:
    found = er.minimize(problem, **asked)
    return Case(found.certificate, problem, found.point)


def alone(certificate: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Case:
    return Case(certificate, certificate.problem_of(X, y, sample_weight), None)


@functools.cache
def cases() -> dict[str, Case]:
    """By name; the first words are the kind."""
    rng = np.random.default_rng(0)
    X, noise = rng.normal(size=(40, 3)), rng.normal(size=40)
    target = X @ [1.0, -1.0, 0.5] + 0.1 * noise
    mixed, apart = np.where(X[:, 0] + noise > 0.0, 1.0, -1.0), np.where(X[:, 0] > 0.0, 1.0, -1.0)
    far = X + apart[:, None] * [1.0, 0.0, 0.0]
    classes = np.argmax(X + rng.normal(size=X.shape), axis=1)
    few, labels = X[:20, :2], mixed[:20]
    s = rng.integers(1, 4, 20).astype(float)
    return {
        "duality_gap": solved(er.EmpiricalRisk(X, mixed, l2=0.1)),
        "duality_gap, stored dual": solved(er.EmpiricalRisk(X, mixed, "hinge", l2=0.1), solver="sdca", tol=1e-3),
        "duality_gap, softmax": solved(er.MulticlassRisk(X, classes, 3, Softmax(1.0), l2=0.1)),
        "class_gaps": solved(
            er.MulticlassRisk(X, classes, 3, OneVersusRest(er.Hinge()), l2=0.1), solver="sdca", tol=1e-3
        ),
        "stationarity": solved(er.EmpiricalRisk(X, target, Wave(), l2=0.1), tol=1e-3),
        "unattained_infimum": solved(er.EmpiricalRisk(far, apart, l2=0.0)),
        "separation": alone(er.separate(far, apart), far, apart),
        "inseparability": alone(er.separate(few, labels), few, labels),
        "mistake_bound": alone(er.perceptron(far, apart).certificate, far, apart),
        "widest_gap": alone(er.widest_gap(far, apart), far, apart),
        "enclosing_ball": alone(er.enclosing_ball(X), X),
        "zero_one_optimality": alone(er.fewest_errors(few, labels).certificate, few, labels),
        "zero_one_optimality, weighted": alone(
            er.fewest_errors(few, labels, sample_weight=s).certificate, few, labels, s
        ),
    }


def kind_of(case: str) -> str:
    return name_of(cases()[case].certificate)

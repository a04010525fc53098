"""Every entry of a registry is what its protocol says: the methods are there, with the parameters that callers give."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple, Protocol

import numpy as np
import pytest

import empirisk as er
from empirisk.capabilities import name_of
from empirisk.certificates import ClassGaps, DualityGap, Stationarity, UnattainedInfimum
from empirisk.certificates.registry import KINDS
from empirisk.constraints import CONSTRAINTS
from empirisk.designs import CSR, Dense, Indicators
from empirisk.losses import LOSSES
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.linear_risk import LinearRisk
from empirisk.protocols import (
    Certificate,
    CompleteProblem,
    Design,
    Learner,
    Loss,
    OptimalityCertificate,
    Point,
    Problem,
    Regularizer,
    Solver,
)
from empirisk.regularizers import ElasticNet, GroupLasso, NegativeEntropy
from empirisk.separation.perceptron_runs.answer import Answer
from empirisk.solvers import SOLVERS
from empirisk.solvers.handover import Handover
from empirisk.solvers.many_classes.class_by_class import ClassByClass
from empirisk.solvers.many_classes.sdca import MulticlassSDCA
from empirisk.update_rules.adagrad import AdagradRule, LazyAdagradRule
from empirisk.update_rules.perceptron import PerceptronRule
from empirisk.update_rules.subgradient import SubgradientRule
from empirisk.vector_losses import Softmax

EVALUATION_ONLY = {"zero_one": ("derivative",)}
ON_POINTS = (DualityGap, ClassGaps, Stationarity, UnattainedInfimum)  # certificates that a driver stops on


def lacking(cls: Any, protocol: Any) -> list[str]:
    """Methods that the class lacks, or whose parameters have other names than the protocol gives them."""
    said = []
    for name in sorted(members(protocol)):
        declared, found = (inspect.getattr_static(one, name, None) for one in (protocol, cls))
        if isinstance(declared, classmethod):
            ok = isinstance(found, classmethod) and parameters(found.__func__) == parameters(declared.__func__)
        elif inspect.isfunction(declared):
            wanted = parameters(declared)
            ok = inspect.isfunction(found) and parameters(found)[: len(wanted)] == wanted
        else:  # a property, or a field that is only annotated
            ok = found is not None or name in getattr(cls, "__annotations__", {})
        if not ok:
            said.append(name)
    return said


def members(protocol: Any) -> set[str]:
    """What the protocol declares, and those that it extends."""
    named = (set(vars(one)) | set(vars(one).get("__annotations__", {})) for one in protocol.__mro__[:-1])
    return {name for name in set().union(*named) - set(vars(Protocol)) if not name.startswith("_")}


def parameters(function: Any) -> list[str]:
    return list(inspect.signature(function).parameters)


@pytest.mark.parametrize("name", LOSSES)
def test_losses(name):
    assert tuple(lacking(LOSSES[name], Loss)) == EVALUATION_ONLY.get(name, ())


@pytest.mark.parametrize("cls", [ElasticNet, GroupLasso, *CONSTRAINTS.values()], ids=lambda cls: cls.__name__)
def test_regularizers_and_what_constraints_make_of_them(cls):
    """A constraint alone is joined with the strengths: what solvers see is the joint function."""
    if cls in CONSTRAINTS.values():
        X, y = np.eye(3), np.array([1.0, -1.0, 1.0])
        given = cls(np.ones(3), 1.0) if cls.__name__ == "HalfSpace" else cls()
        cls = type(er.EmpiricalRisk(X, y, constraint=given).regularizer)
    assert lacking(cls, Regularizer) == []


@pytest.mark.parametrize(
    "cls", [SubgradientRule, AdagradRule, LazyAdagradRule, PerceptronRule], ids=lambda c: c.__name__
)
def test_update_rules(cls):
    assert lacking(cls, Learner) == []


@pytest.mark.parametrize("cls", [Dense, CSR, Indicators], ids=lambda cls: cls.__name__)
def test_designs(cls):
    assert lacking(cls, Design) == []


def test_the_entropy_which_is_for_the_simplex():
    X, y = np.eye(3), np.array([1.0, -1.0, 1.0])
    problem = er.EmpiricalRisk(X, y, l2=0.0, regularizer=NegativeEntropy(0.1), constraint=er.Simplex())
    assert lacking(type(problem.regularizer), Regularizer) == []


@pytest.mark.parametrize("cls", [*SOLVERS.values(), Handover, ClassByClass, MulticlassSDCA], ids=name_of)
def test_solvers(cls):
    assert lacking(cls, Solver) == []


def test_certificates():
    kinds = {kind for name in er.__all__ if (kind := name_of(getattr(er, name))) in KINDS}  # loads the chapters
    assert kinds >= {"separation", "inseparability", "widest_gap", "enclosing_ball", "mistake_bound"}
    for cls in KINDS.values():
        assert lacking(cls, Certificate) == [], cls
    for cls in ON_POINTS:
        assert KINDS[name_of(cls)] is cls
        assert lacking(cls, OptimalityCertificate) == [], cls


def test_problems_and_their_points():
    X, y = np.eye(3), np.array([1.0, -1.0, 1.0])
    for problem in (er.EmpiricalRisk(X, y), er.MulticlassRisk(X, np.arange(3), 3, Softmax(1.0))):
        assert lacking(type(problem), Problem) == lacking(type(problem), LinearRisk) == []
        assert lacking(type(problem), CompleteProblem) == ["certify", "choose"]  # registered, in layers above
        assert problem.with_threads(1).n_threads == 1
        assert type(problem).__name__ in repr(problem)
        with pytest.raises(AttributeError, match="a problem does not change"):
            problem.weights = np.ones(3)
        point = problem.zero()
        assert isinstance(point, LinearPoint)
        assert not any(np.any(array) for array in point.arrays())
        copied = point.copy()
        copied.weights[...] = 1.0
        assert not np.any(point.weights)
    assert lacking(LinearPoint, Point) == lacking(Answer, Point) == []


class Partly(NamedTuple):
    """Some of a point, of a certificate and of a solver, with a parameter of another name."""

    objective: float

    def copy(self):
        return self

    def step(self, problem, place):
        return place

    def sentence(self):
        return ""

    def from_json(self, data, arrays):  # of an object, not of the class
        return self


def test_what_lacks_a_member_is_found():
    assert lacking(Partly, Point) == ["arrays"]
    assert lacking(Partly, Solver) == ["init", "needs", "point", "progress", "step"]
    assert {"verify", "words", "from_json", "gap"} < set(lacking(Partly, OptimalityCertificate))
    assert not {"objective", "sentence"} & set(lacking(Partly, OptimalityCertificate))
    assert lacking(Partly, LinearRisk)[:3] == ["description", "fit_intercept", "labels"]

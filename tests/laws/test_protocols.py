"""Every entry of a registry is what its protocol says: the methods are there, with the parameters that callers give."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.constraints import CONSTRAINTS
from empirisk.designs import CSR, Dense
from empirisk.losses import LOSSES
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Design, Loss, Point, Problem, Regularizer, Solver
from empirisk.regularizers import ElasticNet, GroupLasso
from empirisk.solvers import SOLVERS
from empirisk.vector_losses import Softmax

EVALUATION_ONLY = {"zero_one": ("derivative",)}
ELSEWHERE = ("certify", "choose")  # registered for the types of problems, in layers above them


def lacking(cls: Any, protocol: Any) -> list[str]:
    """Methods that the class lacks, or whose parameters have other names than the protocol gives them."""
    said = []
    for name, declared in vars(protocol).items():
        if name.startswith("_"):
            continue
        found = inspect.getattr_static(cls, name, None)
        if isinstance(declared, property):
            ok = found is not None or name in getattr(cls, "__annotations__", {})
        else:
            wanted = list(inspect.signature(declared).parameters)
            ok = callable(found) and list(inspect.signature(found).parameters)[: len(wanted)] == wanted
        if not ok:
            said.append(name)
    return said


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


@pytest.mark.parametrize("cls", [Dense, CSR], ids=lambda cls: cls.__name__)
def test_designs(cls):
    assert lacking(cls, Design) == []


@pytest.mark.parametrize("name", SOLVERS)
def test_solvers(name):
    assert lacking(SOLVERS[name], Solver) == []


def test_problems_and_their_points():
    X, y = np.eye(3), np.array([1.0, -1.0, 1.0])
    for problem in (er.EmpiricalRisk(X, y), er.MulticlassRisk(X, np.arange(3), 3, Softmax(1.0))):
        assert set(lacking(type(problem), Problem)) <= set(ELSEWHERE)
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
    assert lacking(LinearPoint, Point) == []

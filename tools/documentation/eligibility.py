"""Which solvers can take a problem, and for which strengths, asked of the solvers themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from empirisk.capabilities import missing
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.protocols import Unsupported
from empirisk.selection.many_classes import lacks
from empirisk.solvers import SOLVERS

Strengths = tuple[float, float]  # l1 and l2

X = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.5, 1.0]])
LABELS = np.array([1.0, 1.0, 1.0])  # a label that every loss takes
CLASSES = np.array([0, 1, 2])
ASKED: list[Strengths] = [(l1, l2) for l1 in (0.0, 1.0) for l2 in (0.0, 1.0)]
ANY = "any strengths"
# The conditions under which a solver may be able to run, the weakest first.
CONDITIONS: dict[str, Callable[[Strengths], bool]] = {
    ANY: lambda strengths: True,
    "l1 = 0": lambda strengths: strengths[0] == 0.0,
    "l1 > 0": lambda strengths: strengths[0] > 0.0,
    "l2 = 0": lambda strengths: strengths[1] == 0.0,
    "l2 > 0": lambda strengths: strengths[1] > 0.0,
    "l1 > 0 or l2 > 0": lambda strengths: max(strengths) > 0.0,
    "l1 = 0 and l2 > 0": lambda strengths: strengths == (0.0, 1.0),
    "l1 > 0 and l2 = 0": lambda strengths: strengths == (1.0, 0.0),
    "l1 = l2 = 0": lambda strengths: max(strengths) == 0.0,
}


def solvers_of(loss: Any, regularizer: Any = None, constraint: Any = None) -> str:
    """The solvers that can minimise a risk made of these parts, in words."""

    def build(l1: float, l2: float) -> Any:
        return EmpiricalRisk(X, LABELS, loss, l1=l1, l2=l2, regularizer=regularizer, constraint=constraint)

    return _in_words(build)


def solvers_of_classes(loss: Any) -> str:
    """The same, for a loss of many scores."""
    return _in_words(lambda l1, l2: MulticlassRisk(X, CLASSES, CLASSES.size, loss, l1=l1, l2=l2), lacks)


def _in_words(build: Callable[[float, float], Any], lacking: Callable[[Any, Any], list[str]] = missing) -> str:
    problems = {}
    for strengths in ASKED:
        try:
            problems[strengths] = build(*strengths)
        except Unsupported:
            continue
    kinds: dict[str, list[str]] = {}
    for name, cls in SOLVERS.items():
        able = [strengths for strengths, problem in problems.items() if not lacking(cls(), problem)]
        if able:
            kinds.setdefault(_condition(able, list(problems)), []).append(f"`{name}`")
    if list(kinds) == [ANY]:
        return ", ".join(kinds[ANY])
    return "; ".join(f"for {condition}: {', '.join(names)}" for condition, names in kinds.items()) or "none"


def _condition(able: list[Strengths], supported: list[Strengths]) -> str:
    """The first condition that tells those strengths from the others that are supported."""
    return next(text for text, holds in CONDITIONS.items() if able == [s for s in supported if holds(s)])

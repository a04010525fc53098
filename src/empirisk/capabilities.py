"""What parts and problems offer beyond their protocols: optional methods, properties, and what a solver needs of them.

Nothing probes in a loop: solvers name their needs, and `missing` checks them once, before it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from empirisk.protocols import Solver

Part = TypeVar("Part")


class ProblemOfParts(Protocol):
    """A problem whose parts `missing` asks for what they offer."""

    @property
    def loss(self) -> Any:
        """A loss of one score or of many."""

    @property
    def rows(self) -> Any:
        """Its rows, wherever they live."""

    @property
    def regularizer(self) -> Any:
        """Penalty and constraint, as one function."""


def offers(part: object, method: str) -> bool:
    """Whether the class of `part` declares this optional method."""
    return callable(getattr(type(part), method, None))


def optional(part: object, method: str) -> Callable[..., Any] | None:
    """This optional method of `part`; None where its class does not declare it."""
    return getattr(part, method) if offers(part, method) else None


def has_kinks(loss: Any) -> bool:
    """Only where it says so."""
    return offers(loss, "has_kinks") and bool(loss.has_kinks())


def is_convex(loss: Any) -> bool:
    """Convex unless it says otherwise."""
    return not offers(loss, "is_convex") or bool(loss.is_convex())


def has_label_units(loss: Any) -> bool:
    """Whether scores have the unit of the labels, so that both may be scaled together; only where it says so."""
    return offers(loss, "label_degree")


def splits(loss: Any) -> bool:
    """Whether it is a loss of many classes that falls apart into one of two for each of them."""
    return offers(loss, "splits") and bool(loss.splits())


def is_least_at_zero(loss: Any) -> bool:
    """Whether no score lowers the loss below its value at zero, whatever the label (the perceptron loss)."""
    if not (offers(loss, "derivative") and offers(loss, "conjugate")) or tasks_of(loss) != ("classification",):
        return False
    return all(loss.value(0.0, y) + loss.conjugate(0.0, y) <= 0.0 for y in (-1.0, 1.0))


def tasks_of(loss: Any) -> tuple[str, ...]:
    """What the loss can be fitted for: everything, unless it says otherwise."""
    return tuple(loss.tasks()) if offers(loss, "tasks") else ("classification", "regression")


def name_of(part: object) -> str:
    """The name of a loss, solver or certificate: that of its class, in the way of file names."""
    cls = part if isinstance(part, type) else type(part)
    return as_file_name(cls.__qualname__.rpartition(".")[2])


def as_file_name(name: str) -> str:
    """The name of a class in the way of file names: squared_hinge for SquaredHinge."""
    return "_".join(re.findall(r"[A-Z]+[0-9]*(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+", name)).lower()


def by_name(*classes: type[Part]) -> dict[str, type[Part]]:
    """A registry of classes."""
    return {name_of(cls): cls for cls in classes}


def is_quadratic(regularizer: Any) -> bool:
    """Whether it is l2/2 ||w||^2 and nothing else."""
    return offers(regularizer, "is_quadratic") and bool(regularizer.is_quadratic())


def has_constant_curvature(loss: Any) -> bool:
    """Whether the loss curves by its smoothness at its label and far out on both sides, as the squared loss does."""
    if not (offers(loss, "smoothness") and offers(loss, "second_derivative")):
        return False
    return all(loss.second_derivative(z, 1.0) == loss.smoothness() for z in (-1e6, 1.0, 1e6))


MOST_COLUMNS = 5000  # of a matrix of all columns
MOST_FACTORED = 512  # of one that is factored again and again

# What a solver may need besides methods: whether it holds for a problem, and the sentence where it does not.
CONDITIONS: dict[str, tuple[Callable[[ProblemOfParts], bool], str]] = {
    "no kinks": (lambda problem: not has_kinks(problem.loss), "needs a loss without kinks"),
    "convex": (lambda problem: is_convex(problem.loss), "needs a convex loss"),
    "classes together": (lambda problem: not splits(problem.loss), "needs a loss that couples the classes: softmax"),
    "quadratic loss": (lambda problem: has_constant_curvature(problem.loss), "needs a quadratic loss, such as squared"),
    "rows in memory": (lambda problem: problem.rows.is_in_memory, "needs all rows in memory"),
    "few columns": (
        lambda problem: problem.rows.n_columns <= MOST_COLUMNS,
        f"needs at most {MOST_COLUMNS} columns",
    ),
    "very few columns": (
        lambda problem: problem.rows.n_columns <= MOST_FACTORED,
        f"needs at most {MOST_FACTORED} columns",
    ),
    "l2 > 0": (lambda problem: problem.regularizer.strong_convexity() > 0.0, "needs l2 > 0"),
    "l2 = 0": (lambda problem: problem.regularizer.strong_convexity() == 0.0, "needs l2 = 0"),
    "l2 alone": (
        lambda problem: is_quadratic(problem.regularizer),
        "needs l1 = 0, no constraint and no other regularizer",
    ),
    "bounded constraint": (
        lambda problem: math.isfinite(problem.regularizer.norm_bound()),
        "needs a bounded constraint: l2_ball, l1_ball, simplex or a box with two finite ends",
    ),
}


def missing(solver: Solver, problem: ProblemOfParts) -> list[str]:
    """Sentences, one for each capability that `solver` needs and `problem` lacks; empty when it can run."""
    said = []
    for need in solver.needs:
        if need in CONDITIONS:
            holds, sentence = CONDITIONS[need]
            if not holds(problem):
                said.append(sentence)
        elif not any(_has(problem, method) for method in need.split(" or ")):
            first, _, of_classes = need.partition(" or ")
            named = of_classes if of_classes and offers(problem.loss, "splits") else first
            said.append(f"needs {named}, which {name_of(getattr(problem, named.partition('.')[0]))} does not have")
    advice = optional(problem.loss, "advice")
    return [*said, str(advice())] if said and advice is not None else said


def _has(problem: ProblemOfParts, need: str) -> bool:
    part, _, method = need.partition(".")
    return offers(getattr(problem, part), method)

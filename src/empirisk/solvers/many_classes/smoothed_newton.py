"""Newton's method for one-versus-rest with a loss that has kinks."""

from __future__ import annotations

from typing import Any, NamedTuple

from empirisk.protocols import Matrix, Progress, Vector
from empirisk.solvers.many_classes.class_by_class import ClassStates, advance, begin, point_of, progress_of
from empirisk.solvers.smoothed_newton import SmoothedNewton


class MulticlassSmoothedNewton(NamedTuple):
    """`SmoothedNewton` for each class against the rest.

    References: Rockafellar (1976); Lee, Sun and Saunders (2014).
    """

    sharpen: float = 0.5  # factor of the strength from one centre to the next

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem, which one-versus-rest is asked for class by class."""
        return SmoothedNewton().needs

    def init(self, problem: Any, w: Matrix, b: Vector) -> ClassStates:
        """Start each class."""
        return begin(SmoothedNewton(self.sharpen), problem, w, b)

    def step(self, problem: Any, state: ClassStates) -> ClassStates:
        """One Newton step for the classes that are behind."""
        return advance(SmoothedNewton(self.sharpen), state)

    def point(self, state: ClassStates) -> tuple[Matrix, Vector, Matrix | None]:
        """The iterates and their dual points."""
        return point_of(SmoothedNewton(self.sharpen), state)

    def progress(self, problem: Any, state: ClassStates) -> Progress:
        """What is known of each class."""
        return progress_of(SmoothedNewton(self.sharpen), state)

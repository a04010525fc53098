"""What a run is made of: a problem, a point, a solver, and what a solver knows for free."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from empirisk.protocols.certificates import OptimalityCertificate


class Progress(NamedTuple):
    """What a solver knows for free after a step; nan where it does not know."""

    passes: float  # row visits so far, divided by n
    objective: float
    gap: float  # an estimate, which decides when a certificate is worth computing; never shown as a proof
    stalled: bool = False  # no further step can be told from rounding
    ending: str = ""  # the name of the status to stop with, where the method has a rule of its own
    is_sure: bool = False  # the estimate is about the gap of the certificate: before it is small, checks are rare


class Point(Protocol):
    """Where a solver stands: opaque to the driver, known to the problem, its solvers and its certificates.

    It may carry evidence besides, such as a dual point, which a certificate can use and the digest leaves out.
    """

    def arrays(self) -> tuple[NDArray[np.float64], ...]:
        """All that it consists of, evidence left out: what is compared, tested for overflow and digested."""

    def copy(self) -> Self:
        """The same in arrays of its own, without evidence, for a solver to overwrite."""


class Problem(Protocol):
    """What is minimised. It never changes: methods named with_... give another one.

    Its certificate and its choice of solvers are its own methods, as of a `CompleteProblem`, or are registered for its
    type with `certificates.certify` and `selection.choose`, where these need what lies in higher layers.
    Optional: explain(error), the exception to show in place of one that a user's own part raised, or None;
    is_trivial(point), whether the point is a minimiser whatever the data are;
    refute(point, objective, thorough), a certificate that there is no minimiser, or None.
    """

    @property
    def n_threads(self) -> int:
        """How many threads its passes may use."""

    def with_threads(self, n_threads: int) -> Self:
        """The same problem, on so many threads."""

    def description(self) -> str:
        """What it is, in a few words: having one tells a problem from data."""

    def zero(self) -> Point:
        """Where solvers start when nothing else is asked for."""

    def start(self, given: Any) -> Point:
        """The point that a user gave to start from; ValueError with one sentence where it is none of this problem."""


class CompleteProblem(Problem, Protocol):
    """A problem that brings its certificate and its choice of solvers itself."""

    def certify(self, point: Point, tol: float) -> OptimalityCertificate:
        """The certificate of the point; a cheaper one is enough where it is within `tol`."""

    def choose(self, solver: str | Solver, seed: int | None) -> tuple[Solver, str]:
        """The solver for a name, an object or "auto", and the reason in one sentence."""


class Solver(Protocol):
    """A named tuple of hyper-parameters; the state is the solver's own.

    Each is for problems and points of some kinds, which it names in its own signatures: hence `Any` here.
    Optional: has_own_rule(), whether the run ends with the solver's `ending` and not with the certificate;
    further(problem, state), the state of another method that goes on where this one can do no more, or None;
    account(state), what the run was like, to be added to the reason for the choice, or nothing.
    """

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities such as 'loss.second_derivative', checked once before the loop."""

    def init(self, problem: Any, point: Any) -> Any:
        """The first state, at the point, whose arrays are the solver's to overwrite."""

    def step(self, problem: Any, state: Any) -> Any:
        """The next state, after about one pass."""

    def point(self, state: Any) -> Any:
        """The point, with the evidence that the method has."""

    def progress(self, problem: Any, state: Any) -> Progress:
        """What is known for free about this state."""


class Unsupported(ValueError):
    """A combination that no code here can do, with a sentence that names what can."""

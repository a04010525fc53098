"""What a loss, a regularizer, a design, a problem, a point, a solver and a certificate must offer, and the glossary.

Nothing inherits from these classes: a named tuple with the right methods belongs. Methods listed as
optional make it eligible for more solvers; each solver names the ones it needs in `needs`, and
`capabilities.missing` checks them once, before the loop.

Glossary, for kernels and formulas:
    w weights, b intercept, z score <w, x> + b, y label, s sample weight, S sum of the s_i,
    u dual variable (-u_i is a derivative of the loss at z_i), v = (1/S) sum_i s_i u_i x_i,
    X design, i row, j column, n rows, d columns
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Array = NDArray[np.float64]  # of one dimension for one score a row, of two for many classes


class Loss(Protocol):
    """A loss of a score and a label. `value` and `derivative` suffice.

    Optional: conjugate(u, y), without which the Fenchel-Young equality stands in; second_derivative(z, y);
    smoothness(), a bound on it;
    dual_step(u, z, y, q), the maximiser over t of -loss*(-t, y) - z (t - u) - q/2 (t - u)^2;
    prox(z, y, step), the minimiser over x of loss(x, y) + (x - z)^2 / (2 step);
    pieces(y), pairs (slope, offset) whose largest slope z + offset is the value, for piecewise linear losses;
    probability(z), the chance of label +1, where the loss is a likelihood.
    has_kinks() and is_convex(), False and True unless given; recedes(): falls forever as y z grows;
    lower_bound() of the values, 0 unless given, used where there is no conjugate.
    tasks(), "classification" (labels -1 and +1) or "regression"; accepts(y) and labels(), for labels that are
    restricted further, and what they are in words; parameter_ranges(), open intervals of the parameters that need
    not just be positive. Its name is that of its class: SquaredHinge is "squared_hinge".
    `value`, `derivative` and `conjugate` must be accurate to 8 units in the last place of |result| + 2 |u| max(1, |y|).
    """

    def value(self, z: float, y: float) -> float:
        """The loss of score z at label y."""

    def derivative(self, z: float, y: float) -> float:
        """A (sub)derivative in z."""


class Regularizer(Protocol):
    """A convex penalty Omega of the weights, a constraint included (values infinite outside).

    Optional: is_quadratic(), whether it is l2/2 ||w||^2 and nothing else; maximizer_coordinate(j, v), where Omega
    is a sum over coordinates; prox_scaled(w, h, out), the minimiser of Omega(x) + sum_j h_j (x_j - w_j)^2 / 2;
    interval(), (l1, low, high) where it is l1 ||w||_1 on low <= w_j <= high, and l2.
    Of those that users give: checked(), the same with fields that kernels can take, or a sentence; summary(), what the
    report says of it, where that is not its name and its numbers.
    """

    def value(self, w: Vector) -> float:
        """Omega(w)."""

    def prox(self, w: Vector, step: float, out: Vector) -> None:
        """The minimiser of Omega(x) + ||x - w||^2 / (2 step), written to out."""

    def conjugate(self, v: Vector) -> float:
        """The supremum of <w, v> - Omega(w)."""

    def maximizer(self, v: Vector, out: Vector) -> None:
        """A w that reaches that supremum, written to out."""

    def strong_convexity(self) -> float:
        """The largest m for which Omega(w) - m/2 ||w||^2 is convex."""

    def norm_bound(self) -> float:
        """The largest ||w|| where Omega is finite; infinite where there is none."""

    def growth(self) -> float:
        """A c >= 0 with Omega(w) >= c ||w|| everywhere."""

    def dual_scale(self, v: Vector, error: float) -> float:
        """The largest c <= 1 for which the conjugate is finite at c v' for every v' within `error` of v."""

    def nearest_dual(self, v: Vector, out: Vector) -> None:
        """The point closest to v where the conjugate is finite, written to out."""


class Design(Protocol):
    """The rows of X. Sums are taken in float64 whatever the dtype of the data."""

    def n_rows(self) -> int:
        """The number of examples."""

    def n_columns(self) -> int:
        """The number of features."""

    def row_size(self, i: int) -> int:
        """The number of stored entries of row i."""

    def column_at(self, i: int, k: int) -> int:
        """The column of stored entry k of row i."""

    def entry_at(self, i: int, k: int) -> float:
        """The value of stored entry k of row i."""

    def dot_row(self, i: int, w: Vector) -> float:
        """<x_i, w>."""

    def dot_row_sizes(self, i: int, w: Vector) -> float:
        """The sum of |x_ij w_j|."""

    def measure_row(self, i: int, w: Vector) -> tuple[float, float, float]:
        """<x_i, w>, the sum of |x_ij w_j| and ||x_i||^2, in one read of the row."""

    def add_row(self, i: int, a: float, w: Vector) -> None:
        """Add a * x_i to w."""

    def add_row_squares(self, i: int, a: float, out: Vector) -> None:
        """Add a * x_ij^2 to out[j]."""

    def map_row(self, i: int, v: Vector, regularizer: Regularizer, w: Vector) -> None:
        """Set w[j] to regularizer.maximizer_coordinate(j, v[j]) for the columns j that row i touches."""

    def squared_row_norm(self, i: int) -> float:
        """||x_i||^2."""

    def add_gram(self, start: int, stop: int, weights: Vector, out: NDArray[np.float64]) -> None:
        """Add the sum of weights[i] x_i x_i^T over rows start to stop to the lower triangle of out."""


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
    Optional: has_own_rule(), whether the run ends with the solver's `ending` and not with the certificate.
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


class Learner(Protocol):
    """An update rule: a point (w, b), and how one row changes it. Kernels of solvers call it for row after row.

    Its arrays are overwritten in place. An online learner makes the same calls, one row at a time.
    """

    @property
    def w(self) -> Vector:
        """The weights, after `settle`; before, a rule may keep them in another form."""

    def score(self, X: Any, i: int) -> float:
        """<w, x_i> + b at the point so far."""

    def learn(self, X: Any, i: int, slope: float) -> None:
        """One step from row i, where `slope` is a derivative of the loss at its score, times the row's weight."""

    def settle(self) -> None:
        """Make the steps that coordinates still owe: once, after the last row."""


class Verification(NamedTuple):
    """The verdict of `verify`, its reason, and the numbers of the claim as recomputed."""

    holds: bool
    sentence: str
    numbers: Mapping[str, float] = MappingProxyType({})  # by the names that the certificate has for them


class Headline(NamedTuple):
    """A number that matters, for the summary and the report."""

    name: str
    value: float | str
    note: str = ""


class Words(NamedTuple):
    """A certificate's own words."""

    meaning: str  # for a reader who has never heard of such a claim
    headline: tuple[Headline, ...]  # its most important numbers, one at least
    checked: str  # what `verify` computes again, in a few words
    shortfall: str = ""  # what it leaves open of what was asked; empty where it is within the tolerance
    notes: tuple[str, ...] = ()  # sentences: what may help where it falls short, and the limits of the claim


class Certificate(Protocol):
    """A claim that whoever has the data can recompute: data, without solver or driver.

    Each is about problems and points of one kind, which it names in its own signatures: hence `Any` here.
    Optional: problem_of(X, y, sample_weight), where the certificate alone says which problem it speaks of: such ones
    can be files of their own; needs_labels(), False where that problem has no y, True unless given; n_columns, of the
    data that it then speaks of; plane_endings(tol), where the model of a plane may hold it.
    """

    def verify(self, problem: Any, point: Any) -> Verification:
        """Recompute the claim; `point` is None where the certificate holds the point that it speaks of."""

    def is_within(self, tol: float) -> bool:
        """Whether it proves what was asked for."""

    def sentence(self) -> str:
        """The claim in words."""

    def words(self, tol: float) -> Words:
        """What the report and the command line say of it, where `tol` was asked for."""

    def to_json(self) -> dict[str, Any]:
        """Numbers and texts."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Arrays by name."""

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """What `to_json` and `arrays` gave; ValueError for anything else."""


class OptimalityCertificate(Certificate, Protocol):
    """One that a driver can stop on: it speaks of a point that is given beside it."""

    @property
    def objective(self) -> float:
        """At the point."""

    @property
    def gap(self) -> float:
        """What is left, in the units of the claim."""

    @property
    def scale(self) -> float:
        """What tolerances are relative to."""

    @property
    def relative_gap(self) -> float:
        """The gap in these units: what people compare with the tolerance."""

    def is_rounding_only(self) -> bool:
        """Whether the gap is no larger than rounding alone can make it."""

    def about(self, point: Any) -> Self:
        """The same, bound to this point: `verify` refuses every other."""

    def with_evidence(self, point: Any) -> Any:
        """The point together with what the certificate stores as evidence."""


class Unsupported(ValueError):
    """A combination that no code here can do, with a sentence that names what can."""

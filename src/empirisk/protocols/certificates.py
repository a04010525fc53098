"""What a certificate must offer, and what its check and its words are."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, Self

from numpy.typing import NDArray


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

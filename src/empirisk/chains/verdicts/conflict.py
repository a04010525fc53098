"""The certificate of sequences that cannot be realised: labelings of which no weights can beat all.

Were there u with <phi(x_j, s_j) - phi(x_j, s), u> > 0 for every sequence and every other labelling, then
0 = <u, sum lambda (phi(x_j, s_j) - phi(x_j, s))> = sum lambda <u, ...> > 0. It is the conflict of `Inseparability`,
among points that are labelings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic.enclosure import has_exact_weights
from empirisk.arithmetic.integer_null_space import null_vector
from empirisk.arithmetic.integer_points import least_rank, weighted_sum
from empirisk.capabilities import name_of
from empirisk.certificates.fields import array_of, check_names, expect, fields_json, flag_of, is_integer, is_number
from empirisk.certificates.registry import register
from empirisk.certificates.verification import OTHER_POINT
from empirisk.chains.chain_data import ChainData
from empirisk.chains.verdicts.chain_claim import (
    CLAIM,
    chain_data_of,
    claim_fields,
    claim_from_json,
    claim_to_json,
    refused,
)
from empirisk.chains.verdicts.members import Member, Members, exact_differences, members_of
from empirisk.protocols import Headline, Point, Verification, Words
from empirisk.separation.conflicts.minimal_conflict import MOST_EXACT, MOST_MOVED, ROOM, moves
from empirisk.separation.inseparability import HEXADECIMAL

FIELDS = ("delta", "relative_delta", "is_enclosed")
ARRAYS = ("sequences", "change_starts", "positions", "labels")
SHOWN = 8  # labelings that a sentence lists


@register
class SequenceConflict(NamedTuple):
    """No weights have every sequence right: of these labelings s, positive multiples of the differences are zero.

    sum_k lambda_k (phi(x_j, s_j) - phi(x_j, s)) = 0 over the stored labelings s of sequences j. With delta = 0 that is
    so exactly, and no labelling can be left out. With delta > 0 the weights are rounded, and it is so after moving no
    entry of the differences by more than delta; the data themselves are then undecided, unless exact weights are
    enclosed (see `arithmetic/enclosure.py`).
    """

    sequences: NDArray[np.int64]  # of each labelling, counted from 0
    change_starts: NDArray[np.int64]  # where the places at which it differs from the true one begin
    positions: NDArray[np.int64]
    labels: NDArray[np.int64]
    weights: tuple[int, ...]
    delta: float
    relative_delta: float  # the largest move relative to the largest entry of its feature among these differences
    is_enclosed: bool  # delta > 0, but exact positive weights are proven to be near the rounded ones
    n_sequences: int
    n_tokens: int
    n_weights: int
    classes: tuple[Any, ...]
    layout: str
    fingerprint: str

    @property
    def is_realisable(self) -> bool | None:
        """False; None where only moved data are proven not to be."""
        return False if self.delta == 0.0 or self.is_enclosed else None

    @property
    def members(self) -> Members:
        """The labelings."""
        return Members(self.sequences, self.change_starts, self.positions, self.labels)

    def listed(
        self,
        place: Callable[[int, int], str] = lambda j, t: f"sequence {j}, token {t}",
        word: Callable[[int, int], str] = lambda j, t: "",
    ) -> list[str]:
        """A line for each labelling: its weight, where it differs, and the labels that it has there.

        `place` names a token of a sequence, such as by its file and line; `word` says what stands there.
        """
        lines = []
        for weight, (j, positions, labels) in zip(self.weights, self.members.each(), strict=True):
            changes = [
                f"{place(j, t)}{f' ({word(j, t)})' if word(j, t) else ''} as {self.classes[k]}"
                for t, k in zip(positions, labels, strict=True)
            ]
            lines.append(f"{weight} x: {'; '.join(changes)}")
        return lines

    def sentence(self) -> str:
        """The claim in words."""
        count = len(self.weights)
        shown = ", ".join(map(str, sorted(set(self.sequences.tolist()))[:SHOWN]))
        more = ", ..." if len(set(self.sequences.tolist())) > SHOWN else ""
        labelings = f"{count} other labelings of the sequences {shown}{more}"
        if self.is_realisable is None:
            return (
                f"Not to be realised after moving no entry of a feature by more than {self.delta:.3g}: the true labels "
                f"cannot beat {labelings}."
            )
        if count == 1:
            return f"Not realisable: a labelling of sequence {shown} has the very features of the true one."
        how = ", with weights proven to be near those stored" if self.is_enclosed else ""
        return (
            f"Not realisable: no weights have the true labels beat {labelings}, as positive multiples of the "
            f"differences of their features sum to zero, exactly{how}."
        )

    def words(self, tol: float) -> Words:
        """Why no weights can exist."""
        is_proven = self.is_within(tol)
        return Words(
            meaning="Suppose some weights labelled every training sequence right: then the features of each true "
            "labelling would weigh more than those of any other. Take the few other labelings named here, multiply "
            "what they lack by their positive weights and add it up: the sum would weigh more than nothing. But the "
            "sum is zero, which weighs nothing. So there are no such weights, and these few labelings are the reason.",
            headline=(
                Headline(
                    "Conflict", f"{len(self.weights)} labelings", f"of {len(set(self.sequences.tolist()))} sequences"
                ),
                Headline("Moved by", self.delta, "the most that an entry must move for the sum to be zero"),
            ),
            checked="the sum of the weighted differences, in integers",
            shortfall="" if is_proven else "it decides nothing about the data as they are",
            notes=() if is_proven else ("More time may give exact weights.",),
        )

    def is_within(self, tol: float) -> bool:
        """Whether the data themselves are proven not to be realisable."""
        return self.is_realisable is False

    def problem_of(self, X: Any, y: Any = None, sample_weight: Any = None) -> ChainData:
        """The sequences."""
        return chain_data_of(X, y, sample_weight)

    def verify(self, problem: ChainData, point: Point | None = None) -> Verification:
        """Sum the differences up again, in Python's integers alone, and see that no labelling can be left out."""
        if point is not None:
            return OTHER_POINT
        verdict = refused(self, problem)
        if verdict is not None:
            return verdict
        said = self._inconsistency() or self.members.inconsistency(problem)
        if said:
            return Verification(False, said)
        integers = exact_differences(problem, self.members.each())
        moved = moves(integers, self.weights, False)
        if moved is None or _typed(moved) != _typed((self.delta, self.relative_delta)):
            said = "The weighted differences do not sum to zero."
            return Verification(False, said if self.delta == 0.0 else "The recomputed delta is another.")
        numbers = {"labelings": float(len(self.weights)), "delta": moved[0]}
        if self.is_enclosed and not (self.delta > 0.0 and has_exact_weights(integers, self.weights, 1.0)):
            return Verification(False, "There is no proof of exact weights near those stored.", numbers)
        if self.is_enclosed:
            return Verification(True, "Recomputed: exact weights near those stored sum to zero.", numbers)
        if self.delta > 0.0:
            said = f"Recomputed in integers: zero is the sum after moving no entry by more than {self.delta:.3g}."
            return Verification(True, said, numbers)
        if least_rank(integers) != len(self.weights) - 1:
            return Verification(False, "Some of the labelings can be left out.", numbers)
        count = len(self.weights)
        said = f"Recomputed in integers: the {count} weighted differences sum to zero, and none can be left out."
        return Verification(True, said, numbers)

    def _inconsistency(self) -> str:
        """What is wrong with the weights alone; empty where nothing is."""
        if not isinstance(self.weights, tuple) or not isinstance(self.is_enclosed, bool):
            return "The certificate holds fields of another kind than it can have."
        if any(getattr(self, name).dtype != np.int64 for name in ARRAYS):
            return "The certificate holds arrays of another kind than it can have."
        if len(self.weights) != self.sequences.size or not all(is_integer(a) and a > 0 for a in self.weights):
            return "The weights are not positive integers, one for each labelling."
        return "" if self.weights and math.gcd(*self.weights) == 1 else "The weights have a common factor."

    def to_json(self) -> dict[str, Any]:
        """Numbers and texts; weights are hexadecimal text, as they can have thousands of digits."""
        weights = [hex(a) for a in self.weights]
        return {"kind": name_of(self), "weights": weights, **fields_json(self, FIELDS), **claim_to_json(self)}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The labelings."""
        return {name: getattr(self, name) for name in ARRAYS}

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> SequenceConflict:
        """What `to_json` and `arrays` gave; ValueError for anything else."""
        check_names(cls, data, ("weights", *FIELDS, *CLAIM), arrays, ARRAYS)
        weights = data["weights"]
        expect(isinstance(weights, list) and all(isinstance(a, str) for a in weights), "weights")
        expect(all(HEXADECIMAL.fullmatch(a) for a in weights), "weights")
        for name in ("delta", "relative_delta"):
            expect(is_number(data[name]) and data[name] >= 0.0, name)
        labelings: Any = {name: array_of(arrays, name, np.int64, least=1) for name in ARRAYS}
        return cls(
            **labelings,
            weights=tuple(int(a, 16) for a in weights),
            delta=data["delta"],
            relative_delta=data["relative_delta"],
            is_enclosed=flag_of(data, "is_enclosed"),
            **claim_from_json(data),
        )


def conflict_among(data: ChainData, each: Sequence[Member], weights: Sequence[int]) -> SequenceConflict | None:
    """The certificate that these labelings are in conflict, with these weights or exact ones; None: not shown.

    Up to MOST_EXACT labelings it is exact or None; of more the weights are rounded.
    """
    ordered = sorted(zip(each, weights, strict=True))
    chosen, given = [member for member, _ in ordered], [weight for _, weight in ordered]
    integers = exact_differences(data, chosen)
    if any(weighted_sum(integers, given)):
        exact = null_vector(integers) if len(chosen) <= MOST_EXACT else None
        if exact is not None and min(exact) > 0:
            given = list(exact)
    moved = moves(integers, given, False)
    if moved is None or not moved.relative_delta <= MOST_MOVED:
        return None
    is_exact = moved.delta == 0.0
    if is_exact and least_rank(integers) != len(given) - 1:
        return None
    if not is_exact and len(given) <= MOST_EXACT:
        return None
    common = math.gcd(*given)
    whole = tuple(weight // common for weight in given)
    enclosed = not is_exact and has_exact_weights(integers, whole, ROOM)
    return SequenceConflict(*members_of(chosen), whole, *moved, enclosed, **claim_fields(data))


def _typed(values: Sequence[Any]) -> list[tuple[type, Any]]:
    return [(type(x), x) for x in values]

"""The certificate of a bound on the future error: one class for every kind, which recomputes J from the data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.bounds.kinds import Arrays, Ingredients, Kind, Terms, kind_named
from empirisk.bounds.kinds.kind import WEIGHTS_REFUSED
from empirisk.bounds.labelled_rows import LabelledRows, labelled_rows
from empirisk.bounds.losses import Losses, losses_of
from empirisk.bounds.wording import at_most_of, sentence_of, words_of
from empirisk.capabilities import name_of
from empirisk.certificates.fields import check_names, count_of, expect, expect_numbers, fields_json, text_of
from empirisk.certificates.registry import register
from empirisk.certificates.verification import OTHER_POINT, digest
from empirisk.parameters import check_share
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Point, Verification, Words
from empirisk.separation.found_plane import Endings

MOST_ROOMS = 4.0  # of the kind, by which a true claim may be larger than what the checker finds
SAME = 1e-9  # relative difference of other numbers, on another machine, where the kind has no more room
NUMBERS = ("value", "delta", "share", "empirical", "baseline")
TEXTS = ("predictor", "assumption", "fingerprint", "subject")
COUNTS = ("n_rows", "n_columns")
MOST_ROWS = 2**62


@register
class RiskBound(NamedTuple):
    """With probability 1 - `delta` over the draw of the rows, the expected loss of `predictor` on a new row is <= J.

    J is `value`. The loss is 1 for a row that is predicted wrong, else 0, or for kinds about losses a number from 0 to
    `largest`. `ingredients` are the choices and numbers that the formula of this kind has, `evidence` the arrays.
    """

    kind: str
    value: float  # J, rounded up
    delta: float
    empirical: float  # the share of errors, or the mean loss, of the rows that were counted
    baseline: float  # the share of rows outside of the largest class
    predictor: str
    assumption: str  # one sentence, without its end
    ingredients: Ingredients
    evidence: Arrays
    n_rows: int
    n_columns: int
    classes: tuple[Any, ...]  # of the predictor; empty for losses
    fingerprint: str  # of rows and labels, or of the losses
    subject: str  # the digest of the weights; empty where there are none
    share: float = 1.0  # of delta, that this one was computed with: where it is the least of several, they share delta

    @property
    def largest(self) -> float:
        """The largest loss that a row can have."""
        return float(self.ingredients.get("largest", 1.0))

    @property
    def errors(self) -> int | None:
        """How many rows are predicted wrong, where errors were counted."""
        return self.ingredients.get("errors")  # type: ignore[return-value]

    @property
    def is_vacuous(self) -> bool:
        """Whether J says nothing."""
        return self.value >= self.largest

    @property
    def counted(self) -> int:
        """The rows whose errors or losses `empirical` is a share of: those that a prior or a rule kept are not."""
        kept: Any = self.ingredients.get("kept", 0)
        found: Any = self.ingredients.get("counted", self.n_rows - kept)
        return int(found)

    def at_most(self) -> str:
        """J as a text, rounded up: a share of rows in percent, or a loss."""
        return at_most_of(self)

    def sentence(self) -> str:
        """The claim in words."""
        return sentence_of(self)

    def words(self, tol: float) -> Words:
        """What such a bound is, and what it assumes."""
        return words_of(self)

    def is_within(self, tol: float) -> bool:
        """Whether it says anything."""
        return not self.is_vacuous

    def plane_endings(self, tol: float) -> Endings:
        """Of searches for the plane whose guaranteed risk is least."""
        return Endings("structural risk", ("no smaller guaranteed risk was found",))

    def needs_labels(self) -> bool:
        """Losses have none."""
        return bool(self.classes)

    def problem_of(self, X: Any, y: Any = None, sample_weight: Any = None) -> LabelledRows | Losses:
        """The rows, or the losses, that it is about."""
        if sample_weight is not None:
            raise ValueError(WEIGHTS_REFUSED)
        return labelled_rows(X, y, self.classes) if self.classes else losses_of(X)

    def verify(self, problem: LabelledRows | Losses, point: Point | None = None) -> Verification:
        """Count the errors again, compute J again from its formula, and compare everything."""
        if point is not None and digest(point) != self.subject:
            return OTHER_POINT
        try:
            kind = kind_named(self.kind)
            if not isinstance(problem, kind.about):
                return Verification(False, f"The certificate speaks of other data than {type(problem).__name__}.")
            for name, value in _about(problem).items():
                if _with_types(getattr(self, name)) != _with_types(value):
                    said = f"its {name} is {getattr(self, name)}, not {value}"
                    return Verification(False, f"The certificate speaks of other data: {said}.")
            with np.errstate(all="ignore"):  # numbers that no computation gives make J what it is, without a word
                found = _computed(kind, problem, self.delta * self.share, self.ingredients, self.evidence)
        except (ValueError, TypeError, LookupError, OverflowError) as error:
            return Verification(False, f"There is no such bound: {error}.")
        numbers = {"value": found.value, "empirical": found.empirical}
        if not found.value <= self.value <= found.value * (1.0 + MOST_ROOMS * kind.room):
            return Verification(False, f"The bound is {found.value:.12g}, not {self.value:.12g}.", numbers)
        claims = {**_numbered(self.ingredients), "empirical": self.empirical, "predictor": self.predictor}
        again = {**_numbered(found.ingredients), "empirical": found.empirical, "predictor": found.predictor}
        claims |= {"assumption": self.assumption, "subject": self.subject}
        again |= {"assumption": found.assumption, "subject": _subject(self.evidence)}
        for name in sorted({*claims, *again}):
            if not _same(claims.get(name), again.get(name), max(SAME, kind.room)):
                said = f"The {name.removeprefix('its ')} is {again.get(name)}, not {claims.get(name)}."
                return Verification(False, said, numbers)
        return Verification(True, f"Recomputed from the data: the bound is {found.value:.6g}.", numbers)

    def to_json(self) -> dict[str, Any]:
        """The numbers, texts and ingredients."""
        return {
            "kind": name_of(self),
            "theorem": self.kind,
            **fields_json(self, (*NUMBERS, *TEXTS, *COUNTS)),
            "classes": list(self.classes),
            "ingredients": dict(self.ingredients),
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The evidence."""
        return dict(self.evidence)

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> RiskBound:
        """What `to_json` and `arrays` gave; ValueError for anything else."""
        check_names(cls, data, ("theorem", *NUMBERS, *TEXTS, *COUNTS, "classes", "ingredients"), arrays, arrays)
        kind = kind_named(data["theorem"])
        expect_numbers(data, NUMBERS)
        expect(0.0 < data["delta"] < 1.0, "delta")
        expect(0.0 < data["share"] <= 1.0 and data["delta"] * data["share"] > 0.0, "share")
        for name in ("value", "empirical", "baseline"):
            expect(data[name] >= 0.0, name)
        ingredients, classes = data["ingredients"], data["classes"]
        expect(isinstance(ingredients, dict) and set(ingredients) == set(kind.ingredients), "ingredients")
        for name, of_type in kind.ingredients.items():
            expect(_is_a(of_type, ingredients[name]), name)
        expect(isinstance(classes, list) and all(isinstance(x, (str, int, float)) for x in classes), "classes")
        expect(len(classes) >= 2 if kind.about is LabelledRows else not classes, "classes")
        counts: dict[str, Any] = {name: count_of(data, name, 1) for name in COUNTS}
        expect(all(count <= MOST_ROWS for count in counts.values()), "n_rows")
        texts: dict[str, Any] = {name: text_of(data, name) for name in TEXTS}
        claim = cls(
            kind=kind.name,
            **{name: data[name] for name in NUMBERS},
            **texts,
            **counts,
            classes=tuple(classes),
            ingredients=ingredients,
            evidence=dict(arrays),
        )
        _check_arrays(kind, claim.evidence, claim.n_rows, claim.n_columns, len(classes))
        return claim


def risk_bound(
    kind: str,
    data: LabelledRows | Losses,
    delta: float = 0.05,
    choices: Ingredients | None = None,
    evidence: Arrays | None = None,
) -> RiskBound:
    """The certificate of a kind of bound, computed from these data; ValueError where it does not apply."""
    found_kind, delta = kind_named(kind), check_share("delta", delta)
    if not isinstance(data, found_kind.about):
        raise TypeError(f"the bound {kind!r} is about {found_kind.about.__name__}, got {type(data).__name__}")
    arrays = {name: _owned(array) for name, array in (evidence or {}).items()}
    _check_arrays(found_kind, arrays, data.n_rows, data.n_columns, len(data.classes))
    found = _computed(found_kind, data, delta, choices or {}, arrays)
    room = found_kind.room if found.value < float(found.ingredients.get("largest", 1.0)) else 0.0
    return RiskBound(
        kind=kind,
        value=found.value * (1.0 + room),
        delta=delta,
        empirical=found.empirical,
        predictor=found.predictor,
        assumption=found.assumption,
        ingredients=dict(found.ingredients),
        evidence=arrays,
        subject=_subject(arrays),
        **_about(data),
    )


def plane_evidence(weights: Any, intercept: Any) -> Arrays:
    """Weights (d, or K x d) and intercepts as the evidence of the kinds about planes has them."""
    w, b = np.array(weights, dtype=np.float64, ndmin=2), np.array(intercept, dtype=np.float64, ndmin=1)
    if not (np.all(np.isfinite(w)) and np.all(np.isfinite(b))):
        raise ValueError("the weights of the predictor must be finite numbers")
    return {"weights": w, "intercept": b}


def _computed(kind: Kind, data: Any, delta: float, ingredients: Ingredients, evidence: Arrays) -> Terms:
    """The formula, given the choices and nothing else of the ingredients."""
    missing = [name for name in kind.choices if name not in ingredients]
    if missing:
        raise ValueError(f"the bound {kind.name!r} needs the choice {missing[0]!r}")
    choices = {name: ingredients[name] for name in kind.choices}
    for name, value in choices.items():
        if not _is_a(kind.ingredients[name], value):
            raise ValueError(f"{name} must be a finite {kind.ingredients[name].__name__}, got {value!r:.100}")
    return kind.terms(data, delta, choices, evidence)


def _about(data: LabelledRows | Losses) -> dict[str, Any]:
    """What binds a certificate to data."""
    return {
        "n_rows": data.n_rows,
        "n_columns": data.n_columns,
        "classes": tuple(x if isinstance(x, (str, int, float)) else str(x) for x in data.classes),
        "baseline": data.baseline,
        "fingerprint": data.fingerprint(),
    }


def _check_arrays(kind: Kind, arrays: Arrays, n_rows: int, n_columns: int, n_classes: int) -> None:
    """Refuse evidence with other names, types or shapes than the kind has."""
    if set(arrays) != set(kind.arrays):
        odd = sorted(set(arrays) ^ set(kind.arrays))[0]
        raise ValueError(f"the evidence of {kind.name!r} is {', '.join(kind.arrays) or 'nothing'}; not {odd!r}")
    lengths = {"n": n_rows, "d": n_columns, "p": 1 if n_classes == 2 else n_classes}
    for name, (dtype, shape) in kind.arrays.items():
        array = arrays[name]
        wanted = tuple(lengths.get(x, x) if isinstance(x, str) else x for x in shape)
        fits = array.dtype == dtype and array.ndim == len(wanted)
        fits = fits and all(want in ("*", have) for want, have in zip(wanted, array.shape, strict=True))
        if not fits:
            said = " x ".join(map(str, wanted))
            raise ValueError(f"{name} must be {said} of {dtype.__name__}, got {array.shape} of {array.dtype}")
        expect(array.dtype.kind != "f" or bool(np.all(np.isfinite(array))), name)


def _subject(evidence: Arrays) -> str:
    return digest(LinearPoint(evidence["weights"], evidence["intercept"])) if "weights" in evidence else ""


def _owned(array: NDArray[Any]) -> NDArray[Any]:
    copy = np.array(array)
    copy.flags.writeable = False
    return copy


def _is_a(of_type: type, x: Any) -> bool:
    return type(x) is of_type and (not isinstance(x, float) or math.isfinite(x))


def _numbered(ingredients: Ingredients) -> dict[str, Any]:
    return {f"its {name}": value for name, value in ingredients.items()}


def _same(claimed: Any, found: Any, tolerance: float) -> bool:
    if type(claimed) is not type(found):
        return False
    if isinstance(found, float):
        return abs(claimed - found) <= tolerance * max(abs(claimed), abs(found))
    return bool(claimed == found)


def _with_types(value: Any) -> list[tuple[type, Any]]:
    """For a comparison that keeps 1, 1.0 and true apart."""
    return [(type(x), x) for x in (value if isinstance(value, tuple) else (value,))]

"""Bounds on the future error of a fitted classifier: which kinds apply to these rows, and the least of those tried."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, NamedTuple

from empirisk.bounds.kinds.kind import KINDS, WEIGHTS_REFUSED
from empirisk.bounds.labelled_rows import LabelledRows, labelled_rows
from empirisk.bounds.risk_bound import RiskBound, plane_evidence, risk_bound
from empirisk.models.fitted import Fitted, rows_of
from empirisk.models.future_error.fit_bounds import (
    by_gap,
    by_own_class,
    by_perceptron,
    by_prior,
    by_support,
    fixed_list,
)
from empirisk.parameters import check_share


class Bounded(NamedTuple):
    """A classifier by planes, on rows with labels."""

    rows: LabelledRows
    weights: Any  # d, or K x d
    intercept: Any
    is_affine: bool  # whether the fit could have an intercept
    is_seen: bool  # whether these are, or may be, rows of the fit
    model: Any  # that has them


def _by_dimension(kind: str) -> Callable[[Bounded, float], RiskBound]:
    """Of all planes of the columns: whichever these rows picked."""

    def made(on: Bounded, delta: float) -> RiskBound:
        evidence = plane_evidence(on.weights, on.intercept)
        return risk_bound(kind, on.rows, delta, {"is_affine": on.is_affine}, evidence)

    return made


def _by_test(on: Bounded, delta: float) -> RiskBound:
    if on.is_seen:
        raise ValueError("these are rows of the fit, and a test needs others")
    return risk_bound("test", on.rows, delta, {}, plane_evidence(on.weights, on.intercept))


def _by_fit(made: Callable[..., RiskBound], **how: Any) -> Callable[[Bounded, float], RiskBound]:
    """Of a fit that is made again on some of its rows."""

    def bound(on: Bounded, delta: float) -> RiskBound:
        if not on.is_seen:
            raise ValueError("these are not the rows of the fit")
        return made(on.model, on.rows, delta, **how)

    return bound


def _by_own_class(kind: str) -> Callable[[Bounded, float], RiskBound]:
    """Of all planes of the class in which this one was found: on any rows."""

    def made(on: Bounded, delta: float) -> RiskBound:
        return by_own_class(on.model, on.rows, delta, kind)

    return made


# Kind -> how it is made for a classifier; each raises ValueError, with the reason, where it does not apply.
MAKERS: dict[str, Callable[[Bounded, float], RiskBound]] = {
    "test": _by_test,
    "vapnik": _by_dimension("vapnik"),
    "vc_tail": _by_dimension("vc_tail"),
    "vc_sparse": _by_dimension("vc_sparse"),
    "pac_bayes": _by_fit(by_prior, of_draw=False),
    "pac_bayes_draw": _by_fit(by_prior, of_draw=True),
    "pac_bayes_zero": _by_dimension("pac_bayes_zero"),
    "pac_bayes_zero_draw": _by_dimension("pac_bayes_zero_draw"),
    "margin": _by_dimension("margin"),
    "compression_perceptron": _by_fit(by_perceptron),
    "compression_gap": _by_fit(by_gap),
    "compression_support": _by_fit(by_support),
    "integers": _by_own_class("integers"),
    "structural": _by_own_class("structural"),
}


def rows_to_bound(model: Fitted, classes: Any, X: Any, y: Any, sample_weight: Any = None) -> LabelledRows:
    """The rows in the columns of the model, refused where they are others or weighted."""
    if sample_weight is not None:
        raise ValueError(WEIGHTS_REFUSED)
    rows = labelled_rows(rows_of(model, X), y, classes)
    if rows.n_columns != model.n_features:
        raise ValueError(f"X has {rows.n_columns} columns, the model {model.n_features}")
    return rows


def bound_of(on: Bounded, kind: str = "auto", delta: float = 0.05) -> RiskBound:
    """The bound of this kind. "auto" is `test` on rows that took no part in the fit; else the least of a fixed list."""
    delta = check_share("delta", delta)
    check_kind(kind)
    if kind != "auto":
        try:
            return MAKERS[kind](on, delta)
        except ValueError as error:
            others = ", ".join(name for name in MAKERS if name != kind and _applies(name, on, delta))
            raise ValueError(f"the bound {kind!r} does not apply: {error}; those that do: {others}") from None
    if not on.is_seen:
        return _by_test(on, delta)
    bounds = []
    for name, share in fixed_list(on.model).items():
        with contextlib.suppress(ValueError):  # of a kind that does not apply; its share of delta is lost
            bounds.append(MAKERS[name](on, delta * share)._replace(delta=delta, share=share))
    return min(bounds, key=lambda bound: bound.value)


def check_kind(kind: object) -> None:
    """Refuse a kind that no classifier has."""
    if kind != "auto" and kind not in MAKERS:
        said = "is not about a fitted plane and its rows alone" if kind in KINDS else "is unknown"
        raise ValueError(f"the kind {kind!r:.100} {said}; there are {', '.join(['auto', *MAKERS])}")


def _applies(kind: str, on: Bounded, delta: float) -> bool:
    try:
        MAKERS[kind](on, delta)
    except ValueError:
        return False
    return True

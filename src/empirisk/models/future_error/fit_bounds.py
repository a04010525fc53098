"""Bounds that need to know how a plane was fitted: by a prior from some of the rows, or by the rows that rebuild it."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.bounds.compression.rebuilding import gap_compression, support_compression
from empirisk.bounds.kinds import kind_named
from empirisk.bounds.labelled_rows import UNKNOWN, LabelledRows
from empirisk.bounds.pac_bayes.prior_fit import pac_bayes_bound
from empirisk.bounds.pac_bayes.prior_rows import prior_rows
from empirisk.bounds.risk_bound import RiskBound, plane_evidence, risk_bound
from empirisk.certificates.duality_gap import DualityGap
from empirisk.designs import as_design, matrix_of
from empirisk.losses import LOSSES
from empirisk.models.labels import with_class_weights
from empirisk.models.linear import LinearModel
from empirisk.models.linear_fit import fit_linear
from empirisk.models.plane import PlaneModel
from empirisk.models.planes import PlanesModel
from empirisk.models.scaling import scaling_of
from empirisk.rows.in_memory import InMemory
from empirisk.separation.mistake_bound import MistakeBound
from empirisk.separation.widest_gap import WidestGap
from empirisk.texts import text_of

NO_FIT = "the plane is not the fit of a risk"


def by_prior(model: Any, rows: LabelledRows, delta: float, of_draw: bool) -> RiskBound:
    """PAC-Bayes with a prior from half of the rows, fitted as the model was: strengths and scales are chosen again."""
    settings = _settings(model, rows)
    chosen = np.flatnonzero(prior_rows(rows.n_rows) & (rows.numbers != UNKNOWN))
    options, numbers = model.options, rows.numbers[chosen]
    if np.unique(numbers).size < 2:
        raise ValueError("the rows of the prior are all of one class")
    if model.cross_validation is not None or options.standardize:
        own = as_design(matrix_of(rows.design)[chosen])
    if model.cross_validation is not None:
        tried = model.cross_validation
        again = {name: "cv" for name in ("l1", "l2") if np.unique(getattr(tried, name)).size > 1}
        labels = np.array(rows.classes)[numbers]
        found = fit_linear(own, labels, options._replace(**again)).model.options
        settings |= {"l1": found.l1, "l2": found.l2}
    weights = with_class_weights(options.class_weight, np.array(rows.classes), numbers, None)
    if weights is not None:
        settings["positive_weight"] = float(weights[numbers == 1][0] / weights[numbers == 0][0])
    if options.standardize:
        given = np.empty(0) if weights is None else weights
        settings["scale"] = scaling_of(InMemory(own), given, options.fit_intercept).scale
    return pac_bayes_bound(rows, model.weights, model.intercept, delta, of_draw=of_draw, **settings)


def by_perceptron(model: Any, rows: LabelledRows, delta: float) -> RiskBound:
    """The rows with mistakes rebuild the plane."""
    proof = getattr(model, "certificate", None)
    if not isinstance(proof, MistakeBound):
        raise ValueError("only a perceptron with its mistake bound is run again")
    if not proof.is_from_zero:
        raise ValueError("the run did not start at zero")
    choices = {name: getattr(proof, name) for name in ("form", "order", "seed", "visits")}
    choices["is_affine"] = proof.plane.fit_intercept
    return risk_bound("compression_perceptron", rows, delta, choices, plane_evidence(model.weights, model.intercept))


def by_gap(model: Any, rows: LabelledRows, delta: float) -> RiskBound:
    """The support rows rebuild the plane."""
    proof = getattr(model, "certificate", None)
    if not isinstance(proof, WidestGap) or proof.augmented:
        raise ValueError("the plane is not that of a widest gap")
    return gap_compression(rows, proof, delta)


def by_support(model: Any, rows: LabelledRows, delta: float) -> RiskBound:
    """The rows whose loss is not flat rebuild the plane."""
    settings = _settings(model, rows)
    proof, options = model.certificate, model.options
    if options.standardize or options.class_weight is not None or model.cross_validation is not None:
        raise ValueError("columns, classes or strengths were weighed by looking at all rows")
    if not isinstance(proof, DualityGap):
        raise ValueError("the fit has no duality gap")
    return support_compression(rows, model.weights, model.intercept, proof, delta, **settings)


def by_own_class(model: Any, rows: LabelledRows, delta: float, kind: str) -> RiskBound:
    """The bound that the plane was chosen for, of integer weights or of a nested list, at this delta."""
    proof = getattr(model, "certificate", None)
    if not isinstance(proof, RiskBound) or proof.kind != kind:
        raise ValueError(f"the plane was not chosen for its bound {kind!r}")
    choices = {name: proof.ingredients[name] for name in kind_named(kind).choices}
    return risk_bound(kind, rows, delta, choices, proof.evidence)


def fixed_list(model: LinearModel | PlaneModel | PlanesModel) -> dict[str, float]:
    """The kinds that "auto" tries on the rows of the fit, with their shares of delta: fixed before a row is seen.

    PAC-Bayes has most of it: with more than a few columns it is the least, and vc_tail loses little by less of delta.
    """
    if isinstance(model, PlaneModel):
        if isinstance(model.certificate, RiskBound):
            return {model.certificate.kind: 1.0}
        rebuilt = {"perceptron": "compression_perceptron", "widest_gap": "compression_gap"}.get(model.method)
        return {"vc_tail": 1.0} if rebuilt is None else {"vc_tail": 0.5, rebuilt: 0.5}
    if isinstance(model, PlanesModel) or model.has_many_classes or _cannot_be_made_again(model):
        return {"vc_tail": 1.0}
    return {"vc_tail": 0.1, "pac_bayes": 0.9}


def _settings(model: Any, rows: LabelledRows) -> dict[str, Any]:
    """What the prior's fit, or that of the kept rows, is made with; ValueError where it cannot be."""
    if not isinstance(model, LinearModel):
        raise ValueError(NO_FIT)
    options = model.options
    if len(rows.classes) > 2:
        raise ValueError("this bound is for two classes; vc_tail is for more, too")
    if _cannot_be_made_again(model):
        raise ValueError(_cannot_be_made_again(model))
    settings = {"loss": text_of(options.loss), "l1": options.l1, "l2": options.l2}
    return {**settings, "fit_intercept": options.fit_intercept}


def _cannot_be_made_again(model: LinearModel) -> str:
    """Why not; empty where it can."""
    options = model.options
    if options.constraint is not None or options.regularizer is not None:
        return "a fit with a constraint or a further regularizer is not made again here"
    if type(options.loss) not in LOSSES.values():
        return "a checker cannot know a loss of one's own"
    return ""

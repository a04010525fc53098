"""A linear model as JSON and arrays, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import name_of, offers
from empirisk.certificates import UnattainedInfimum
from empirisk.model_file.certificate_parts import certificate_arrays, certificate_from_parts
from empirisk.model_file.checks import Arrays, check, check_fields, check_floats, check_number
from empirisk.model_file.names_parts import NAMES, classes_from_json, classes_to_json, names_from_parts, names_to_parts
from empirisk.model_file.option_parts import is_own, options_from_parts, options_to_parts, own_name
from empirisk.model_file.registry import register
from empirisk.model_file.validation_parts import validation_from_parts, validation_to_parts
from empirisk.models.linear import LinearModel
from empirisk.models.options import FitOptions
from empirisk.models.predictions import OwnLoss
from empirisk.models.scaling import Scaling
from empirisk.models.validation.holdout import Holdout
from empirisk.parameters import MOST_SEED
from empirisk.solution import PROVEN, UNPROVEN, Status

TEXTS = ("status", "solver", "reason", "data_fingerprint", "subject")
FIELDS = (
    *("options", "own_loss", "own_mean", "intercept", "classes", "certificate", "passes", "certified"),
    *("cross_validation", "holdout", *TEXTS, *NAMES),
)


def linear_to_parts(model: LinearModel) -> tuple[dict[str, Any], Arrays]:
    """Fields for JSON, and arrays; empty arrays are left out."""
    loss, own = model.options.loss, is_own(model.options.loss)
    options, arrays = options_to_parts(model.options)
    validation, validation_arrays = validation_to_parts(model.cross_validation)
    fields = {
        "options": options,
        "own_loss": own_name(loss) if own else None,
        "own_mean": own and (loss.has_mean if isinstance(loss, OwnLoss) else offers(loss, "mean")),
        "intercept": np.asarray(model.intercept, dtype=np.float64).tolist(),
        "classes": None if model.classes is None else classes_to_json(model.classes),
        "certificate": model.certificate.to_json(),
        "passes": float(model.passes),
        "certified": bool(model.certified),
        "cross_validation": validation,
        "holdout": None if model.holdout is None else model.holdout._asdict(),
        **{name: getattr(model, name) for name in TEXTS},
        **names_to_parts(model),
    }
    arrays |= {"weights": model.weights, **validation_arrays, **certificate_arrays(model.certificate)}
    if model.scaling is not None:
        arrays |= {"shift": model.scaling.shift, "scale": model.scaling.scale}
    return fields, {name: array for name, array in arrays.items() if array.size}


def linear_from_parts(fields: dict[str, Any], arrays: Arrays) -> LinearModel:
    """What `linear_to_parts` gave, checked."""
    fields = {"holdout": None, **fields}  # files of before did not have it
    check_fields(fields, FIELDS, "the model")
    arrays = dict(arrays)
    options = options_from_parts(fields["options"], arrays)
    classes = None if fields["classes"] is None else classes_from_json(fields["classes"])
    check((classes is None) == (options.task == "regression"), "classes and task disagree")
    weights, intercept = _plane(fields, arrays, _scores_of(arrays["weights"], classes), options)
    d = weights.shape[-1]
    scaling = None
    if options.standardize:
        scaling = Scaling(check_floats(arrays, "shift", (d,)), check_floats(arrays, "scale", (d,)))
        check(bool(np.all(scaling.scale > 0.0)), "scale must be positive")
        arrays = {name: array for name, array in arrays.items() if name not in ("shift", "scale")}
    validation = validation_from_parts(fields["cross_validation"], arrays, options)
    for name in TEXTS:
        check(type(fields[name]) is str, f"{name} must be text")
    check(fields["status"] in [*Status], "the status is none that a fit ends with")
    own_loss, own_mean = fields["own_loss"], fields["own_mean"]
    check(type(fields["certified"]) is bool, "certified must be true or false")
    check(type(own_mean) is bool and (own_loss is not None or not own_mean), "own_mean is true of an own loss only")
    check(own_loss is None or type(own_loss) is str, "own_loss must be text")
    check((fields["options"]["loss"] is None) == (own_loss is not None), "there must be one loss, built in or own")
    passes = check_number(fields["passes"], "passes")
    check(passes >= 0.0, "passes must not be negative")
    built = {
        "options": options if own_loss is None else options._replace(loss=OwnLoss(own_loss, own_mean)),
        "weights": weights,
        "intercept": intercept,
        "classes": classes,
        "certificate": certificate_from_parts(fields["certificate"], arrays),
        "passes": passes,
        "scaling": scaling,
        "cross_validation": validation,
        "holdout": _holdout(fields["holdout"]),
        **names_from_parts(fields, d),
    }
    name = name_of(built["certificate"])
    check(offers(built["certificate"], "with_evidence"), f"a fit is not proven by {name!r}: it has no point beside it")
    is_within = built["certificate"].is_within(options.tol)
    check(is_within or not fields["certified"], "certified, with a certificate that does not prove it")
    check(fields["certified"] or fields["status"] not in PROVEN, "a status of what is certified, and it is not")
    check(not fields["certified"] or fields["status"] not in UNPROVEN, "certified, and a status of what is not")
    is_refuted = isinstance(built["certificate"], UnattainedInfimum)
    check(is_refuted == (fields["status"] == Status.UNATTAINED), "status and certificate disagree on a minimiser")
    kept = {name: fields[name] for name in LinearModel._fields if name not in built}
    return LinearModel(**built, **kept)


def _scores_of(weights: NDArray[Any], classes: NDArray[Any] | None) -> tuple[int, ...]:
    """The shape of the scores of a row: one number for two classes and for one target, else one a class or target."""
    if classes is not None:
        return () if classes.size == 2 else (classes.size,)
    return weights.shape[:-1]


def _plane(
    fields: dict[str, Any], arrays: Arrays, sizes: tuple[int, ...], options: FitOptions
) -> tuple[NDArray[np.float64], Any]:
    """Weights, taken out of `arrays`, and intercept, of scores of this shape."""
    check(arrays["weights"].ndim == len(sizes) + 1 <= 2, "weights and classes disagree")
    weights = check_floats(arrays, "weights", (*sizes, arrays["weights"].shape[-1]))
    check(weights.size > 0, "there must be weights")
    del arrays["weights"]
    given = fields["intercept"] if sizes else [fields["intercept"]]
    check(type(given) is list and len(given) == (sizes or (1,))[0], "intercept must be one for each class")
    found = np.array([check_number(value, "intercept") for value in given]).reshape(sizes)
    check(options.fit_intercept or not np.any(found), "an intercept in a model without one")
    return weights, float(found) if found.ndim == 0 else found


def _holdout(data: Any) -> Holdout | None:
    """What was left out of the fit."""
    if data is None:
        return None
    check_fields(data, Holdout._fields, "holdout")
    share, (seed, n_rows) = check_number(data["share"], "share"), (data[name] for name in ("seed", "n_rows"))
    check(0.0 < share < 1.0, "the share of a holdout must be between 0 and 1")
    are_whole = type(seed) is int and type(n_rows) is int and 0 <= seed <= MOST_SEED and n_rows >= 2
    check(are_whole, "seed and n_rows of a holdout must be whole numbers")
    return Holdout(share, seed, n_rows)


register(LinearModel, linear_to_parts, linear_from_parts)

"""A plane between two classes as JSON and arrays, and back."""

from __future__ import annotations

import math
from typing import Any

from empirisk.capabilities import name_of
from empirisk.model_file.certificate_parts import certificate_arrays, certificate_from_parts
from empirisk.model_file.checks import Arrays, check, check_floats
from empirisk.model_file.names_parts import classes_from_json, classes_to_json, names_from_parts, names_to_parts
from empirisk.model_file.registry import register
from empirisk.model_file.vote_parts import voted_from_parts, voted_to_parts
from empirisk.models.plane import METHODS, NO_PLANE, PlaneModel, is_possible_status, shortfall_of

PLAIN = (str, int, float, bool, type(None))  # what parameters are


def plane_to_parts(model: PlaneModel) -> tuple[dict[str, Any], Arrays]:
    """Fields for JSON, and arrays; empty arrays are left out."""
    certificate = model.certificate
    voted, arrays = voted_to_parts(model.voted)
    fields = {
        **{name: getattr(model, name) for name in ("method", "parameters", "certified", "status")},
        "intercept": float(model.intercept),
        "tol": float(model.tol),
        "classes": classes_to_json(model.classes),
        "certificate": None if certificate is None else certificate.to_json(),
        "voted": voted,
        **names_to_parts(model),
    }
    arrays |= {"weights": model.weights, **({} if certificate is None else certificate_arrays(certificate))}
    return fields, {name: array for name, array in arrays.items() if array.size}


def plane_from_parts(fields: dict[str, Any], arrays: Arrays) -> PlaneModel:
    """What `plane_to_parts` gave, checked."""
    arrays, method, parameters = dict(arrays), fields["method"], fields["parameters"]
    check(method in METHODS, f"unknown method {method!r}")
    check(type(parameters) is dict and all(type(x) in PLAIN for x in parameters.values()), "bad parameters")
    check(type(fields["certified"]) is bool and type(fields["status"]) is str, "certified must be true or false")
    for name in ("intercept", "tol"):
        check(type(fields[name]) is float and math.isfinite(fields[name]), f"{name} must be a finite number")
    has_intercept = parameters.get("fit_intercept", True) or fields["intercept"] == 0.0
    check(has_intercept, "an intercept in a model without one")
    classes = classes_from_json(fields["classes"])
    check(classes.size == 2, "a plane is between two classes")
    check(arrays["weights"].ndim == 1 and arrays["weights"].size > 0, "there must be weights")
    weights = check_floats(arrays, "weights", arrays["weights"].shape)
    del arrays["weights"]
    voted = voted_from_parts(fields["voted"], arrays, weights.size)
    certificate = _proof(fields["certificate"], arrays, method)
    is_proven = not shortfall_of(method, certificate, fields["tol"])
    check(is_proven or not fields["certified"], "certified, with a certificate that does not prove it")
    is_possible = is_possible_status(method, fields["status"], certificate, fields["tol"])
    check(is_possible, "the status is none that a search with this certificate ends with")
    kept = {name: fields[name] for name in ("method", "parameters", "intercept", "certified", "status", "tol")}
    return PlaneModel(
        **kept,
        weights=weights,
        classes=classes,
        certificate=certificate,
        voted=voted,
        **names_from_parts(fields, weights.size),
    )


def _proof(data: dict[str, Any] | None, arrays: Arrays, method: str) -> Any:
    """None, or a certificate that speaks of the plane, or of a perceptron the proof that there is none."""
    if data is None:
        check(not arrays, f"unexpected arrays {sorted(arrays)}")
        return None
    certificate = certificate_from_parts(data, arrays)
    fitting = {METHODS[method], *([NO_PLANE] if method == "perceptron" else [])}
    check(name_of(certificate) in fitting, f"a plane of {method!r} is not proven by {name_of(certificate)!r}")
    return certificate


register(PlaneModel, plane_to_parts, plane_from_parts)

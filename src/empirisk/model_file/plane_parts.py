"""A plane between two classes as JSON and arrays, and back."""

from __future__ import annotations

from typing import Any

from empirisk.capabilities import name_of, optional
from empirisk.model_file.certificate_parts import certificate_arrays, certificate_from_parts
from empirisk.model_file.checks import Arrays, check, check_fields, check_floats, check_number
from empirisk.model_file.names_parts import NAMES, classes_from_json, classes_to_json, names_from_parts, names_to_parts
from empirisk.model_file.registry import register
from empirisk.model_file.vote_parts import voted_from_parts, voted_to_parts
from empirisk.models.plane import PlaneModel
from empirisk.separation.found_plane import Endings, shortfall_of

KEPT = ("method", "parameters", "certified", "status")
FIELDS = (*KEPT, "intercept", "tol", "classes", "certificate", "voted", *NAMES)
PLAIN = (str, int, float, bool, type(None))  # what parameters are


def plane_to_parts(model: PlaneModel) -> tuple[dict[str, Any], Arrays]:
    """Fields for JSON, and arrays; empty arrays are left out."""
    certificate = model.certificate
    voted, arrays = voted_to_parts(model.voted)
    fields = {
        **{name: getattr(model, name) for name in KEPT},
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
    check_fields(fields, FIELDS, "the model")
    arrays, method, parameters = dict(arrays), fields["method"], fields["parameters"]
    check(type(method) is str, "method must be text")
    check(type(parameters) is dict and all(type(x) in PLAIN for x in parameters.values()), "bad parameters")
    check(type(fields["certified"]) is bool and type(fields["status"]) is str, "certified must be true or false")
    for name in ("intercept", "tol"):
        check_number(fields[name], name)
    check(parameters.get("tol", fields["tol"]) == fields["tol"], "tol is not the one among the parameters")
    has_intercept = parameters.get("fit_intercept", True)
    check(type(has_intercept) is bool, "fit_intercept must be true or false")
    check(has_intercept or fields["intercept"] == 0.0, "an intercept in a model without one")
    classes = classes_from_json(fields["classes"])
    check(classes.size == 2, "a plane is between two classes")
    check(arrays["weights"].ndim == 1 and arrays["weights"].size > 0, "there must be weights")
    weights = check_floats(arrays, "weights", arrays["weights"].shape)
    del arrays["weights"]
    voted = voted_from_parts(fields["voted"], arrays, weights.size)
    certificate = _proof(fields, arrays)
    is_proven = not shortfall_of(certificate, fields["tol"])
    check(is_proven or not fields["certified"], "certified, with a certificate that does not prove it")
    kept = {name: fields[name] for name in (*KEPT, "intercept", "tol")}
    return PlaneModel(
        **kept,
        weights=weights,
        classes=classes,
        certificate=certificate,
        voted=voted,
        **names_from_parts(fields, weights.size),
    )


def _proof(fields: dict[str, Any], arrays: Arrays) -> Any:
    """None, or a certificate that goes with a plane of this method, and with the status."""
    if fields["certificate"] is None:
        check(not arrays, f"unexpected arrays {sorted(arrays)}")
        return None
    certificate, method = certificate_from_parts(fields["certificate"], arrays), fields["method"]
    told = optional(certificate, "plane_endings")
    endings = Endings("", ()) if told is None else told(fields["tol"])
    check(endings.method == method, f"a plane of {method!r} is not proven by {name_of(certificate)!r}")
    check(fields["status"] in endings.statuses, "the status is none that a search with this certificate ends with")
    return certificate


register(PlaneModel, plane_to_parts, plane_from_parts)

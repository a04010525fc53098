"""A plane for each class against the rest as JSON and arrays, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.model_file.checks import Arrays, check, check_fields
from empirisk.model_file.names_parts import NAMES, classes_from_json, classes_to_json, names_from_parts, names_to_parts
from empirisk.model_file.plane_parts import plane_from_parts, plane_to_parts
from empirisk.model_file.registry import register
from empirisk.models.plane import PlaneModel
from empirisk.models.planes import PlanesModel


def planes_to_parts(model: PlanesModel) -> tuple[dict[str, Any], Arrays]:
    """Fields for JSON, and arrays, each under the number of its class."""
    parts = [plane_to_parts(plane) for plane in model.planes]
    arrays = {f"{k}.{name}": array for k, (_, own) in enumerate(parts) for name, array in own.items()}
    planes = [fields for fields, _ in parts]
    return {"planes": planes, "classes": classes_to_json(model.classes), **names_to_parts(model)}, arrays


def planes_from_parts(fields: dict[str, Any], arrays: Arrays) -> PlanesModel:
    """What `planes_to_parts` gave, checked."""
    check_fields(fields, ("planes", "classes", *NAMES), "the model")
    classes, each = classes_from_json(fields["classes"]), fields["planes"]
    check(type(each) is list and len(each) == classes.size, "there must be a plane for each class")
    check(classes.size >= 3, "planes for each class are for three classes or more")
    owners = {name: name.partition(".")[0] for name in arrays}
    check(all(owner in map(str, range(classes.size)) for owner in owners.values()), "arrays of no class")
    planes = tuple(_plane(one, arrays, owners, k) for k, one in enumerate(each))
    first = planes[0]
    for plane in planes:
        check(plane.classes.dtype == np.bool_, "each plane is between a class and the rest")
        same = (plane.n_features, plane.method, plane.parameters, plane.tol)
        check(same == (first.n_features, first.method, first.parameters, first.tol), "the planes are of other searches")
        check(plane.columns is None and plane.feature_names is None, "a plane of its own columns")
    return PlanesModel(planes, classes, **names_from_parts(fields, first.n_features))


def _plane(fields: Any, arrays: Arrays, owners: dict[str, str], k: int) -> PlaneModel:
    check(type(fields) is dict, "a plane must have fields")
    own = {name.partition(".")[2]: array for name, array in arrays.items() if owners[name] == str(k)}
    check("weights" in own, "there must be weights")
    return plane_from_parts(fields, own)


register(PlanesModel, planes_to_parts, planes_from_parts)

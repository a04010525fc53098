"""Runs of an online learner for each class against the rest as JSON and arrays, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.model_file.checks import Arrays, check, check_fields
from empirisk.model_file.names_parts import NAMES, classes_from_json, classes_to_json, names_from_parts, names_to_parts
from empirisk.model_file.online_parts import online_from_parts, online_to_parts, sums_from_json, sums_to_json
from empirisk.model_file.registry import register
from empirisk.models.online import OnlineModel
from empirisk.models.online_classes import COMMON, OnlineClassesModel


def online_classes_to_parts(model: OnlineClassesModel) -> tuple[dict[str, Any], Arrays]:
    """Fields for JSON, and arrays, each under the number of its class."""
    parts = [online_to_parts(run) for run in model.runs]
    arrays = {f"{k}.{name}": array for k, (_, own) in enumerate(parts) for name, array in own.items()}
    fields = {
        "runs": [fields for fields, _ in parts],
        "classes": classes_to_json(model.classes),
        "errors": model.errors,
        "sums": sums_to_json(model.sums),
        **names_to_parts(model),
    }
    return fields, arrays


def online_classes_from_parts(fields: dict[str, Any], arrays: Arrays) -> OnlineClassesModel:
    """What `online_classes_to_parts` gave, checked."""
    check_fields(fields, ("runs", "classes", "errors", "sums", *NAMES), "the model")
    classes, each, errors = classes_from_json(fields["classes"]), fields["runs"], fields["errors"]
    check(type(each) is list and len(each) == classes.size, "there must be a run for each class")
    check(classes.size >= 3, "runs for each class are for three classes or more")
    owners = {name: name.partition(".")[0] for name in arrays}
    check(all(owner in map(str, range(classes.size)) for owner in owners.values()), "arrays of no class")
    runs = tuple(_run(one, arrays, owners, k) for k, one in enumerate(each))
    first = runs[0]
    for run in runs:
        check(run.classes is not None and run.classes.dtype == np.bool_, "each run is of a class against the rest")
        check(all(getattr(run, name) == getattr(first, name) for name in COMMON), "the runs are of other games")
    check(type(errors) is int and 0 <= errors <= first.ledger.rounds, "errors must be some of the rounds")
    names = names_from_parts(fields, first.n_features)
    return OnlineClassesModel(runs, classes, errors, sums_from_json(fields["sums"]), **names)


def _run(fields: Any, arrays: Arrays, owners: dict[str, str], k: int) -> OnlineModel:
    check(type(fields) is dict, "a run must have fields")
    own = {name.partition(".")[2]: array for name, array in arrays.items() if owners[name] == str(k)}
    return online_from_parts(fields, own)


register(OnlineClassesModel, online_classes_to_parts, online_classes_from_parts)

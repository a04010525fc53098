"""A run of an online learner as JSON and arrays, and back."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from empirisk.constraints import as_constraint, constraint_text
from empirisk.data.streams import RowFormat, row_format
from empirisk.losses import as_loss, loss_text
from empirisk.model_file.checks import Arrays, check, check_fields, check_floats, check_number
from empirisk.model_file.names_parts import NAMES, classes_from_json, classes_to_json, names_from_parts, names_to_parts
from empirisk.model_file.registry import register
from empirisk.models.online import OnlineModel
from empirisk.online.game import check_learner, game_of
from empirisk.online.learners import as_learner, learner_text
from empirisk.online.learners.states import arrays_of
from empirisk.online.play import ERRORS, N_NUMBERS, ROUNDS
from empirisk.problems.linear_point import LinearPoint
from empirisk.rows.fingerprint import Sums

PREFIX = "state."  # what the names of the state's arrays begin with
TEXTS = ("learner", "loss", "constraint")
USED = "used"
FLAGS = ("fit_intercept", "is_settled")
COUNTS = {"passes": 1, "n_features": 0, "n_columns": 1, "n_rows": 0}  # with the least that they can be
FIELDS = (*TEXTS, "l1", "l2", *FLAGS, "classes", *COUNTS, "sums", "first_intercept", "row_format", *NAMES)


def online_to_parts(model: OnlineModel) -> tuple[dict[str, Any], Arrays]:
    """Fields for JSON, and arrays; empty arrays and a w_1 of zero are left out."""
    fields = {
        **{name: getattr(model, name) for name in (*TEXTS, "l1", "l2", *FLAGS, "passes", "n_features", "n_rows")},
        "n_columns": int(model.first.weights.size),
        "classes": None if model.classes is None else classes_to_json(model.classes),
        "sums": sums_to_json(model.sums),
        "first_intercept": float(model.first.intercept),
        "row_format": None if model.row_format is None else _rows_to_json(model.row_format),
        **names_to_parts(model),
    }
    arrays = {PREFIX + name: array for name, array in model.state.items()} | {"numbers": model.numbers}
    if np.any(model.first.weights):
        arrays["first"] = model.first.weights
    if model.used is not None:
        arrays[USED] = model.used
    return fields, {name: array for name, array in arrays.items() if array.size}


def online_from_parts(fields: dict[str, Any], arrays: Arrays) -> OnlineModel:
    """What `online_to_parts` gave, checked."""
    check_fields(fields, FIELDS, "the model")
    for name in TEXTS:
        check(type(fields[name]) is str, f"{name} must be text")
    for name in ("l1", "l2"):
        check_number(fields[name], name)
    for name in FLAGS:
        check(type(fields[name]) is bool, f"{name} must be true or false")
    for name, least in COUNTS.items():
        check(type(fields[name]) is int and fields[name] >= least, f"{name} must be a whole number >= {least}")
    sums, n_columns = sums_from_json(fields["sums"]), fields["n_columns"]
    check(fields["n_features"] <= n_columns, "n_features must not exceed n_columns")
    check(n_columns <= max((array.size for array in arrays.values()), default=0), "n_columns and the state disagree")
    classes = None if fields["classes"] is None else classes_from_json(fields["classes"])
    check(classes is None or classes.size == 2, "a run is about two classes, or a regression")
    is_usual = classes is not None and classes.tolist() == [-1, 1]
    check(fields["is_settled"] or is_usual, "classes that are not settled are -1 and 1")
    intercept = check_number(fields["first_intercept"], "first_intercept")
    check(fields["fit_intercept"] or intercept == 0.0, "an intercept in a model without one")
    weights = check_floats(arrays, "first", (n_columns,)) if "first" in arrays else np.zeros(n_columns)
    first = LinearPoint(weights, intercept)
    names = names_from_parts(fields, fields["n_features"])
    rows = None if fields["row_format"] is None else _rows_from_json(fields["row_format"], names)
    kept = {name: fields[name] for name in (*TEXTS, "l1", "l2", *FLAGS, "passes", "n_features", "n_rows")}
    return OnlineModel(
        **kept,
        classes=classes,
        sums=sums,
        first=first,
        numbers=_numbers(arrays, fields["n_rows"]),
        state=_state(fields, arrays, first),
        row_format=rows,
        used=_used(arrays, rows),
        **names,
    )


def _rows_to_json(rows: RowFormat) -> dict[str, Any]:
    """Names are those of the features."""
    return {"format": rows.name, "options": dict(rows.options), "settled": dict(rows.settled)}


def _rows_from_json(fields: dict[str, Any], names: dict[str, Any]) -> RowFormat:
    """A format that is known, with options that it takes, and names where it keeps them."""
    check_fields(fields, ("format", "options", "settled"), "the rows")
    options, settled, format = fields["options"], fields["settled"], fields["format"]
    check(type(options) is dict and type(settled) is dict and type(format) is str, "bad format of the rows")
    rows = row_format(format, options, settled)
    check(dict(rows.options) == options, "the options of the rows are not all there")
    feature_names = names["feature_names"]
    check((rows.names is None) == (feature_names is None), "exact names are those of the features")
    check(feature_names is None or len({*feature_names}) == len(feature_names), "each name of a feature must be once")
    check(rows.format.first_index == names["first_index"], "first_index and the format of the rows disagree")
    return rows._replace(names=feature_names)


def _used(arrays: Arrays, rows: RowFormat | None) -> Any:
    """A bit for each column of hashed names."""
    bits = None if rows is None else rows.bits
    used = arrays.get(USED)
    check((used is None) == (bits is None), "columns that occurred are told of hashed names alone")
    if used is None or bits is None:
        return None
    check(used.dtype == np.uint8 and used.shape == ((1 << bits) + 7 >> 3,), "used must be a bit for each column")
    return used


def sums_to_json(sums: Sums) -> list[str]:
    """The words of a fingerprint."""
    return [f"{word:016x}" for word in sums]


def sums_from_json(words: Any) -> Sums:
    """What `sums_to_json` gave, checked."""
    are_words = type(words) is list and len(words) == 2 and all(type(word) is str for word in words)
    check(are_words and all(re.fullmatch("[0-9a-f]{16}", word) for word in words), "sums must be two words of 64 bits")
    return int(words[0], 16), int(words[1], 16)


def _numbers(arrays: Arrays, n_rows: int) -> Any:
    """Of the ledger: no more rounds than rows, and no more errors than rounds."""
    numbers = check_floats(arrays, "numbers", (N_NUMBERS,))
    rounds, errors = float(numbers[ROUNDS]), float(numbers[ERRORS])
    are_counts = rounds.is_integer() and errors.is_integer() and 0.0 <= errors <= rounds <= n_rows
    check(are_counts, "the numbers of the ledger are none of a run")
    return numbers


def _state(fields: dict[str, Any], arrays: Arrays, first: LinearPoint) -> Arrays:
    """The arrays of the state that the learner begins the game with, by name, kind and shape, and without NaN."""
    learner, loss = as_learner(fields["learner"]), as_loss(fields["loss"])
    constraint = as_constraint(fields["constraint"] or None)
    texts = {
        "learner": learner_text(learner),
        "loss": loss_text(loss),
        "constraint": "" if constraint is None else constraint_text(constraint),
    }
    for name, text in texts.items():
        check(fields[name] == text, f"the {name} {fields[name]!r:.50} is written {text!r:.50}")
    game = game_of(loss, fields["l1"], fields["l2"], constraint, fields["fit_intercept"], first.weights.size)
    check_learner(learner, game)
    fresh, state = arrays_of(learner.begin(game, first)), Arrays()
    for name, array in fresh.items():
        found = arrays.get(PREFIX + name, array if array.size == 0 else None)
        is_alike = found is not None and found.dtype == array.dtype and found.shape == array.shape
        check(is_alike, f"the state of {fields['learner']!r:.50} has no array {name} of this kind")
        assert found is not None
        check(not np.any(np.isnan(found)), f"{name} must be numbers")
        state[name] = found
    unexpected = sorted({*arrays} - {"first", "numbers", USED} - {PREFIX + name for name in fresh})
    check(not unexpected, f"unexpected arrays {unexpected}")
    return state


register(OnlineModel, online_to_parts, online_from_parts)

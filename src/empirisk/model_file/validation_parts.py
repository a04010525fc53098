"""The cross-validation behind the strengths of a model as JSON and arrays, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.model_file.checks import Arrays, check, check_floats
from empirisk.models.options import FitOptions
from empirisk.models.validation.cross_validation import CrossValidation

PREFIX = "validation_"
TEXTS = ("fewer_folds", "extended")


def validation_to_parts(found: CrossValidation | None) -> tuple[dict[str, Any] | None, Arrays]:
    """What is no array, and the arrays."""
    if found is None:
        return None, {}
    fields = found._asdict()
    arrays = {PREFIX + name: value for name, value in fields.items() if isinstance(value, np.ndarray)}
    return {name: fields[name] for name in ("uncertified", *TEXTS)}, arrays


def validation_from_parts(data: dict[str, Any] | None, arrays: Arrays, options: FitOptions) -> CrossValidation | None:
    """What `validation_to_parts` gave, checked; its arrays are taken out of `arrays`."""
    if data is None:
        return None
    uncertified = data["uncertified"]
    are_known = set(data) == {"uncertified", *TEXTS} and all(type(data[name]) is str for name in TEXTS)
    check(are_known and type(uncertified) is int and uncertified >= 0, "bad cross_validation")
    own = {name: arrays.pop(name) for name in sorted(arrays) if name.startswith(PREFIX)}
    pairs, folds = own[f"{PREFIX}l1"].shape, own[f"{PREFIX}fold_weights"].shape
    check(len(pairs) == len(folds) == 1 and pairs[0] >= 2 and folds[0] >= 2, "bad sizes of a cross-validation")
    l1, l2 = (check_floats(own, PREFIX + name, pairs) for name in ("l1", "l2"))
    weights = check_floats(own, f"{PREFIX}fold_weights", folds)
    check(bool(np.all(l1 >= 0.0) and np.all(l2 >= 0.0) and np.all(weights > 0.0)), "negative numbers in a grid")
    losses, errors = own[f"{PREFIX}fold_losses"], None
    size = folds + pairs
    check(losses.dtype == np.float64 and losses.shape == size, "bad sizes of a cross-validation")
    check(not bool(np.any(np.isnan(losses))), "a held-out loss is not a number")  # it may be infinite
    if options.task == "classification":
        errors = check_floats(own, f"{PREFIX}fold_errors", size)
    check(len(own) == (4 if errors is None else 5), f"unexpected arrays {sorted(own)}")
    found = CrossValidation(l1, l2, weights, losses, errors, uncertified, *(data[name] for name in TEXTS))
    chosen = (float(l1[found.best]), float(l2[found.best]))
    check(chosen == (options.l1, options.l2), "the strengths are not those with the least held-out loss")
    return found

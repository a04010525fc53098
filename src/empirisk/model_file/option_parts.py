"""The options of a fit as JSON and arrays, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.capabilities import name_of
from empirisk.constraints import CONSTRAINTS
from empirisk.losses import LOSSES, loss_text
from empirisk.model_file.checks import Arrays, check, plain
from empirisk.models.options import FitOptions
from empirisk.models.predictions import OwnLoss
from empirisk.regularizers import REGULARIZERS
from empirisk.solvers import SOLVERS
from empirisk.texts import has_text, text_of


def options_to_parts(options: FitOptions) -> tuple[dict[str, Any], Arrays]:
    """Every option, and the arrays of a constraint and a regularizer; a user's own loss is null here."""
    fields = {name: plain(getattr(options, name)) for name in FitOptions._fields}
    solver, weight = options.solver, options.class_weight
    arrays: Arrays = {}
    # Whatever kind of number a parameter is, its text is that of a Python float.
    fields["loss"] = None if is_own(options.loss) else loss_text(type(options.loss)._make(map(float, options.loss)))
    if solver != "auto":
        fields["solver"] = {name_of(solver): {name: plain(value) for name, value in solver._asdict().items()}}
    if weight is not None and weight != "balanced":
        fields["class_weight"] = [[plain(label), float(value)] for label, value in weight.items()]
    constraint, regularizer = options.constraint, options.regularizer
    if constraint is not None and has_text(type(constraint)):
        fields["constraint"] = text_of(constraint)
    elif constraint is not None:
        numbers, arrays = _part_to_parts(constraint, "constraint")
        # A number that is alone has no name: its key is that of the constraint.
        fields["constraint"] = {name_of(constraint): next(iter(numbers.values())) if len(numbers) == 1 else numbers}
    if regularizer is not None:
        numbers, own = _part_to_parts(regularizer, "regularizer")
        fields["regularizer"] = {name_of(regularizer): numbers}
        arrays |= own
    return fields, arrays


def options_from_parts(data: dict[str, Any], arrays: Arrays) -> FitOptions:
    """What `options_to_parts` gave, checked; the arrays that belong to it are taken out of `arrays`."""
    check(set(data) == set(FitOptions._fields), f"unexpected options {sorted(data)}")
    check(data["task"] in ("classification", "regression"), f"unknown task {data['task']!r}")
    solver, weight, constraint, regularizer = (
        data[name] for name in ("solver", "class_weight", "constraint", "regularizer")
    )
    if isinstance(solver, dict):
        ((name, parameters),) = solver.items()
        solver = SOLVERS[name](**parameters)
    if isinstance(weight, list):
        are_pairs = all(type(one) is list and len(one) == 2 and type(one[1]) is float for one in weight)
        check(are_pairs, "class_weight must be pairs of a label and a number")
        weight = dict(weight)
    else:
        check(weight in (None, "balanced"), f"unknown class_weight {weight!r:.50}")
    if isinstance(constraint, dict):
        with_arrays = {name: cls for name, cls in CONSTRAINTS.items() if not has_text(cls)}
        constraint = _part_from_parts(constraint, "constraint", with_arrays, arrays)
    else:
        check(constraint is None or isinstance(constraint, str), "constraint must be text")
    if regularizer is not None:
        regularizer = _part_from_parts(regularizer, "regularizer", REGULARIZERS, arrays)
    parts = {"solver": solver, "class_weight": weight, "constraint": constraint, "regularizer": regularizer}
    options = FitOptions(**{**data, **parts}).checked()
    check(not options.tuned, "l1 and l2 must be numbers")
    return options


def _part_to_parts(part: Any, noun: str) -> tuple[dict[str, Any], Arrays]:
    """The numbers of a named tuple by their fields, and its arrays by what they are part of and their field."""
    fields = part._asdict()
    arrays = {name: value for name, value in fields.items() if isinstance(value, np.ndarray)}
    numbers = {name: plain(value) for name, value in fields.items() if name not in arrays}
    return numbers, {f"{noun}_{name}": array for name, array in arrays.items()}


def _part_from_parts(data: Any, noun: str, known: dict[str, Any], arrays: Arrays) -> Any:
    """The part of that name, of which `options_from_parts` checks the fields; its arrays are taken out of `arrays`."""
    ((name, numbers),) = data.items()
    check(name in known, f"unknown {noun} {name!r}")
    fields = known[name]._fields
    own: dict[str, Any] = {key: arrays.pop(f"{noun}_{key}") for key in fields if f"{noun}_{key}" in arrays}
    if not isinstance(numbers, dict):
        numbers = {key: numbers for key in fields if key not in own}
    return known[name](**numbers, **own)


def is_own(loss: object) -> bool:
    """Whether it is a user's loss, and not one of this package."""
    return type(loss) is not LOSSES.get(name_of(loss))


def own_name(loss: object) -> str:
    """The name of a user's own loss, loaded or not."""
    return loss.name if isinstance(loss, OwnLoss) else name_of(loss)

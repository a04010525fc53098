"""The options of a fit as JSON and arrays, and back."""

from __future__ import annotations

from typing import Any

from empirisk.capabilities import name_of
from empirisk.constraints import HalfSpace, constraint_text
from empirisk.losses import LOSSES, loss_text
from empirisk.model_file.checks import Arrays, check, plain
from empirisk.models.options import FitOptions
from empirisk.models.predictions import OwnLoss
from empirisk.regularizers import GroupLasso, NegativeEntropy
from empirisk.solvers import SOLVERS

NORMAL = "constraint_normal"  # of a half-space
GROUPS = ("members", "starts", "factors")  # of a group lasso
PREFIX = "regularizer_"


def options_to_parts(options: FitOptions) -> tuple[dict[str, Any], Arrays]:
    """Every option, and the arrays of a constraint and a regularizer; a user's own loss is null here."""
    fields = {name: plain(getattr(options, name)) for name in FitOptions._fields}
    solver, weight, arrays = options.solver, options.class_weight, {}
    # Whatever kind of number a parameter is, its text is that of a Python float.
    fields["loss"] = None if is_own(options.loss) else loss_text(type(options.loss)._make(map(float, options.loss)))
    if solver != "auto":
        fields["solver"] = {name_of(solver): {name: plain(value) for name, value in solver._asdict().items()}}
    if weight is not None and weight != "balanced":
        fields["class_weight"] = [[plain(label), float(value)] for label, value in weight.items()]
    if isinstance(options.constraint, HalfSpace):
        fields["constraint"] = {name_of(HalfSpace): options.constraint.offset}
        arrays[NORMAL] = options.constraint.normal
    elif options.constraint is not None:
        fields["constraint"] = constraint_text(options.constraint)
    if isinstance(options.regularizer, GroupLasso):
        numbers = {"strength": options.regularizer.strength, "l2": options.regularizer.l2}
        fields["regularizer"] = {name_of(GroupLasso): numbers}
        arrays |= {PREFIX + name: getattr(options.regularizer, name) for name in GROUPS}
    elif options.regularizer is not None:
        fields["regularizer"] = {name_of(NegativeEntropy): {"strength": options.regularizer.strength}}
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
        check(set(constraint) == {name_of(HalfSpace)}, f"unknown constraint {sorted(constraint)}")
        constraint = HalfSpace(arrays.pop(NORMAL), constraint[name_of(HalfSpace)])
    else:
        check(constraint is None or isinstance(constraint, str), "constraint must be text")
    if regularizer is not None:
        ((name, numbers),) = regularizer.items()
        check(name in (name_of(GroupLasso), name_of(NegativeEntropy)), f"unknown regularizer {name!r}")
        if name == name_of(GroupLasso):
            groups: dict[str, Any] = {key: arrays.pop(PREFIX + key) for key in GROUPS}
            regularizer = GroupLasso(**numbers, **groups)
        else:
            regularizer = NegativeEntropy(**numbers)
    parts = {"solver": solver, "class_weight": weight, "constraint": constraint, "regularizer": regularizer}
    options = FitOptions(**{**data, **parts}).checked()
    check(not options.tuned, "l1 and l2 must be numbers")
    return options


def is_own(loss: object) -> bool:
    """Whether it is a user's loss, and not one of this package."""
    return type(loss) is not LOSSES.get(name_of(loss))


def own_name(loss: object) -> str:
    """The name of a user's own loss, loaded or not."""
    return loss.name if isinstance(loss, OwnLoss) else name_of(loss)

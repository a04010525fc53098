"""The losses that the laws run on: every entry of the registry with three settings of its parameters, and labels."""

from empirisk.capabilities import is_convex, name_of, offers, tasks_of
from empirisk.losses import LOSSES


def settings_of(cls):
    others = [cls._field_defaults[key] for key in cls._fields[1:]]
    return [cls(scale, *(factor * value for value in others)) for scale, factor in ((1.0, 1.0), (2.5, 1.7), (0.3, 0.3))]


ALL = [loss for cls in LOSSES.values() for loss in settings_of(cls)]
CONVEX = [loss for loss in ALL if is_convex(loss)]


def those_with(method):
    return [loss for loss in CONVEX if offers(loss, method)]


def case_id(loss):
    return "-".join([name_of(loss), *(f"{value:g}" for value in loss)])


def labels_of(loss):
    if tasks_of(loss) == ("classification",):
        return (-1.0, 1.0)
    found = (-1.0, 1.0, 0.0, 0.3, -4.0, 7.0)
    return tuple(y for y in found if not offers(loss, "accepts") or loss.accepts(y))

"""Regularizers, a file each; `problems.penalty_and_constraint` adds l1, l2 and the constraint to them.

`REGULARIZERS` is the registry of those that stand beside l1 and l2; an elastic net is added to these.
"""

from __future__ import annotations

from typing import Any

from empirisk.capabilities import by_name
from empirisk.regularizers.elastic_net import ElasticNet
from empirisk.regularizers.group_lasso import GroupLasso, group_lasso
from empirisk.regularizers.negative_entropy import NegativeEntropy
from empirisk.regularizers.strengths import strength

__all__ = [
    "REGULARIZERS",
    "ElasticNet",
    "GroupLasso",
    "NegativeEntropy",
    "add_elastic_net",
    "as_regularizer",
    "group_lasso",
    "l2_unless_given",
    "strength",
]

USUAL_L2 = 1e-4
REGULARIZERS: dict[str, Any] = by_name(GroupLasso, NegativeEntropy)


def as_regularizer(spec: Any) -> Any:
    """A regularizer beside l1 and l2, with fields that kernels can take; None stays None."""
    if spec is None:
        return None
    if type(spec) in REGULARIZERS.values():
        return spec.checked()
    said = "regularizer must be ElasticNet(l1, l2), group_lasso(groups, strength) or NegativeEntropy(strength)"
    raise TypeError(f"{said}, got {spec!r}")


def l2_unless_given(l2: Any, regularizer: Any) -> Any:
    """l2; where it is None, 1e-4, but 0 beside a regularizer, which states the penalty: nothing adds to it unasked."""
    if l2 is not None:
        return l2
    return USUAL_L2 if regularizer is None else 0.0


def add_elastic_net(l1: float, l2: float | None, regularizer: Any) -> tuple[float, float, Any]:
    """l1, l2 and the further regularizer, once the strengths of an elastic net are added to the first two."""
    l2 = l2_unless_given(l2, regularizer)
    if not isinstance(regularizer, ElasticNet):
        return l1, l2, regularizer
    more = [strength(f"{name} of an elastic net", getattr(regularizer, name)) for name in ("l1", "l2")]
    return strength("l1", l1) + more[0], strength("l2", l2) + more[1], None

"""Regularizers, a file each; `problems.penalty_and_constraint` adds l1, l2 and the constraint to them."""

from __future__ import annotations

from typing import Any

from empirisk.regularizers.elastic_net import ElasticNet
from empirisk.regularizers.group_lasso import GroupLasso, checked, group_lasso
from empirisk.regularizers.negative_entropy import NegativeEntropy
from empirisk.regularizers.strengths import strength

__all__ = [
    "ElasticNet",
    "GroupLasso",
    "NegativeEntropy",
    "add_elastic_net",
    "as_regularizer",
    "group_lasso",
    "strength",
]


def as_regularizer(spec: Any) -> Any:
    """A regularizer beside l1 and l2, with fields that kernels can take; None stays None."""
    if spec is None:
        return None
    if isinstance(spec, GroupLasso):
        return checked(spec)
    if isinstance(spec, NegativeEntropy):
        if not (found := strength("strength of a negative entropy", spec.strength)) > 0.0:
            raise ValueError("strength of a negative entropy must be positive; without it, leave the regularizer out")
        return NegativeEntropy(found)
    said = "regularizer must be ElasticNet(l1, l2), group_lasso(groups, strength) or NegativeEntropy(strength)"
    raise TypeError(f"{said}, got {spec!r}")


def add_elastic_net(l1: float, l2: float, regularizer: Any) -> tuple[float, float, Any]:
    """l1, l2 and the further regularizer, once the strengths of an elastic net are added to the first two."""
    if not isinstance(regularizer, ElasticNet):
        return l1, l2, regularizer
    more = [strength(f"{name} of an elastic net", getattr(regularizer, name)) for name in ("l1", "l2")]
    return strength("l1", l1) + more[0], strength("l2", l2) + more[1], None

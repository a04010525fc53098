"""The regularizers and constraints that the documentation shows: how each is made, and what its picture is of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from empirisk.constraints import CONSTRAINTS, Box, HalfSpace, Simplex
from empirisk.problems.penalty_and_constraint import join
from empirisk.regularizers import ElasticNet, NegativeEntropy, group_lasso
from tools.documentation.drawing import Point
from tools.documentation.set_pictures import LevelSets, Region

COLUMNS = 3
GROUPS = group_lasso([[0, 1], [2]], 1.0, factors=[1.0, 1.0])
ENTROPY = join(0.0, 0.0, NegativeEntropy(1.0), Simplex(1.0), COLUMNS)


class Example(NamedTuple):
    """A regularizer or constraint of three weights, what users call to make one, and the panels of its picture."""

    part: Any
    maker: Any
    panels: Sequence[Region | LevelSets]


def _net(l1: float, l2: float) -> LevelSets:
    return LevelSets(f"l1 = {l1:g}, l2 = {l2:g}", lambda point: ElasticNet(l1, l2).value(np.array(point)))


def _within_a_group(point: Point) -> float:
    return float(GROUPS.value(np.array([point[0], point[1], 0.0])))


def _across_groups(point: Point) -> float:
    return float(GROUPS.value(np.array([point[0], 0.0, point[1]])))


def _entropy(point: Point) -> float:
    return float(ENTROPY.value(np.array([*point, 1.0 - sum(point)])))


REGULARIZERS = {
    "elastic_net": Example(ElasticNet(1.0, 1.0), ElasticNet, (_net(1.0, 0.0), _net(0.5, 1.0), _net(0.0, 1.0))),
    "group_lasso": Example(
        GROUPS,
        group_lasso,
        (
            LevelSets("w1 and w2 in one group", _within_a_group),
            LevelSets("w1 and w3 in two groups", _across_groups, names=("w1", "w3")),
        ),
    ),
    "negative_entropy": Example(
        NegativeEntropy(1.0),
        NegativeEntropy,
        (
            LevelSets(
                "three weights, w3 = 1 - w1 - w2",
                _entropy,
                levels=(0.05, 0.2, 0.4, 0.7),
                centre=(1.0 / COLUMNS, 1.0 / COLUMNS),
                low=0.0,
                high=1.0,
                domain=((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)),
            ),
        ),
    ),
}


def _as_it_comes(cls: Any) -> Example:
    """With its defaults."""
    said = ", ".join(f"{key} = {value:g}" for key, value in cls()._asdict().items())
    return Example(cls(), cls, (Region(said, cls()),))


# Those that cannot be shown with their defaults.
_OTHERWISE = {
    "box": Example(Box(), Box, (Region("the default, w >= 0", Box()), Region("low = -1, high = 0.5", Box(-1.0, 0.5)))),
    "half_space": Example(
        HalfSpace(np.array([1.0, 2.0, 0.0]), 1.0),
        HalfSpace,
        (Region("normal = (1, 2), offset = -0.5", HalfSpace(np.array([1.0, 2.0]), -0.5)),),
    ),
}
CONSTRAINTS_SHOWN = {name: _OTHERWISE.get(name) or _as_it_comes(cls) for name, cls in CONSTRAINTS.items()}

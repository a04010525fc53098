"""Weights that go on with more attributes and more labels than they were learned with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.layout import Layout
from empirisk.protocols import Vector


def grown(old: Layout, u: Vector, places: NDArray[np.int64], new: Layout) -> tuple[Layout, Vector]:
    """The layout of all weights of both, and the old weights in it; those that are new are zero.

    `places` says where the old labels are among the new ones. Attributes of the old layout keep their numbers.
    """
    K, n_attributes = new.n_labels, max(old.n_attributes, new.n_attributes)
    old_keys = _keys(old, places, K)
    keys = np.union1d(old_keys, _keys(new, np.arange(K), K))
    attributes, labels = keys // K, (keys % K).astype(np.uint16)
    starts = np.zeros(n_attributes + 1, np.int64)
    np.cumsum(np.bincount(attributes, minlength=n_attributes), out=starts[1:])
    is_free = new.is_free.copy()
    is_free[np.ix_(places, places)] |= old.is_free
    for array in (starts, labels, is_free):
        array.flags.writeable = False
    layout = Layout(starts, labels, K, new.n_dense, old.has_ends or new.has_ends, is_free)
    found = np.zeros(layout.size)
    into, own = layout.parts(found), old.parts(u)
    into.states[np.searchsorted(keys, old_keys)] = own.states
    into.dense[:, places] = own.dense
    into.transitions[np.ix_(places, places)] = own.transitions
    into.first[places], into.last[places] = own.first, own.last
    return layout, found


def _keys(layout: Layout, places: NDArray[np.int64], n_labels: int) -> NDArray[np.int64]:
    """A number for each pair of attribute and label, in the order of u where labels keep their order."""
    attributes = np.repeat(np.arange(layout.n_attributes), np.diff(layout.state_starts))
    found: NDArray[np.int64] = attributes * n_labels + places[layout.state_labels]
    return found

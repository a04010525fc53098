"""Labelings of sequences other than the true ones, and how their features differ from those of the true ones."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic.floats_as_integers import to_integers
from empirisk.arithmetic.integer_points import IntegerPoints
from empirisk.chains.chain_data import ChainData
from empirisk.chains.perceptron_runs.kernels import note_change
from empirisk.chains.perceptron_runs.run import Runner
from empirisk.designs import as_design
from empirisk.separation.points import Points

Member = tuple[int, tuple[int, ...], tuple[int, ...]]  # sequence, places in it that differ, their labels


class Members(NamedTuple):
    """Labelling k is that of sequence `sequences[k]` but for the places and labels change_starts[k], ... ."""

    sequences: NDArray[np.int64]
    change_starts: NDArray[np.int64]
    positions: NDArray[np.int64]
    labels: NDArray[np.int64]

    def each(self) -> list[Member]:
        """One after the other."""
        edges = self.change_starts.tolist()
        spans = [slice(a, b) for a, b in itertools.pairwise(edges)]
        parts = [(tuple(self.positions[at].tolist()), tuple(self.labels[at].tolist())) for at in spans]
        return [(j, *part) for j, part in zip(self.sequences.tolist(), parts, strict=True)]

    def inconsistency(self, data: ChainData) -> str:
        """What is wrong with them; empty where nothing is."""
        edges, m = self.change_starts, self.sequences.size
        if m == 0 or edges.shape != (m + 1,) or edges[0] != 0 or bool(np.any(edges[1:] <= edges[:-1])):
            return "The labelings do not each have places that differ."
        if self.positions.shape != (int(edges[-1]),) or self.labels.shape != self.positions.shape:
            return "The labelings do not have a label for each place that differs."
        each = self.each()
        if each != sorted(set(each)):
            return "The labelings are not in order, or one is there twice."
        starts, K = data.sequences.starts.tolist(), data.n_labels
        for j, positions, labels in each:
            if not 0 <= j < data.n_sequences:
                return "A labelling is of a sequence that is not there."
            gold = data.gold[starts[j] : starts[j + 1]].tolist()
            if list(positions) != sorted(set(positions)) or not 0 <= positions[0] <= positions[-1] < len(gold):
                return "A labelling differs at places that its sequence does not have."
            if not all(0 <= k < K and k != gold[t] for t, k in zip(positions, labels, strict=True)):
                return "A labelling has the true label, or none that there is, where it differs."
            if not is_allowed(data, labelling(data, (j, positions, labels))):
                return "A labelling is one that is not allowed."
        return ""


def members_of(each: Iterable[Member]) -> Members:
    """In one set of arrays."""
    given = list(each)
    edges = np.cumsum([0, *(len(positions) for _, positions, _ in given)])
    positions = [t for _, places, _ in given for t in places]
    labels = [k for _, _, names in given for k in names]
    sequences = np.array([j for j, _, _ in given], np.int64)
    return Members(sequences, edges.astype(np.int64), np.array(positions, np.int64), np.array(labels, np.int64))


def member_of(data: ChainData, j: int, path: NDArray[Any]) -> Member:
    """A whole labelling, as what differs in it."""
    begin, end = data.sequences.starts[j : j + 2].tolist()
    places = np.flatnonzero(path[: end - begin] != data.gold[begin:end])
    return j, tuple(places.tolist()), tuple(path[places].tolist())


def labelling(data: ChainData, member: Member) -> NDArray[np.int32]:
    """The whole of it."""
    j, positions, labels = member
    begin, end = data.sequences.starts[j : j + 2].tolist()
    path = data.gold[begin:end].copy()
    path[list(positions)] = labels
    return path


def is_allowed(data: ChainData, path: NDArray[Any]) -> bool:
    """Whether the masks allow a labelling."""
    masks = data.masks
    between = masks.between[path[:-1], path[1:]]
    return bool(masks.first[path[0]] > -math.inf and masks.last[path[-1]] > -math.inf and np.all(between > -math.inf))


def difference_points(data: ChainData, runner: Runner, each: Sequence[Member]) -> tuple[Points, NDArray[np.int64]]:
    """phi(x_j, s_j) - phi(x_j, s) of each, all on the side +1 of a plane through zero, in the columns that they meet.

    Rounded where attributes are no integers; and which weights the columns are of.
    """
    rows, values = [], []
    buffers = runner.buffers
    for member in each:
        path = labelling(data, member)
        buffers.path[: path.size] = path
        n_places = int(note_change(data.sequences.attributes, runner.chains, buffers, member[0]))
        places = np.unique(buffers.places[:n_places])
        found = buffers.change[places]
        buffers.change[places] = 0.0
        rows.append(places[found != 0.0])
        values.append(found[found != 0.0])
    columns, indices = np.unique(np.concatenate(rows), return_inverse=True)
    starts = np.cumsum([0, *(row.size for row in rows)])
    design = as_design(_csr(np.concatenate(values), indices.ravel(), starts, max(1, columns.size)))
    ones = np.ones(len(rows))
    return Points(design, ones, False, np.array([-1.0, 1.0])), columns


def _csr(values: Any, indices: Any, starts: Any, n_columns: int) -> Any:
    from scipy.sparse import csr_array

    return csr_array((values, indices, starts), shape=(starts.size - 1, n_columns))


def exact_differences(data: ChainData, each: Sequence[Member]) -> IntegerPoints:
    """The same differences, exactly, by Python's integers alone."""
    terms = [_terms(data, member) for member in each]
    met = sorted({place for found in terms for place, _ in found})
    number = {place: c for c, place in enumerate(met)}
    of_column: list[list[float]] = [[] for _ in met]
    for found in terms:
        for place, x in found:
            of_column[number[place]].append(x)
    scaled = [to_integers(values) for values in of_column]
    remaining = [iter(whole) for whole, _ in scaled]
    coordinates, values = [], []
    for found in terms:
        sums: dict[int, int] = {}
        for place, _ in found:
            c = number[place]
            sums[c] = sums.get(c, 0) + next(remaining[c])
        kept = sorted(c for c, total in sums.items() if total)
        coordinates.append(tuple(kept))
        values.append(tuple(sums[c] for c in kept))
    exponents = tuple(exponent for _, exponent in scaled)
    return IntegerPoints(tuple(coordinates), tuple(values), len(met), tuple(met), exponents)


def _terms(data: ChainData, member: Member) -> list[tuple[int, float]]:
    """Places of u with what the true labelling adds there, and the other one takes away."""
    layout, j = data.layout, member[0]
    begin, K = int(data.sequences.starts[j]), data.n_labels
    path = labelling(data, member).tolist()
    gold = data.gold[begin : begin + len(path)].tolist()
    pairs = layout.state_labels.size + layout.n_dense * K
    found: list[tuple[int, float]] = []
    for labels, sign in ((gold, 1.0), (path, -1.0)):
        for t in member[1]:
            found += [(place, sign * x) for place, x in _token_terms(data, begin + t, labels[t])]
        for t in range(1, len(path)):
            is_same = gold[t - 1 : t + 1] == path[t - 1 : t + 1]
            if not is_same and layout.is_free[labels[t - 1], labels[t]]:
                found.append((pairs + labels[t - 1] * K + labels[t], sign))
        if layout.has_ends:
            found.append((pairs + K * K + labels[0], sign))
            found.append((pairs + K * K + K + labels[-1], sign))
    return found


def _token_terms(data: ChainData, t: int, label: int) -> list[tuple[int, float]]:
    """The state features of a token with a label."""
    layout, X = data.layout, data.sequences.attributes
    found = []
    for m in range(int(X.row_size(t))):
        a = int(X.column_at(t, m))
        first, last = int(layout.state_starts[a]), int(layout.state_starts[a + 1])
        place = first + int(np.searchsorted(layout.state_labels[first:last], label))
        if place < last and layout.state_labels[place] == label:
            found.append((place, float(X.entry_at(t, m))))
    dense = data.sequences.dense[t].tolist()
    return found + [(layout.state_labels.size + c * layout.n_labels + label, x) for c, x in enumerate(dense) if x]

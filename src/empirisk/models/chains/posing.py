"""The data of a problem on sequences, from sequences as arrays and what was asked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.chain_data import ChainData, Masks, no_masks
from empirisk.chains.layout import Layout
from empirisk.chains.sequences import Sequences
from empirisk.inference.schemes import scheme_mask
from empirisk.models.chains.options import ChainOptions
from empirisk.problems.construction import check_weights


def data_of(
    sequences: Sequences,
    gold: NDArray[np.int32],
    classes: NDArray[Any],
    layout: Layout,
    options: ChainOptions,
    sample_weight: Any = None,
) -> ChainData:
    """All that a problem is about; labels that the scheme forbids are refused."""
    gold.flags.writeable = False
    weights = np.empty(0) if sample_weight is None else check_weights(sample_weight, sequences.n_sequences)
    data = ChainData(sequences, gold, classes, weights, layout, masks_of(options, classes))
    refuse_broken(data, options.scheme)
    return data


def masks_of(options: ChainOptions, classes: NDArray[Any]) -> Masks:
    """What the scheme forbids."""
    if options.scheme is None:
        return no_masks(classes.size)
    allowed, first, last = scheme_mask([str(label) for label in classes.tolist()], options.scheme)
    return Masks(*(np.where(array, 0.0, -np.inf) for array in (allowed, first, last)))


def refuse_broken(data: ChainData, scheme: str | None) -> None:
    """Refuse true labels that the scheme forbids: no weights could make them the best ones."""
    if scheme is None:
        return
    gold, starts = data.gold, data.sequences.starts
    is_inner = np.ones(gold.size, np.bool_)
    is_inner[starts[:-1]] = False
    at = np.flatnonzero(is_inner)
    bad = [at[data.masks.between[gold[at - 1], gold[at]] < 0.0]]
    bad.append(starts[:-1][data.masks.first[gold[starts[:-1]]] < 0.0])
    bad.append(starts[1:][data.masks.last[gold[starts[1:] - 1]] < 0.0] - 1)
    places = np.sort(np.concatenate(bad))
    if places.size:
        t = int(places[0])
        j = int(np.searchsorted(starts, t, side="right")) - 1
        said = f"label {data.classes.tolist()[gold[t]]!r} of token {t - starts[j]} of sequence {j}, counted from 0"
        raise ValueError(f"the {said}, breaks the scheme {scheme}: give the scheme of these labels, or none")

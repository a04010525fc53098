"""Whether sequences as users have them can be realised."""

from __future__ import annotations

from typing import Any

from empirisk.chains.chain_data import ChainData
from empirisk.chains.verdicts.realize import PASSES, SequenceVerdict
from empirisk.chains.verdicts.realize import realize as realize_data
from empirisk.models.chain import pose_chain
from empirisk.models.chain_options import ChainOptions
from empirisk.separation.watch import Callback


def realize(
    X: Any,
    y: Any = None,
    *,
    time_limit: float | None = None,
    max_passes: int = PASSES,
    seed: int = 0,
    callback: Callback | None = None,
    **options: Any,
) -> SequenceVerdict:
    """Weights with which each true labelling scores strictly above all others, or labelings that make that impossible.

    X are sequences and y their labels, as `ChainClassifier` takes them, with its options for features and weights
    (templates, min_count, states, transitions, ends, scheme); or X is a `ChainData`. `Realization` and
    `SequenceConflict` are certificates: `er.verify(verdict, data)` recomputes them. `time_limit` in seconds is looked
    at between steps, and at most `max_passes` passes are the perceptron's. The callback is called between steps, at
    most fifty times a second; returning True ends the search undecided.
    """
    if isinstance(X, ChainData):
        if y is not None or options:
            raise TypeError("a ChainData has its labels and options already: give it alone")
        data = X
    else:
        data = pose_chain(X, y, ChainOptions(**options).checked()).data
    return realize_data(data, time_limit=time_limit, max_passes=max_passes, seed=seed, callback=callback)

"""The rows that a prior may see: drawn by their places alone, so that every machine draws the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.parameters import check_count, check_seed, check_share
from empirisk.rows.fingerprint import mixed_words

SHARE = 0.5  # of the rows, that the prior sees


def prior_rows(n_rows: int, seed: int = 0, share: float = SHARE) -> NDArray[np.bool_]:
    """Which of n rows are the prior's: those whose mixed word of (seed, place) is below `share` of all words.

    No value of the data has a part in it, so that given the prior's rows the others are still independent draws.
    """
    n, seed, share = check_count("n_rows", n_rows), check_seed(seed), check_share("share", share)
    return mixed_words(n, seed) < np.uint64(int(share * 2.0**64))

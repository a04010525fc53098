"""How many tokens and sequences are labelled right."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class TokenErrors(NamedTuple):
    """Counted over some sequences."""

    tokens: int
    wrong_tokens: int
    sequences: int
    wrong_sequences: int

    @property
    def accuracy(self) -> float:
        """The share of tokens that are right."""
        return 1.0 - self.wrong_tokens / self.tokens

    @property
    def sequence_error(self) -> float:
        """The share of sequences with a wrong label: the loss 1{s != s'}."""
        return self.wrong_sequences / self.sequences


def token_errors(gold: NDArray[np.int32], answers: NDArray[np.int32], starts: NDArray[np.int64]) -> TokenErrors:
    """Compare labels of tokens."""
    is_wrong = gold != answers
    by_sequence = np.add.reduceat(is_wrong.astype(np.int64), starts[:-1])
    n_wrong = int(np.count_nonzero(by_sequence))
    return TokenErrors(int(gold.size), int(np.count_nonzero(is_wrong)), int(starts.size - 1), n_wrong)

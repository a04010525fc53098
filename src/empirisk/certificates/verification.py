"""What every certificate shares: the verdict of a check, and the digest of the weights it speaks of."""

from __future__ import annotations

import hashlib
import math
from typing import Any, NamedTuple

import numpy as np


class Verification(NamedTuple):
    """The verdict of `verify` and its reason."""

    holds: bool
    sentence: str
    gap: float  # as recomputed


def digest(w: Any, b: Any) -> str:
    """Of the weights and the intercept (or intercepts)."""
    return hashlib.blake2b(np.append(w, b).astype("<f8").tobytes(), digest_size=16).hexdigest()


def number_text(x: float) -> float | str:
    """A number for JSON, which has no infinity."""
    return x if math.isfinite(x) else repr(x)

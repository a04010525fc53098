"""The kinds of arrays that signatures name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Array = NDArray[np.float64]  # of one dimension for one score a row, of two for many classes

"""How many names there were, from the columns that they were hashed into."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import scipy.sparse

from empirisk.data.hashing import hashed
from empirisk.models.streams.used_columns import UsedColumns, names_met


def test_names_are_counted_by_the_columns_that_they_use():
    bits, n = 10, 600
    columns = [hashed(f"name_{k}") % 2**bits for k in range(n)]
    used = UsedColumns.of(bits)
    half = n // 2
    matrix = scipy.sparse.csr_array((np.ones(n), columns, [0, half, n]), shape=(2, 2**bits))
    used.meet(matrix, 0, 1)
    assert names_met(used.packed(), bits)[0] == len({*columns[:half]})
    used = UsedColumns.of(bits, used.packed())
    used.meet(matrix, 1, 2)
    found, names, share = names_met(used.packed(), bits)
    assert found == len({*columns})
    assert abs(names - n) < 0.05 * n
    counts = Counter(columns)
    assert abs(share - sum(counts[column] > 1 for column in columns) / n) < 0.05


def test_no_names_one_name_and_too_many():
    used = UsedColumns.of(2)
    assert names_met(used.packed(), 2) == (0, 0.0, 0.0)
    used.meet(scipy.sparse.csr_array([[1.0, 0.0, 0.0, 0.0]]), 0, 1)
    assert names_met(used.packed(), 2)[0] == 1
    used.meet(scipy.sparse.csr_array([[1.0, 1.0, 1.0, 1.0]]), 0, 1)
    assert names_met(used.packed(), 2) == (4, math.inf, 1.0)
    assert UsedColumns.of(None).packed() is None

"""Places among known values: numbers at once, all else one by one, with the same answer."""

import numpy as np
import pytest

from empirisk.arithmetic.places import places_among


@pytest.mark.parametrize(
    ("values", "known", "found"),
    [
        ([3, 1, 2, 1, 7], [1, 2, 3], [2, 0, 1, 0, -1]),
        ([1.5, np.nan, -np.inf], [1.5, 0.0], [0, -1, -1]),
        ([2, 5], [5, 2], [1, 0]),
        ([True, False], [False, True], [1, 0]),
        ([1.0, 2.0, 2.5], [1, 2], [0, 1, -1]),
        ([1, 0], [False, True], [1, 0]),
        (["b", "c", "a"], ["a", "b"], [1, -1, 0]),
        ([2**53 + 1, 2**53], [float(2**53), 1.0], [-1, 0]),
    ],
)
def test_places(values, known, found):
    assert places_among(np.array(values), np.array(known), -1).tolist() == found
    as_objects = np.array(values, dtype=object), np.array(known, dtype=object)
    assert places_among(*as_objects, -1).tolist() == found


def test_none_are_none():
    assert places_among(np.empty(0), np.array([1.0, 2.0]), 0).tolist() == []

"""Labels of a stream: two classes that are known by themselves or named, or numbers."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.losses import as_loss
from empirisk.models.streams.labels import labels_for


def test_classes_are_settled_by_what_is_met_and_not_by_what_is_read():
    for other in (0, -1):
        labels = labels_for(as_loss("logistic"), None)
        assert labels.refused(np.array([1.0, 1.0])) is None
        assert labels.refused(np.array([1.0, other])) is None
        labels.meet(np.array([1.0, 1.0, 1.0]))
        assert (labels.classes.tolist(), labels.is_settled) == ([-1, 1], False)
        labels.meet(np.array([float(other)]))
        assert (labels.classes.tolist(), labels.is_settled) == ([other, 1], True)
        assert labels.inside(np.array([1.0, other])).tolist() == [1.0, -1.0]


@pytest.mark.parametrize(
    ("classes", "labels", "row", "said"),
    [
        (None, [1.0, 2.0], 1, "expected the label -1, 0 or 1, found 2: classes=... names others"),
        (None, [1.0, 0.0, -1.0], 2, "expected the label 0 or 1, found -1: classes=... names others"),
        ([2, 5], [2.0, 5.0, 1.0], 2, "expected the label 2 or 5, found 1"),
    ],
)
def test_a_third_label(classes, labels, row, said):
    found = labels_for(as_loss("hinge"), None if classes is None else np.array(classes))
    assert found.refused(np.array(labels)) == (row, said)


def test_numbers():
    labels = labels_for(as_loss("squared"), None)
    assert labels.classes is None
    assert labels.refused(np.array([0.5, -3.0])) is None
    assert labels.inside(np.array([0.5])).tolist() == [0.5]
    labels = labels_for(as_loss("poisson"), None)
    assert labels.refused(np.array([1.0])) is None
    row, said = labels.refused(np.array([1.0, -1.0]))
    assert row == 1
    assert said.endswith("for the loss 'poisson', found -1")
    assert labels_for(as_loss("squared"), np.array([0, 1])).inside(np.array([0.0])).tolist() == [-1.0]

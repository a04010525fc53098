"""The number of gaps, and the class that shows why it is no bound."""

import itertools

import numpy as np

import empirisk as er
from empirisk.bounds.margins.gap_tolerant import LABEL, gap_number
from empirisk.bounds.shattering import vc_dimension
from empirisk.bounds.vc import vc_tail


def test_number_of_a_gap_is_labelled():
    rng = np.random.default_rng(0)
    y = np.repeat([-1.0, 1.0], 50)
    X = rng.uniform(-1.0, 1.0, (100, 3)) + 3.0 * y[:, None]
    found = gap_number(er.widest_gap(X, y), er.enclosing_ball(X), 100)
    assert LABEL in found.sentence()
    assert found.diameter > found.width > 0.0
    price = 3.0 * (1 + abs(found.power)) ** 2
    assert found.value == vc_tail(0, 100, found.dimension, 0.05 / price)


def test_errors_of_gap_tolerant_classifiers_are_shattered_beyond_h():
    """d + 1 points of one class, every set of which some classifier errs on, and on no other: h = 3, d + 1 = 5.

    D = 1.2 M. A point is judged where it is in the ball and outside of the gap; not judged is no error.
    """
    d, M, D = 4, 1.0, 1.2
    assert vc_dimension(columns=d, diameter=D, gap=M) == 3
    points = 0.01 * np.vstack([np.zeros(d), np.eye(d)])
    for wrong in itertools.product((False, True), repeat=d + 1):
        labels = np.where(wrong, -1.0, 1.0)
        if len(set(labels)) == 2:
            plane = er.widest_gap(points, labels)
            w, b = plane.weights / np.linalg.norm(plane.weights), plane.intercept / np.linalg.norm(plane.weights)
        else:
            w, b = np.eye(d)[0], -0.02 if wrong[0] else 0.02
        # The lower end of the gap, <w, x> + b = -M / 2 after the shift, lies between the two sets.
        shift = 0.5 * M
        scores = points @ w + b - shift
        center = points.mean(axis=0) + (shift - float(points.mean(axis=0) @ w + b)) * w
        is_judged = (np.abs(scores) > 0.5 * M) & (np.linalg.norm(points - center, axis=1) <= 0.5 * D)
        errs = is_judged & (scores < 0.0)  # all points are of the class +1
        assert errs.tolist() == list(wrong)

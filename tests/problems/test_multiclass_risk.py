"""The multi-class problem refuses what it cannot mean, and falls apart where it should."""

import numpy as np
import pytest

from empirisk.losses import Hinge, Logistic, Squared
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.passes import gradient
from empirisk.vector_losses import OneVersusRest, Softmax

RNG = np.random.default_rng(0)
N, D, K = 40, 3, 4
X, Y, S = RNG.normal(size=(N, D)), RNG.integers(0, K, N), RNG.random(N)


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"y": Y.astype(float)}, TypeError, "must hold integers"),
        ({"y": Y[:-1]}, ValueError, "one class for each of the 40 row"),
        ({"y": Y - 1}, ValueError, "from 0 to 3, found -1"),
        ({"y": Y + 1}, ValueError, "from 0 to 3, found 4"),
        ({"n_classes": 1}, ValueError, "n_classes must be an integer >= 2"),
        ({"n_classes": 3.0}, TypeError, "n_classes must be an integer >= 2"),
        ({"loss": Logistic(1.0)}, TypeError, "OneVersusRest"),
        ({"loss": "softmax"}, TypeError, "Softmax"),
        ({"loss": Softmax(-1.0)}, ValueError, "scale of softmax"),
        ({"loss": OneVersusRest("zero_one")}, ValueError, "evaluation only"),
        ({"X": X[:0], "y": Y[:0]}, ValueError, "empty"),
        ({"l2": -1.0}, ValueError, "l2"),
        ({"sample_weight": -S}, ValueError, "non-negative"),
    ],
)
def test_what_is_refused(change, error, said):
    arguments = {"X": X, "y": Y, "n_classes": K, "loss": Softmax(1.0), **change}
    with pytest.raises(error, match=said):
        MulticlassRisk(**arguments)


def test_the_sum_over_classes_is_one_versus_rest():
    problem = MulticlassRisk(X, Y, K, OneVersusRest(Logistic(2.0)), l2=0.1, sample_weight=S)
    x = RNG.normal(size=(D + 1, K))
    whole = gradient(problem, x, np.empty((N, K)))
    parts = [gradient(problem.of_class(j), np.ascontiguousarray(x[:, j]), np.empty(N)) for j in range(K)]
    assert whole.objective == pytest.approx(sum(part.objective for part in parts), rel=1e-13)
    for j, part in enumerate(parts):
        np.testing.assert_allclose(whole.slope[:-1, j], part.weights, rtol=1e-10, atol=1e-14)
        assert whole.slope[-1, j] == pytest.approx(part.intercept, abs=1e-14)
    some = gradient(problem.of_classes(1, 3), np.ascontiguousarray(x[:, 1:3]), np.empty((N, 2)))
    assert some.objective == pytest.approx(parts[1].objective + parts[2].objective, rel=1e-13)


def test_softmax_does_not_fall_apart():
    with pytest.raises(ValueError, match="only one-versus-rest"):
        MulticlassRisk(X, Y, K, Softmax(1.0)).of_class(0)


def test_bases_are_read_by_name_and_checked():
    assert isinstance(MulticlassRisk(X, Y, K, OneVersusRest("hinge")).loss.base, Hinge)
    assert MulticlassRisk(X, Y, K, Softmax(2)).loss.scale == 2.0
    assert "4 classes" in repr(MulticlassRisk(X, Y, K, OneVersusRest(Squared(1.0))))

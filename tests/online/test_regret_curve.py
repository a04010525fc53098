"""The curve of regret ends where the certificate of the whole run does."""

from __future__ import annotations

import numpy as np
import pytest

import empirisk as er
from tests.online.games import rows

pytestmark = pytest.mark.interpreted


@pytest.mark.parametrize("kind", ["random", "heavy"])
def test_the_curve_ends_at_the_certificate(kind):
    X, y, s = rows(kind)
    run = er.online.learn(X, y, "adagrad", l2=0.1, sample_weight=s)
    curve, whole = run.regret_curve(X, y, s), run.regret(X, y, s)
    assert [point.rounds for point in curve] == sorted({*(2**p for p in range(6)), whole.rounds})[: len(curve)]
    assert curve[-1].rounds == whole.rounds
    assert curve[-1].least <= whole.most + 1e-9
    assert whole.regret <= curve[-1].most + 1e-9
    assert curve[-1].bound == pytest.approx(whole.bound, rel=1e-3)
    assert all(point.least <= point.bound for point in curve)
    prefix = er.online.learn(X[:4], y[:4], "adagrad", l2=0.1, sample_weight=None if s is None else s[:4])
    if s is None:
        assert run.regret_curve(X, y, at=[4])[0].least == pytest.approx(prefix.regret(X[:4], y[:4]).regret, abs=1e-6)


def test_what_it_refuses():
    X, y, _ = rows("random")
    run = er.online.learn(X, y)
    with pytest.raises(ValueError, match="rounds must be from 1 to 60"):
        run.regret_curve(X, y, at=[61])
    with pytest.raises(ValueError, match="not the rows of the run"):
        run.regret_curve(X[:10], y[:10])


def test_a_beginning_that_a_plane_separates():
    """The best point of the first rows, far out, is no place to search for that of all from."""
    rng = np.random.default_rng(1)
    X, plane = rng.normal(size=(300, 12)), rng.normal(size=12)
    y = np.where(X @ plane + rng.normal(size=300) > 0.0, 1.0, -1.0)
    run = er.online.learn(X, y, "adagrad")
    curve, whole = run.regret_curve(X, y), run.regret(X, y)
    assert all(0.0 <= point.most - point.least <= 1.0 for point in curve)
    assert curve[-1].least == pytest.approx(whole.regret, abs=1e-3)


def test_rounds_ask_regret_for_a_curve():
    X, y, _ = rows("random", n=20)
    run = er.online.learn(X, y, "adagrad")
    assert run.regret(X, y, against="l2_ball", rounds=[5, 20]) == run.regret_curve(X, y, at=[5, 20], against="l2_ball")

"""Rows that are left out of a fit: of each class, always the same, and found again by verify."""

from __future__ import annotations

import numpy as np
import pytest

import empirisk as er
from empirisk.models import FitOptions, fit_linear
from empirisk.models.validation.holdout import Holdout
from empirisk.protocols import Unsupported


def splitmix64(row, seed):
    """In Python's integers, which are those of every machine."""
    x = ((row + 1) * 0x9E3779B97F4A7C15 + seed * 0xD1B54A32D192ED03) % 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


def test_the_split_is_the_same_on_every_machine():
    """Written down: a model file of today must be verified by the versions to come."""
    fitted, held = Holdout(0.3, 7, 10).split(np.zeros(10), None, by_class=False)
    assert held.tolist() == sorted(sorted(range(10), key=lambda row: splitmix64(row, 7))[:3]) == [0, 5, 7]
    assert sorted([*fitted, *held]) == list(range(10))


def test_each_class_leaves_its_share_and_none_vanishes():
    labels = np.repeat(["a", "b", "c"], [100, 11, 1])
    fitted, held = Holdout(0.2, 0, 112).split(labels, None, by_class=True)
    counts = [int(np.count_nonzero(labels[held] == name)) for name in "abc"]
    assert counts == [20, 2, 0]
    assert set(labels[fitted]) == {"a", "b", "c"}
    assert not set(fitted) & set(held)
    everything, _ = Holdout(0.99, 0, 112).split(labels, None, by_class=True)
    assert set(labels[everything]) == {"a", "b", "c"}


def test_seeds_differ_and_rows_of_weight_zero_are_never_held_out():
    labels, weights = np.zeros(40), np.repeat([0.0, 1.0], 20)
    splits = [Holdout(0.5, seed, 40).split(labels, weights, by_class=False)[1] for seed in range(5)]
    assert len({tuple(held) for held in splits}) == 5
    for held in splits:
        assert held.size == 10
        assert held.min() >= 20


def test_every_row_is_held_out_about_as_often():
    often = np.zeros(50)
    for seed in range(400):
        often[Holdout(0.2, seed, 50).split(np.zeros(50), None, by_class=False)[1]] += 1
    assert often.min() > 45
    assert often.max() < 120


def test_a_share_of_no_row_is_refused():
    with pytest.raises(Unsupported, match=r"holdout=0\.01 of 20 rows leaves none to judge the model on"):
        Holdout(0.01, 0, 20).split(np.zeros(20), None, by_class=False)


@pytest.mark.parametrize("with_weights", [False, True])
def test_verify_finds_the_rows_of_the_fit_again(with_weights, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.choice(["no", "yes"], 60)
    weights = rng.integers(0, 3, 60).astype(float) if with_weights else None
    holdout = Holdout(0.25, 3, 60)
    rows, held = holdout.split(y, weights, by_class=True)
    some = None if weights is None else weights[rows]
    options = FitOptions(l2=0.1, standardize=True)
    model = fit_linear(X[rows], y[rows], options, sample_weight=some).model._replace(holdout=holdout)
    er.save(model, tmp_path / "model")
    model = er.load(tmp_path / "model")
    assert model.holdout == holdout
    assert er.verify(model, X, y, weights).holds
    assert er.verify(model, X[rows], y[rows], some).holds  # the rows of the fit alone
    assert "25 % of the rows" in model.remark()
    changed = X.copy()
    changed[held[0]] += 1.0  # a row that took no part
    assert er.verify(model, changed, y, weights).holds
    changed = X.copy()
    changed[rows[np.flatnonzero(some)[0] if with_weights else 0]] += 1.0
    assert not er.verify(model, changed, y, weights).holds
    assert not er.verify(model, X, np.roll(y, 1), weights).holds
    assert not er.verify(model, X[:-1], y[:-1], None if weights is None else weights[:-1]).holds


def test_labels_that_could_not_be_split_are_other_data():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), np.repeat([0, 1], 10)
    holdout = Holdout(0.2, 0, 20)
    rows, _ = holdout.split(y, None, by_class=True)
    model = fit_linear(X[rows], y[rows], FitOptions(l2=0.1)).model._replace(holdout=holdout)
    assert not er.verify(model, X, list(range(20))).holds
    assert not er.verify(model, X, np.array([0, "a"] * 10, dtype=object)).holds

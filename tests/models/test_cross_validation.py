"""Strengths chosen by cross-validation: folds, held-out losses computed by hand, and the choice of the peers."""

import logging

import numpy as np
import pytest
from sklearn.linear_model import LassoCV, LogisticRegressionCV, RidgeCV
from sklearn.model_selection import PredefinedSplit

from empirisk.losses import Hinge, Logistic
from empirisk.models import FitOptions, fit_linear, verify
from empirisk.models.posing import pose
from empirisk.models.validation.cross_validation import CrossValidation, cross_validate, deal
from empirisk.models.validation.strength_choice import choose_strengths
from empirisk.paths import strength_grid
from empirisk.protocols import Unsupported

rng = np.random.default_rng(11)
N = 60
X = rng.normal(size=(N, 4)) * [1.0, 2.0, 0.5, 1.0] + [0.0, 1.0, 0.0, 0.0]
TARGETS = X @ [1.0, -0.5, 0.0, 0.3] + 0.7 * rng.normal(size=N)
LABELS = np.where(TARGETS > 0.0, "yes", "no")
MANY = np.array(["a", "b", "c"])[np.digitize(TARGETS, [-0.8, 0.8])]
WEIGHTS = np.where(rng.random(N) < 0.2, 0.0, rng.uniform(0.5, 2.0, N))
SMALL = {"folds": 3, "n_strengths": 4}


def posed(y, options):
    options = options.checked()
    return pose(X, y, options.without_tuned(), None).problem, options


def test_folds_are_even_and_hold_every_class_alike():
    labels = np.repeat([0, 1, 2], [30, 20, 13])
    folds = deal(labels, np.ones(63), 5, 0, np.array(["a", "b", "c"]))
    assert sorted(np.bincount(folds)) == [12, 12, 13, 13, 13]
    for k, size in enumerate((30, 20, 13)):
        counts = np.bincount(folds[labels == k], minlength=5)
        assert counts.sum() == size
        assert np.ptp(counts) <= 1


def test_folds_of_a_regression_are_shuffled_by_the_seed():
    first, again, other = (deal(TARGETS, np.ones(N), 7, seed, None) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert np.ptp(np.bincount(first)) <= 1
    assert not np.array_equal(first, np.sort(first))


def test_rows_of_weight_zero_take_no_part():
    folds = deal(TARGETS, WEIGHTS, 4, 0, None)
    assert np.array_equal(folds < 0, WEIGHTS == 0.0)
    assert np.ptp(np.bincount(folds[folds >= 0])) <= 1


@pytest.mark.parametrize(
    ("labels", "weights", "folds", "classes", "words"),
    [
        (
            np.repeat([0, 1], [9, 3]),
            np.ones(12),
            4,
            ["x", "y"],
            "at most 3 folds, as the class 'y' has 3 rows with a positive weight, got 4",
        ),
        (np.repeat([0, 1], [9, 3]), np.r_[np.ones(11), 0.0], 3, ["x", "y"], "'y' has 2 rows with a positive weight"),
        (np.arange(4.0), np.ones(4), 5, None, "there are 4 rows with a positive weight, got 5"),
        (np.arange(4.0), np.array([1.0, 0.0, 0.0, 1.0]), 3, None, "there are 2 rows"),
    ],
)
def test_too_many_folds(labels, weights, folds, classes, words):
    with pytest.raises(Unsupported, match=words):
        deal(labels, weights, folds, 0, None if classes is None else np.array(classes))


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_held_out_losses_are_those_of_fits_without_the_fold(weights):
    options = FitOptions(l2="cv", tol=1e-10, **SMALL)
    model = fit_linear(X, LABELS, options, sample_weight=weights).model
    found = model.cross_validation
    s = np.ones(N) if weights is None else weights
    signs = np.where(LABELS == "yes", 1.0, -1.0)
    folds = deal(signs, s, 3, 0, model.classes)
    for fold in range(3):
        keep, held = (folds >= 0) & (folds != fold), folds == fold
        for k, l2 in enumerate(found.l2):
            part = fit_linear(X[keep], LABELS[keep], FitOptions(l2=l2, tol=1e-10), sample_weight=s[keep]).model
            z = part.scores(X[held])
            by_hand = np.average([Logistic().value(a, b) for a, b in zip(z, signs[held], strict=True)], weights=s[held])
            assert found.fold_losses[fold, k] == pytest.approx(by_hand, rel=1e-4)
            wrong = np.average(part.predict(X[held]) != LABELS[held], weights=s[held])
            assert found.fold_errors[fold, k] == pytest.approx(wrong)
    totals = np.array([s[folds == fold].sum() for fold in range(3)])
    ratio = totals / found.fold_weights  # weights count by their ratios
    assert np.ptp(ratio) <= 1e-12 * ratio[0]
    mean = np.average(found.fold_losses, axis=0, weights=totals)
    assert found.losses == pytest.approx(mean)
    spread = np.average((found.fold_losses - mean) ** 2, axis=0, weights=totals)
    assert found.standard_errors == pytest.approx(np.sqrt(spread / 2))
    assert found.l2[found.best] == model.options.l2
    assert mean[found.best] == mean.min()
    assert found.uncertified == 0


CASES = {
    "l2": (LABELS, FitOptions(l2="cv")),
    "l1": (LABELS, FitOptions(l1="cv", l2=0.01)),
    "both": (LABELS, FitOptions(l1="cv", l2="cv", tol=1e-4)),
    "balanced and standardised": (LABELS, FitOptions(l2="cv", standardize=True, class_weight="balanced")),
    "hinge": (LABELS, FitOptions(l2="cv", loss="hinge")),
    "softmax": (MANY, FitOptions(l2="cv")),
    "one against the rest": (MANY, FitOptions(l2="cv", loss="squared_hinge")),
    "class after class": (MANY, FitOptions(l2="cv", loss="squared_hinge", constraint="box:low=-1,high=1")),
    "regression": (TARGETS, FitOptions(task="regression", l2="cv", loss="huber:delta=0.5")),
    "no intercept": (TARGETS, FitOptions(task="regression", l2="cv", fit_intercept=False)),
}


@pytest.mark.parametrize("name", CASES)
def test_the_fit_is_that_of_the_chosen_strengths(name):
    y, options = CASES[name]
    options = options._replace(**SMALL)
    model, solution, _ = fit_linear(X, y, options, sample_weight=WEIGHTS)
    found = model.cross_validation
    l1, l2 = (float(tried[found.best]) for tried in (found.l1, found.l2))
    assert (model.options.l1, model.options.l2) == (l1, l2)
    assert found.tuned == options.tuned
    assert found.l1.size >= (8 if name == "both" else 4)  # and what was tried beyond
    assert (found.fold_errors is None) == (options.task == "regression")
    assert solution.certified
    assert verify(model, X, y, WEIGHTS).holds
    plain = fit_linear(X, y, options._replace(l1=l1, l2=l2), sample_weight=WEIGHTS).model
    assert plain.weights.tobytes() == model.weights.tobytes()
    assert plain.subject == model.subject
    assert plain.cross_validation is None


def test_pairs_are_every_l1_with_every_l2():
    problem, options = posed(LABELS, FitOptions(l1="cv", l2="cv", folds=2, n_strengths=8, tol=1e-3))
    found = choose_strengths(problem, options, np.array(["no", "yes"])).validation
    l1, l2 = strength_grid(problem, "l1", n=8), strength_grid(problem, "l2", n=2)
    all_l1, all_l2 = np.unique(found.l1)[::-1], np.unique(found.l2)[::-1]  # of the grid, and beyond it
    assert set(l1) <= set(all_l1)
    assert set(l2) <= set(all_l2)
    assert found.l1.tolist() == [*all_l1] * all_l2.size
    assert found.l2.tolist() == np.repeat(all_l2, all_l1.size).tolist()
    alone = cross_validate(problem, options, l1[3:4], l2[1:], deal(problem.labels, np.ones(N), 2, 0, np.array([0, 1])))
    (same,) = np.flatnonzero((found.l1 == l1[3]) & (found.l2 == l2[1]))
    assert alone.fold_losses[:, 0] == pytest.approx(found.fold_losses[:, same], rel=0.05)


def test_held_out_losses_of_many_classes():
    """One against the rest is the sum over the classes, whichever way it is fitted."""
    l2, folds = np.array([0.1]), np.arange(N) % 3
    together = cross_validate(*posed(MANY, FitOptions(loss="hinge", tol=1e-8)), np.zeros(1), l2, folds)
    wide = FitOptions(loss="hinge", tol=1e-8, constraint="box:low=-100,high=100")  # which does not bind
    apart = cross_validate(*posed(MANY, wide), np.zeros(1), l2, folds)
    assert together.fold_losses == pytest.approx(apart.fold_losses, rel=1e-3)
    keep = folds != 0
    part = fit_linear(X[keep], MANY[keep], FitOptions(loss="hinge", l2=0.1, tol=1e-8)).model
    z, total = part.scores(X[~keep]), 0.0
    for j, label in enumerate("abc"):
        signs = np.where(MANY[~keep] == label, 1.0, -1.0)
        total += np.mean([Hinge().value(a, b) for a, b in zip(z[:, j], signs, strict=True)])
    assert together.fold_losses[0, 0] == pytest.approx(total, rel=1e-3)


FOLDS = np.random.default_rng(5).permutation(np.arange(N) % 5)
EVEN = PredefinedSplit(FOLDS)
GRID = np.geomspace(3.0, 1e-4, 15)
ZERO = np.zeros(1)
KEEP = 0.8 * N  # rows of a training part: scikit-learn's strengths grow with them


@pytest.mark.filterwarnings("ignore::FutureWarning")  # its attributes are about to change their shapes
def test_the_choice_of_logistic_regression_cv():
    options = {"scoring": "neg_log_loss", "tol": 1e-8, "max_iter": 5000}
    peer = LogisticRegressionCV(Cs=1.0 / (KEEP * GRID), cv=EVEN, **options).fit(X, LABELS)
    ours = cross_validate(*posed(LABELS, FitOptions(tol=1e-9)), ZERO, GRID, FOLDS)
    scores = peer.scores_["yes"] if isinstance(peer.scores_, dict) else np.squeeze(peer.scores_)
    assert ours.fold_losses == pytest.approx(-scores, rel=1e-4)
    assert ours.l2[ours.best] == pytest.approx(1.0 / (KEEP * np.ravel(peer.C_)[0]))


def test_the_choice_of_ridge_cv():
    peer = RidgeCV(alphas=KEEP * GRID, cv=EVEN, scoring="neg_mean_squared_error").fit(X, TARGETS)
    ours = cross_validate(*posed(TARGETS, FitOptions(task="regression", tol=1e-9)), ZERO, GRID, FOLDS)
    assert -peer.best_score_ == pytest.approx(2.0 * ours.losses.min(), rel=1e-4)  # ours is half the square
    assert peer.alpha_ / KEEP == pytest.approx(ours.l2[ours.best])


def test_the_choice_of_lasso_cv():
    peer = LassoCV(alphas=GRID, cv=EVEN, tol=1e-9, max_iter=100_000).fit(X, TARGETS)
    ours = cross_validate(*posed(TARGETS, FitOptions(task="regression", tol=1e-9)), GRID, ZERO, FOLDS)
    assert pytest.approx(2.0 * ours.fold_losses, rel=1e-4) == peer.mse_path_.T
    assert peer.alpha_ == pytest.approx(ours.l1[ours.best])


def test_a_choice_at_the_end_of_the_grid_is_noted():
    found = CrossValidation(
        np.zeros(3), np.array([1.0, 0.1, 0.01]), np.ones(2), np.array([[3.0, 2.0, 1.0]] * 2), None, 0
    )
    assert found.at_the_end == "l2 is the smallest of those tried: a better one may lie beyond"
    assert found._replace(fold_losses=np.array([[1.0, 2.0, 3.0]] * 2)).at_the_end.startswith("l2 is the largest")
    assert found._replace(fold_losses=np.array([[2.0, 1.0, 3.0]] * 2)).at_the_end == ""
    flat = found._replace(fold_losses=np.array([[3.0, 1.0 + 1e-9, 1.0], [3.0, 2.0 + 1e-9, 2.0]]))
    assert flat.at_the_end == "l2 is the smallest of those tried: towards it the held-out loss hardly changes"
    l1 = found._replace(l1=found.l2, l2=np.zeros(3), fold_losses=np.array([[1.0, 2.0, 3.0]] * 2))
    assert l1.at_the_end == "l1 is the largest of those tried, under which all weights are zero"


def test_of_equal_losses_the_strongest_and_infinite_ones_last():
    found = CrossValidation(
        np.zeros(4), np.geomspace(1.0, 0.1, 4), np.ones(2), np.array([[np.inf, 1.0, 1.0, 2.0]] * 2), None, 0
    )
    assert found.best == 1
    assert found.standard_errors.tolist() == [np.inf, 0.0, 0.0, 0.0]


def test_progress_is_told(caplog):
    told = []
    with caplog.at_level(logging.INFO, logger="empirisk"):
        fit_linear(X, LABELS, FitOptions(l2="cv", **SMALL), on_event=told.append)
    folds = [event for event in told if event.run == "folds"]
    n = len(folds)
    assert n == 3 * SMALL["n_strengths"]
    assert [event.done for event in folds] == [(k + 1) / n for k in range(n)]
    assert [event.numbers["fold"] for event in folds] == [1 + 3 * k // n for k in range(n)]
    assert {event.numbers["of"] for event in folds} == {3}
    assert folds[-1].seconds_left == 0.0
    assert [event.run for event in told[n:]] == ["fit"] * (len(told) - n)
    assert told[-1].done == 1.0
    assert "cross-validation: fold 2 of 3 done" in caplog.messages


def test_nothing_to_choose_from():
    with pytest.raises(ValueError, match="there is no grid for l2: no column changes the mean loss"):
        fit_linear(np.zeros((N, 2)), LABELS, FitOptions(l2="cv"))
    with pytest.raises(Unsupported, match="the constraint excludes w = 0"):
        fit_linear(X, LABELS, FitOptions(l1="cv", l2=0.0, constraint="simplex"))

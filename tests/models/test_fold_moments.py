"""Cross-validation of a quadratic loss from the moments of the folds: the same as fit by fit, or not taken."""

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.models.options import FitOptions
from empirisk.models.validation import cross_validation, fold_moments
from empirisk.models.validation.fold_moments import losses_by_moments
from empirisk.problems.moments import joined, moments_of

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((40, 3)) + np.array([0.0, 5.0, -1.0])
TARGET = X @ [1.0, -0.5, 0.0] + RANDOM.standard_normal(40) + 3.0
WEIGHTS = RANDOM.uniform(0.0, 2.0, 40) * (RANDOM.uniform(size=40) > 0.1)
FOLDS = np.where(WEIGHTS > 0.0, np.arange(40) % 4, -1)


def fitted(**options):
    chosen = {"folds": 4, "n_strengths": 5, "tol": 1e-8} | options
    return er.LinearRegressor(**chosen).fit(X, TARGET, WEIGHTS)


@pytest.mark.parametrize(
    "options",
    [
        {"l2": "cv"},
        {"l2": "cv", "fit_intercept": False},
        {"l2": "cv", "solver": "normal_equations"},
        {"l1": "cv", "l2": 0.0},
        {"l1": "cv", "l2": "cv"},
        {"l2": "cv", "constraint": "box:low=0"},
    ],
    ids=str,
)
def test_the_same_strengths_and_losses_as_fit_by_fit(options, monkeypatch):
    taken = []

    def noted(*arguments):
        taken.append(losses_by_moments(*arguments))
        return taken[-1]

    monkeypatch.setattr(cross_validation, "losses_by_moments", noted)
    quick = fitted(**options)
    assert taken
    assert all(found is not None for found in taken)
    monkeypatch.setattr(cross_validation, "losses_by_moments", lambda *_: None)
    slow = fitted(**options)
    assert (quick.l1_, quick.l2_) == (slow.l1_, slow.l2_)
    np.testing.assert_allclose(quick.cv_results_["fold_losses"], slow.cv_results_["fold_losses"], rtol=1e-5)
    np.testing.assert_array_equal(quick.coef_, slow.coef_)
    assert er.verify(quick, X, TARGET, WEIGHTS).holds


def test_the_moments_of_parts_are_those_of_the_whole():
    problem = er.EmpiricalRisk(X, TARGET, "squared", sample_weight=WEIGHTS)
    parts = [problem.with_rows(np.flatnonzero(fold == FOLDS)) for fold in range(4)]
    together = joined([moments_of(part) for part in parts], [part.total_weight for part in parts])
    for name, value in moments_of(problem)._asdict().items():
        if name != "terms":
            np.testing.assert_allclose(getattr(together, name), value, rtol=1e-12, err_msg=name)


@pytest.mark.parametrize(
    ("target", "matrix", "options"),
    [
        (X @ [1.0, 2.0, 3.0], X, {}),  # no loss is left, but for rounding
        (TARGET, X * [1.0, 1e9, 1.0] + [0.0, 1e16, 0.0], {}),  # nor a digit of the second column
        (TARGET, X, {"loss": er.Huber()}),
        (TARGET, X, {"solver": "newton"}),
        (np.sign(TARGET - 1.0), X, {"task": "classification", "loss": "squared"}),
    ],
    ids=["exact", "rounding", "huber", "newton", "classification"],
)
def test_where_moments_are_not_the_way(target, matrix, options):
    asked = FitOptions(**({"task": "regression"} | options)).checked()
    problem = er.EmpiricalRisk(matrix, target, asked.loss, l2=1e-12)
    assert losses_by_moments(problem, asked, [(0.0, 1e-12)], np.arange(40) % 4) is None


def test_every_row_is_read_once(monkeypatch):
    read = []
    monkeypatch.setattr(fold_moments, "moments_of", lambda part: read.append(part.labels) or moments_of(part))
    er.LinearRegressor(l2="cv", folds=4).fit(scipy.sparse.csr_array(X), TARGET)
    assert sorted(np.concatenate(read[:4]).tolist()) == sorted(TARGET.tolist())

"""The options of a fit: coerced once, the same when checked again."""

import math

import numpy as np
import pytest

from empirisk import LBFGS, SDCA, Hinge, Logistic, Squared
from empirisk.constraints import Box, HalfSpace, L2Ball, Simplex
from empirisk.losses import Perceptron
from empirisk.models import FitOptions
from empirisk.models.options import check_callback
from empirisk.protocols import Unsupported
from empirisk.regularizers import group_lasso


def test_defaults():
    checked = FitOptions().checked()
    assert isinstance(checked.loss, Logistic)
    assert isinstance(FitOptions(task="regression").checked().loss, Squared)
    assert (checked.l1, checked.l2, checked.tol, checked.max_passes) == (0.0, 1e-4, 1e-6, 1000)
    assert (checked.solver, checked.random_state, checked.n_threads) == ("auto", 0, None)


@pytest.mark.parametrize(
    "options",
    [
        FitOptions(),
        FitOptions(task="regression", solver="lbfgs", standardize=True),
        FitOptions(loss="hinge", solver="sdca", random_state=np.random.default_rng(1), class_weight="balanced"),
        FitOptions(constraint="l2_ball:radius=2", multiclass="softmax"),
        FitOptions(l1="cv", l2="cv", folds=np.int64(3)),
    ],
)
def test_checking_twice_changes_nothing(options):
    once = options.checked()
    assert once.checked() == once


def test_numbers_become_python_numbers():
    checked = FitOptions(
        l1=np.float32(0.5), l2=1, tol=np.float64(1e-3), max_passes=np.int64(7), n_threads=np.int32(2)
    ).checked()
    for value, kind in zip(
        (checked.l1, checked.l2, checked.tol, checked.max_passes, checked.n_threads),
        (float, float, float, int, int),
        strict=True,
    ):
        assert type(value) is kind


def test_a_solver_by_name_takes_the_seed_and_an_object_keeps_its_own():
    assert FitOptions(solver="sdca", random_state=7).checked().solver == SDCA(seed=7)
    assert FitOptions(solver=SDCA(seed=3), random_state=7).checked().solver == SDCA(seed=3)
    assert type(FitOptions(solver="lbfgs", random_state=7).checked().solver) is LBFGS


@pytest.mark.parametrize("state", [np.random.RandomState, np.random.default_rng])
def test_random_objects_give_a_seed_and_move_on(state):
    generator = state(5)
    first, second = (FitOptions(random_state=generator).checked().random_state for _ in range(2))
    assert first != second
    assert first == FitOptions(random_state=state(5)).checked().random_state


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        (FitOptions(l1=-1.0), ValueError, "l1 must be a finite number >= 0, got -1.0"),
        (FitOptions(l2="a"), TypeError, "l2 must be a number >= 0 or 'cv', got 'a'"),
        (FitOptions(l1="CV"), TypeError, "l1 must be a number >= 0 or 'cv', got 'CV'"),
        (FitOptions(folds=1), ValueError, "folds must be an integer >= 2, got 1"),
        (FitOptions(folds=2.0), TypeError, "folds must be an integer >= 2, got 2.0"),
        (FitOptions(n_strengths="many"), TypeError, "n_strengths must be an integer >= 2, got 'many'"),
        (FitOptions(tol=0.0), ValueError, "tol must be a positive finite number, got 0.0"),
        (FitOptions(tol=math.nan), ValueError, "tol must be a positive finite number, got nan"),
        (FitOptions(max_passes=0), ValueError, "max_passes must be an integer >= 1, got 0"),
        (FitOptions(n_threads=2.0), TypeError, "n_threads must be an integer >= 1, got 2.0"),
        (FitOptions(fit_intercept="no"), TypeError, "fit_intercept must be True or False, got 'no'"),
        (FitOptions(standardize=1), TypeError, "standardize must be True or False, got 1"),
        (FitOptions(random_state=-1), ValueError, "random_state must be None, an integer >= 0"),
        (FitOptions(task="regression", loss=Hinge()), ValueError, "not for regression"),
        (FitOptions(class_weight={1: True}), TypeError, "class_weight must be None, 'balanced' or a mapping"),
        (FitOptions(multiclass="all"), ValueError, "multiclass must be one of 'auto', 'softmax', 'one_vs_rest'"),
        (FitOptions(multiclass=np.ones(2)), TypeError, "multiclass must be one of"),
        (FitOptions(constraint="ball"), ValueError, "constraint must be one of 'l2_ball'"),
        (FitOptions(constraint="l2_ball:radius=0"), ValueError, "radius of 'l2_ball' must be positive and finite"),
        (FitOptions(constraint=Box(2.0, 1.0)), ValueError, "the constraint excludes every point"),
        (FitOptions(constraint=3), TypeError, "constraint must be one of"),
        (FitOptions(regularizer="group_lasso"), TypeError, "regularizer must be ElasticNet(l1, l2), group_lasso"),
        (FitOptions(regularizer=L2Ball()), TypeError, "regularizer must be ElasticNet(l1, l2), group_lasso"),
    ],
)
def test_wrong_options(options, error, words):
    with pytest.raises(error) as caught:
        options.checked()
    assert words in str(caught.value)


def test_constraints_and_regularizers_become_objects():
    assert FitOptions(constraint="box:low=-1").checked().constraint == Box(-1.0)
    assert type(FitOptions(constraint=L2Ball(radius=2)).checked().constraint.radius) is float
    penalty = FitOptions(regularizer=group_lasso([[0, 1], [2]], 1)).checked().regularizer
    assert (penalty.strength, penalty.starts.tolist()) == (1.0, [0, 2, 3])


@pytest.mark.parametrize("constraint", [None, "l1_ball", Box(-1.0, 1.0), HalfSpace(np.ones(3), 1.0)])
def test_a_loss_that_zero_weights_minimise_is_refused(constraint):
    with pytest.raises(Unsupported, match=r"'perceptron' is least at w = 0 .* 'hinge', .* er.Perceptron"):
        FitOptions(loss="perceptron", constraint=constraint).checked()


@pytest.mark.parametrize("constraint", [Simplex(), Box(0.5), Box(-2.0, -1.0), HalfSpace(np.ones(3), -1.0)])
def test_unless_the_constraint_excludes_zero(constraint):
    assert isinstance(FitOptions(loss=Perceptron(), constraint=constraint).checked().loss, Perceptron)


def test_strengths_to_be_chosen():
    assert FitOptions().checked().tuned == ()
    both = FitOptions(l1="cv", l2="cv").checked()
    assert both.tuned == ("l1", "l2")
    assert both.without_tuned() == both._replace(l1=0.0, l2=0.0)
    assert FitOptions(l2="cv", l1=0.5).without_tuned() == FitOptions(l2=0.0, l1=0.5)


def test_callbacks():
    assert check_callback("callback", None) is None
    assert check_callback("callback", print) is print
    with pytest.raises(TypeError, match="callback must be None or a function of the progress, got 3"):
        check_callback("callback", 3)

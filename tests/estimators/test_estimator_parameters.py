"""Every wrong parameter: the exception and the words its one sentence must hold."""

import math

import numpy as np
import pytest
from sklearn.base import clone

from empirisk import SDCA, Hinge, LinearClassifier, LinearRegressor, Logistic, Newton

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.5]])
Y = np.array([0, 0, 1, 1])

WRONG = [
    ("loss", 3, TypeError, "must be one of 'logistic', 'squared_hinge', 'hinge',"),
    ("loss", Logistic, TypeError, "loss object such as Logistic()"),
    ("loss", "absolute", ValueError, "must be one of 'logistic'"),
    ("loss", "zero_one", ValueError, "evaluation only"),
    ("loss", "logistic:speed=3", ValueError, "no parameter 'speed'"),
    ("loss", "logistic:scale=-1", ValueError, "positive and finite"),
    ("l1", None, TypeError, "number >= 0"),
    *(
        (name, value, error, "number >= 0")
        for name in ("l1", "l2")
        for value, error in [
            ("strong", TypeError),
            (True, TypeError),
            ([1.0], TypeError),
            (-1.0, ValueError),
            (math.nan, ValueError),
            (math.inf, ValueError),
        ]
    ),
    ("constraint", "ball", ValueError, "one of 'l2_ball', 'l1_ball', 'simplex', 'box'"),
    ("constraint", "l2_ball:size=1", ValueError, "no parameter 'size'"),
    ("constraint", "box:low=2,high=1", ValueError, "excludes every point"),
    ("constraint", 3, TypeError, "one of er.constraints such as HalfSpace"),
    ("regularizer", "lasso", TypeError, "group_lasso(groups, strength) or NegativeEntropy(strength)"),
    ("multiclass", "all", ValueError, "one of 'auto', 'softmax', 'one_vs_rest'"),
    ("multiclass", None, TypeError, "one of 'auto', 'softmax', 'one_vs_rest'"),
    ("fit_intercept", 1, TypeError, "True or False"),
    ("fit_intercept", None, TypeError, "True or False"),
    ("class_weight", 3, TypeError, "None, 'balanced' or a mapping from labels to numbers >= 0"),
    ("class_weight", {0: "heavy"}, TypeError, "a mapping from labels to numbers >= 0"),
    ("class_weight", "equal", ValueError, "None, 'balanced' or a mapping"),
    ("class_weight", {0: -1.0}, ValueError, "numbers >= 0"),
    ("class_weight", {0: math.inf}, ValueError, "numbers >= 0"),
    ("class_weight", {"spam": 2.0}, ValueError, "'spam', which is not a class"),
    ("class_weight", {0: 0.0}, ValueError, "zero for the class 0"),
    ("solver", 3, TypeError, "one of 'auto', 'newton', 'dual_newton', 'proximal_newton',"),
    ("solver", np.array([1, 2]), TypeError, "one of 'auto'"),
    ("solver", Newton, TypeError, "a solver object such as Newton()"),
    ("solver", "adam", ValueError, "one of 'auto', 'newton', 'dual_newton', 'proximal_newton'"),
    ("tol", "small", TypeError, "a positive finite number"),
    ("tol", True, TypeError, "a positive finite number"),
    ("tol", None, TypeError, "a positive finite number"),
    *(("tol", value, ValueError, "a positive finite number") for value in (0.0, -1.0, math.nan, math.inf)),
    ("max_passes", 10.0, TypeError, "an integer >= 1"),
    ("max_passes", None, TypeError, "an integer >= 1"),
    ("max_passes", True, TypeError, "an integer >= 1"),
    ("max_passes", 0, ValueError, "an integer >= 1"),
    ("warm_start", "yes", TypeError, "True or False"),
    ("warm_start", 0, TypeError, "True or False"),
    ("random_state", "seed", TypeError, "None, an integer >= 0 or a NumPy random generator"),
    ("random_state", 1.5, TypeError, "None, an integer >= 0 or a NumPy random generator"),
    ("random_state", -1, ValueError, "None, an integer >= 0 or a NumPy random generator"),
    ("n_threads", 1.5, TypeError, "an integer >= 1"),
    ("n_threads", True, TypeError, "an integer >= 1"),
    ("n_threads", 0, ValueError, "an integer >= 1"),
    ("n_threads", -1, ValueError, "an integer >= 1"),
    ("folds", 2.5, TypeError, "an integer >= 2"),
    ("folds", 1, ValueError, "an integer >= 2"),
    ("n_strengths", None, TypeError, "an integer >= 2"),
    ("n_strengths", 1, ValueError, "an integer >= 2"),
    ("callback", "print", TypeError, "None or a function of the progress"),
    ("keep_points", 1, TypeError, "True or False"),
    ("time_limit", "10", TypeError, "number"),
    ("time_limit", -1.0, ValueError, ">= 0"),
]
CASES = [
    pytest.param(kind, *case, id=f"{kind.__name__}-{case[0]}-{case[1]}")
    for kind in (LinearClassifier, LinearRegressor)
    for case in WRONG
    if case[0] in kind().get_params() and not (kind is LinearRegressor and case[0] == "loss")
]
CASES += [
    pytest.param(LinearRegressor, "loss", 3, TypeError, "one of 'squared'", id="LinearRegressor-loss-3"),
    pytest.param(LinearRegressor, "loss", "hinge", ValueError, "not for regression", id="LinearRegressor-loss-hinge"),
    pytest.param(LinearRegressor, "loss", Hinge(), ValueError, "must be one of 'squared'", id="LinearRegressor-Hinge"),
]


@pytest.mark.parametrize(("kind", "parameter", "value", "error", "words"), CASES)
def test_wrong_parameter(kind, parameter, value, error, words):
    with pytest.raises(error) as caught:
        kind(**{parameter: value}).fit(X, Y)
    said = str(caught.value)
    assert parameter in said
    assert words in said
    assert "\n" not in said


def test_every_parameter_has_a_wrong_value():
    assert {case[0] for case in WRONG} == set(LinearClassifier().get_params())
    of_classes = {"class_weight", "multiclass"}
    assert set(LinearRegressor().get_params()) == set(LinearClassifier().get_params()) - of_classes


@pytest.mark.parametrize("kind", [LinearClassifier, LinearRegressor])
def test_defaults(kind):
    defaults = {
        "l1": 0.0,
        "l2": None,
        "constraint": None,
        "regularizer": None,
        "fit_intercept": True,
        "solver": "auto",
        "tol": 1e-6,
        "max_passes": 1000,
        "warm_start": False,
        "random_state": None,
        "n_threads": None,
        "callback": None,
        "folds": 5,
        "n_strengths": 20,
    }
    found = kind().get_params()
    assert {name: found[name] for name in defaults} == defaults
    assert found["loss"] == {LinearClassifier: "logistic", LinearRegressor: "squared"}[kind]


@pytest.mark.parametrize("kind", [LinearClassifier, LinearRegressor])
def test_parameters_are_by_keyword(kind):
    with pytest.raises(TypeError, match="positional"):
        kind("squared")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"loss": "hinge", "solver": "newton"}, "Solvers that can: dual_newton, proximal_newton, sdca, "),
        ({"loss": "hinge", "solver": "lbfgs"}, "Solvers that can: dual_newton, proximal_newton, sdca, "),
        (
            {"l1": 0.1, "solver": "newton"},
            "no other regularizer. Solvers that can: sdca, accelerated_sdca, coordinate_descent, composite_newton",
        ),
    ],
)
def test_unsupported_combination_names_what_is_supported(parameters, words):
    with pytest.raises(ValueError, match=words):
        LinearClassifier(**parameters).fit(X, Y)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "object_"),
    [("loss", ("logistic:scale=2", Logistic(scale=2.0))), ("solver", ("sdca", SDCA(seed=0)))],
)
def test_objects_and_names_are_the_same(name, object_):
    by_name, by_object = (LinearClassifier(l2=0.1, **{name: spec}).fit(X, Y) for spec in object_)
    assert by_name.coef_.tobytes() == by_object.coef_.tobytes()
    assert clone(by_object).get_params()[name] == object_[1]
    assert repr(object_[1]) in repr(by_object)


@pytest.mark.compiled
def test_random_state_is_the_seed():
    def weights(state):
        return LinearClassifier(solver="sdca", l2=0.1, random_state=state).fit(X, Y).coef_.tobytes()

    assert weights(3) == weights(3) == weights(np.int64(3))
    assert weights(3) != weights(4)
    assert weights(None) == weights(0)
    assert weights(np.random.default_rng(5)) == weights(np.random.default_rng(5))
    assert weights(np.random.RandomState(5)) == weights(np.random.RandomState(5))

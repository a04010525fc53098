"""Names of other packages are answered with ours, and the signatures that scikit-learn reads stay as they are."""

import inspect

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import empirisk as er
from empirisk.cli.main import main
from empirisk.losses import LOSSES, as_loss
from empirisk.other_packages import LOSSES as OTHER_LOSSES
from empirisk.other_packages import PARAMETERS, hinting
from empirisk.other_packages import SOLVERS as OTHER_SOLVERS
from empirisk.solvers import SOLVERS, as_solver

X, Y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
BOTH = pytest.mark.parametrize("kind", [er.LinearClassifier, er.LinearRegressor])


@BOTH
@pytest.mark.parametrize("name", PARAMETERS)
def test_every_hint_is_given_for_an_estimator(kind, name):
    with pytest.raises(TypeError) as caught:
        kind(**{name: 1})
    assert str(caught.value) == f"{kind.__name__} has no parameter {name!r}; instead of {name}: {PARAMETERS[name]}"
    with pytest.raises(ValueError, match=f"has no parameter '{name}'; instead of {name}: "):
        kind().set_params(**{name: 1})


@BOTH
def test_no_parameter_of_ours_is_among_them(kind):
    assert not {*kind().get_params()} & {*PARAMETERS}
    assert not {*LOSSES} & {*OTHER_LOSSES}
    assert not {*SOLVERS, "auto"} & {*OTHER_SOLVERS}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: er.LinearClassifier(C=1.0), r"instead of C: l2 = 1 / \(n C\)"),
        (lambda: er.LinearRegressor(alpha=1.0), "l2 = alpha / n for Ridge, l1 = alpha for Lasso"),
        (lambda: er.EmpiricalRisk(X, Y, "squared", C=1.0), r"EmpiricalRisk has no parameter 'C'.* l2 = 1 / \(n C\)"),
        (lambda: er.minimize(er.EmpiricalRisk(X, Y, "squared"), max_iter=9), "minimize has no .*max_passes"),
        (lambda: er.Perceptron(max_iter=9), "Perceptron has no parameter 'max_iter'; instead of max_iter: max_passes"),
        (lambda: er.Perceptron(penalty="l2"), "Perceptron has no parameter 'penalty'; it has form, order"),
        (lambda: er.Perceptron(n_jobs=2), "Perceptron has no parameter 'n_jobs'; it has form, order"),
        (lambda: er.Perceptron(eta0=0.5), "Perceptron has no parameter 'eta0'; it has form, order"),
        (lambda: er.LinearClassifier(eta0=0.5), "instead of eta0: what a solver that samples has"),
        (lambda: er.ChainClassifier(c2=1.0), "ChainClassifier has no parameter 'c2'; instead of c2: l2 = 2 c2 / n"),
        (lambda: er.ChainClassifier(all_possible_transitions=True), "transitions='all'"),
        (lambda: er.LinearClassifier(strength=1.0), "no parameter 'strength'; it has loss, l1, l2"),
    ],
)
def test_a_wrong_keyword_says_what_to_write(call, said):
    with pytest.raises(TypeError, match=said):
        call()


def test_a_search_over_a_wrong_name_gets_the_hint():
    pipe = make_pipeline(er.LinearClassifier())
    with pytest.raises(ValueError, match=r"l2 = 1 / \(n C\)"):
        GridSearchCV(pipe, {"linearclassifier__C": [1.0]}, cv=2).fit(X, Y)
    with pytest.raises(ValueError, match="Invalid parameter 'nothing'"):
        er.LinearClassifier().set_params(nothing=1)


@pytest.mark.parametrize(("theirs", "ours"), OTHER_LOSSES.items())
def test_losses_of_others(theirs, ours):
    with pytest.raises(ValueError, match=f"what others call '{theirs}' is '{ours}' here"):
        as_loss(theirs)
    as_loss(ours)


@pytest.mark.parametrize(("theirs", "ours"), OTHER_SOLVERS.items())
def test_solvers_of_others(theirs, ours):
    with pytest.raises(ValueError, match=f"what others call '{theirs}' is '{ours}' here"):
        as_solver(theirs)
    assert ours == "auto" or as_solver(ours)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--C", "there is no option --C; instead of C: l2 = 1 / (n C), or l1 = 1 / (n C) for an l1 penalty: "),
        ("--max-iter", "there is no option --max-iter; instead of max_iter: --max-passes; a pass"),
        ("--quantile", "instead of quantile: --loss quantile:level=0.9, or"),
        ("--cv", "instead of cv: --folds, where l1 or l2 is 'cv'"),
        ("--verbose", "instead of --verbose: progress is shown unless --quiet is given"),
        ("--eta0", "No such option"),
        ("--nothing", "No such option"),
    ],
)
def test_options_of_others(option, said):
    result = CliRunner().invoke(main, ["fit", "data.csv", option, "1"])
    assert result.exit_code == 2
    assert said in result.stderr


@BOTH
def test_the_signature_is_that_of_the_constructor(kind):
    parameters = inspect.signature(kind).parameters
    assert all(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in parameters.values())
    assert set(parameters) == set(kind().get_params())
    assert clone(kind(l2=0.5)).l2 == 0.5


def test_a_call_with_known_keywords_goes_through():
    @hinting
    def double(x, *, scale=2):
        return x * scale

    assert (double(3), double(3, scale=4), double(x=1)) == (6, 12, 2)

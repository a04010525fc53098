"""What other packages call our parameters, losses and solvers: hints for people who come from them.

docs/migration.md has the objectives side by side.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Collection
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Made = TypeVar("Made")

STRENGTH = "the objective is a mean over n rows plus l1 ||w||_1 + l2/2 ||w||^2"
CHOSEN = "l1='cv' or l2='cv' chooses a strength by cross-validation, among n_strengths of them"
SAMPLING = "what a solver that samples has, such as solver=er.SGD(alpha=0.1, average=True)"

# Parameters of scikit-learn, liblinear, Vowpal Wabbit, glmnet, XGBoost and CRFsuite; where they differ by estimator,
# all of them.
PARAMETERS = {
    "C": f"l2 = 1 / (n C), or l1 = 1 / (n C) for an l1 penalty: {STRENGTH}",
    "c": f"l2 = 1 / (n c), or l1 = 1 / (n c) for an l1 penalty: {STRENGTH}",
    "alpha": "l2 = alpha / n for Ridge, l1 = alpha for Lasso, l2 = alpha for SGDClassifier and SGDRegressor: "
    + STRENGTH,
    "l1_ratio": "l1 = alpha * l1_ratio and l2 = alpha * (1 - l1_ratio), both numbers of their own here",
    "penalty": "l1 and l2 are strengths, 0 for none: penalty='l2' is l2 > 0, 'l1' is l1 > 0 beside l2=0, None is l2=0",
    "lambda": f"l1 or l2: {STRENGTH}",
    "reg_lambda": f"l2: {STRENGTH}",
    "reg_alpha": f"l1: {STRENGTH}",
    "Cs": CHOSEN,
    "alphas": CHOSEN,
    "n_alphas": "n_strengths, where l1 or l2 is 'cv'",
    "cv": "folds, where l1 or l2 is 'cv'",
    "scoring": "l1='cv' and l2='cv' choose by the loss itself; GridSearchCV of scikit-learn by another score",
    "max_iter": "max_passes; a pass is one visit of every row",
    "n_iter": "max_passes; a pass is one visit of every row",
    "passes": "max_passes; a pass is one visit of every row",
    "n_jobs": "n_threads; None, all cores, is the default",
    "verbose": "logging.getLogger('empirisk') tells what is done, and callback=... is called at each check",
    "multi_class": "multiclass='softmax' or 'one_vs_rest'",
    "dual": "solver='auto' decides; solver='sdca' is the dual method",
    "intercept_scaling": "the intercept is not penalised here, so that nothing is to be scaled",
    "loss_function": "loss='logistic', 'hinge', 'squared' and others",
    "quantile": "loss='quantile:level=0.9', or the level that is wanted",
    "epsilon": "loss='huber:delta=...' or loss='epsilon_insensitive:epsilon=...', in the units of the labels",
    "positive": "constraint='box:low=0'",
    "normalize": "StandardScaler of scikit-learn before it in a Pipeline, or --standardize on the command line",
    "seed": "random_state",
    "learning_rate": SAMPLING,
    "eta0": SAMPLING,
    "average": SAMPLING,
    "early_stopping": "the certificate stops a fit, at tol; callback=... may stop it earlier",
    "n_iter_no_change": "the certificate stops a fit, at tol; callback=... may stop it earlier",
    "c1": "l1 = c1 / n of er.ChainClassifier, whose objective is a mean over n sequences",
    "c2": "l2 = 2 c2 / n of er.ChainClassifier, whose objective is a mean over n sequences, with l2/2 ||u||^2",
    "algorithm": "of er.ChainClassifier loss='likelihood' (lbfgs, l2sgd), 'perceptron' (ap) or 'margin' (pa)",
    "max_iterations": "max_passes; a pass is one visit of every row, or sequence",
    "min_freq": "min_count of er.ChainClassifier, of tokens that have an attribute",
    "all_possible_states": "states='all' or 'observed' of er.ChainClassifier",
    "all_possible_transitions": "transitions='all' (the default) or 'observed' of er.ChainClassifier",
}

# Our parameters that hints speak of, which not all estimators and functions have.
OURS = re.compile(r"\b(l2|folds|n_strengths|n_threads|tol|callback|max_passes|random_state|(?:solver|loss)(?==))")

LOSSES = {
    **dict.fromkeys(("log_loss", "log", "logit", "cross_entropy", "multinomial", "binomial"), "logistic"),
    **dict.fromkeys(("squared_error", "squared_loss", "mse", "ols", "least_squares", "gaussian"), "squared"),
    **dict.fromkeys(("absolute_error", "mae", "l1", "lad"), "absolute"),
    **dict.fromkeys(("pinball", "pinball_loss"), "quantile:level=0.5"),
    **dict.fromkeys(("svm", "svc"), "hinge"),
    "softmax": "logistic",
    "classic": "squared",
}

SOLVERS = {
    **dict.fromkeys(("newton-cg", "newton-cholesky", "irls"), "newton"),
    **dict.fromkeys(("svd", "cholesky"), "normal_equations"),
    **dict.fromkeys(("lsqr", "sparse_cg"), "newton"),
    **dict.fromkeys(("highs", "highs-ds", "highs-ipm", "interior-point"), "linear_program"),
    "liblinear": "auto",
    "sag": "saga",
    "cd": "coordinate_descent",
    "gd": "gradient_descent",
}


def as_here(name: str, names: dict[str, str]) -> str:
    """What the losses or solvers of another package are called here, to be put after an error; empty if not known."""
    found = names.get(name.partition(":")[0].lower())
    return "" if found is None else f"; what others call {name!r} is {found!r} here"


def hint_for(parameter: str, known: Collection[str] | None = None) -> str:
    """What to write in place of a parameter of another package, to be put after an error.

    Empty for names that none of them has, and where the parameters `known` lack one that the hint speaks of.
    """
    found = PARAMETERS.get(parameter, "")
    is_strange = known is not None and (parameter in known or not {*OURS.findall(found)} <= {*known})
    return f"; instead of {parameter}: {found}" if found and not is_strange else ""


def hinting(function: Callable[Given, Made]) -> Callable[Given, Made]:
    """The function, which says what to write for a keyword of another package that it does not have.

    Its signature stays as it is, for help and for scikit-learn, which reads the parameters of an estimator from it.
    """
    known = inspect.signature(function).parameters
    name = function.__qualname__.removesuffix(".__init__")

    @functools.wraps(function)
    def hinted(*arguments: Given.args, **keywords: Given.kwargs) -> Made:
        for keyword in keywords:
            if keyword not in known:
                hint = hint_for(keyword, known) or f"; it has {', '.join(n for n in known if n != 'self')}"
                raise TypeError(f"{name} has no parameter {keyword!r}{hint}")
        return function(*arguments, **keywords)

    return hinted

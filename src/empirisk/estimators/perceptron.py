"""The perceptron as a classifier."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets

from empirisk.estimators.plane_classifier import PlaneClassifier
from empirisk.models.options import FitOptions, check_callback
from empirisk.models.plane import plane_model
from empirisk.models.planes import planes_model
from empirisk.other_packages import hinting
from empirisk.parameters import check_boolean
from empirisk.protocols import Vector
from empirisk.separation.perceptron import PerceptronRun, perceptron


class Perceptron(PlaneClassifier):
    """Rosenblatt's perceptron: it stops when every training point is right, or says why it cannot.

    Labels are -1 and +1 inside, in sorted order; the last one is predicted where <w, x> + b >= 0. With the points
    z_i = y_i (x_i, 1), or y_i x_i without intercept, R = max_i ||z_i|| and B the least norm of a w* with <w*, z_i> >= 1
    for all i, the run from zero makes at most (R B)^2 mistakes; `certificate_` says how many it made, and of what B.
    Of three classes or more each has a run against the rest, with a bound of its own, and the largest score predicts.

    Parameters, by keyword:
        form: "online" (w <- w + z_i at each wrong point), "averaged" (the mean of the planes of that run), "voted"
            (their vote), "pocket" (the one with the fewest errors seen), "batch" (w <- w + 1/n of the sum of the wrong
            points) or "gradient" (alpha/n of it, until the norm of the gradient of the cost is at most epsilon).
        order: "cyclic", or "random": another order each pass.
        fit_intercept: whether b is fitted; it is 0 otherwise.
        alpha, epsilon: of the form "gradient".
        max_passes: the budget; a pass is n visits of rows.
        time_limit: seconds for each run and what proves it; None for no limit.
        widest_gap: whether B in the bound is that of the certified widest gap, not that of the plane found.
        certify: whether the bound is proven, and data that were not separated are judged.
        warm_start: start from the last plane of the previous fit, where that had as many features.
        random_state: the seed of the random order: an integer, a NumPy generator, or None for 0.
        callback: called after each pass with the progress (passes, mistakes, errors, seconds); returning True stops.

    After `fit`: coef_ (1, d) and intercept_ (1,), classes_, n_features_in_, feature_names_in_ (for data with named
    columns), n_iter_ (passes), mistakes_, certificate_ (a `MistakeBound`; an `Inseparability` where no plane separates
    the data; None where that is not decided), verdict_ (None where the run separated the points; else what `separate`
    says, with the rows in conflict), solution_, the `PerceptronRun` with the bound, the trace, and the best plane seen,
    and model_ (what `save` writes). Of three classes or more coef_ is (K, d) and intercept_ (K,), certificate_,
    verdict_ and solution_ are tuples, one a class, n_iter_ is the most passes of a run, and mistakes_ their sum. The
    voted form predicts by vote, and its coef_ is the last plane. A fit that ends without a separating plane warns.

    >>> import empirisk as er
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Perceptron().fit(X, y == 0)
    >>> model.score(X, y == 0), model.mistakes_
    (1.0, 5)
    >>> er.verify(model, X, y == 0).holds
    True
    """

    @hinting
    def __init__(
        self,
        *,
        form: str = "online",
        order: str = "cyclic",
        fit_intercept: bool = True,
        alpha: float = 1.0,
        epsilon: float = 0.0,
        max_passes: int = 1000,
        time_limit: float | None = None,
        widest_gap: bool = False,
        certify: bool = True,
        warm_start: bool = False,
        random_state: Any = None,
        callback: Any = None,
    ) -> None:
        self._remember(locals())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # it looks for a plane with no errors, not for the fewest
        tags.classifier_tags.multi_class = True
        return tags

    def fit(self, X: Any, y: Any) -> Perceptron:
        """Fit to the rows of X and their labels."""
        asked = {name: value for name, value in self.get_params(deep=False).items() if name not in OURS}
        for name in ("fit_intercept", "widest_gap", "certify"):
            asked[name] = check_boolean(name, asked[name])
        asked["callback"] = check_callback("callback", self.callback)
        seed = FitOptions(random_state=self.random_state).checked().random_state
        previous = getattr(self, "solution_", None) if check_boolean("warm_start", self.warm_start) else None
        X, y = self._arrays(X, y, "classification")
        check_classification_targets(y)
        classes = np.unique(y)
        questions = [y] if classes.size < 3 else [y == label for label in classes]
        starts = previous if type(previous) is tuple else (previous,)  # a run is a named tuple
        starts = starts if len(starts) == len(questions) else (None,) * len(questions)
        runs = [
            perceptron(X, question, seed=seed, start=_start(start, X.shape[1], asked["fit_intercept"]), **asked)
            for question, start in zip(questions, starts, strict=True)
        ]
        self._keep_runs(runs, classes, self._parameters(seed=seed))
        lost = [(label, run) for label, run in zip(classes, runs, strict=False) if not run.is_separated]
        if lost:
            label, run = lost[0]
            which = "" if len(runs) == 1 else f"{len(lost)} of {len(runs)} left errors; {label} against the rest: "
            warnings.warn(f"Perceptron: {which}{run.sentence()}", ConvergenceWarning, stacklevel=2)
        return self

    def _keep_runs(self, runs: list[PerceptronRun], classes: NDArray[Any], parameters: dict[str, Any]) -> None:
        """What is known after the fit: of one run between two classes, or of one for each of more."""
        names, is_one = getattr(self, "feature_names_in_", None), len(runs) == 1
        each = [
            plane_model(run.found_plane(), run.classes, parameters, feature_names=names if is_one else None)
            for run in runs
        ]
        if is_one:
            self._keep_plane(each[0])
        else:
            self._keep_plane(planes_model(each, classes, names))
            self.certificate_ = tuple(run.certificate or run.conflict for run in runs)
        self.solution_ = runs[0] if is_one else tuple(runs)
        self.n_iter_ = max(1, *(math.ceil(run.passes) for run in runs))
        self.mistakes_ = sum(run.mistakes for run in runs)
        self.verdict_ = runs[0].verdict if is_one else tuple(run.verdict for run in runs)


OURS = ("warm_start", "random_state")  # parameters that `perceptron` knows otherwise


def _start(previous: PerceptronRun | None, n_columns: int, fit_intercept: bool) -> tuple[Vector, float] | None:
    """Where the previous fit ended, if this one can begin there."""
    if previous is None or previous.weights.size != n_columns:
        return None
    w, b = previous.last
    return w, b if fit_intercept else 0.0

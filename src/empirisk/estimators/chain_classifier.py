"""Labels of the tokens of sequences."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from empirisk.models.chains.fitting import fit_chain
from empirisk.models.chains.model import ChainModel
from empirisk.models.chains.options import ChainOptions
from empirisk.other_packages import hinting
from empirisk.parameters import check_boolean, check_count
from empirisk.protocols import Certificate, Vector


class ChainClassifier(BaseEstimator):
    """Tags of words, chunks, names, letters of a word: a linear model of sequences, with a certificate.

    `loss` is "likelihood" (a conditional random field), "margin" (a structured support vector machine, with a `cost` of
    wrong labels), "perceptron" or "generative" (relative frequencies). X is a list or generator of sequences: lists of
    tokens as dicts, lists, sets or strings, as python-crfsuite takes them; with `templates` tuples of columns, or
    tokens that are tuples; or arrays and sparse matrices, a row a token. y is a list of sequences of labels.

    It is no ClassifierMixin: labels come in lists of different lengths, which scikit-learn's own scores and folds for
    classifiers refuse; with cross_val_score and GridSearchCV it goes as it is.

    >>> tagger = ChainClassifier(l2=0.01).fit([["the", "cat"], ["a", "dog"]], [["D", "N"], ["D", "N"]])
    >>> [labels.tolist() for labels in tagger.predict([["a", "cat"]])]
    [['D', 'N']]
    """

    model_: ChainModel

    @hinting
    def __init__(
        self,
        loss: str = "likelihood",
        *,
        cost: Any = "hamming",
        l1: float = 0.0,
        l2: float = 1e-4,
        templates: Any = None,
        min_count: int = 1,
        hash_bits: int | None = None,
        states: str = "observed",
        transitions: str = "all",
        ends: bool = True,
        scheme: str | None = None,
        solver: Any = "auto",
        tol: float = 1e-3,
        max_passes: float | None = None,
        average: bool = True,
        order: str = "cyclic",
        smoothing: float = 1.0,
        start: Any = None,
        warm_start: bool = False,
        random_state: int = 0,
        n_threads: int | None = None,
        callback: Callable[[Any], Any] | None = None,
    ) -> None:
        self.loss = loss
        self.cost = cost
        self.l1 = l1
        self.l2 = l2
        self.templates = templates
        self.min_count = min_count
        self.hash_bits = hash_bits
        self.states = states
        self.transitions = transitions
        self.ends = ends
        self.scheme = scheme
        self.solver = solver
        self.tol = tol
        self.max_passes = max_passes
        self.average = average
        self.order = order
        self.smoothing = smoothing
        self.start = start
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_threads = n_threads
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ChainClassifier:
        """Train on sequences and their labels; `sample_weight` is one number a sequence."""
        parameters = {name: getattr(self, name) for name in ChainOptions._fields if hasattr(self, name)}
        options = ChainOptions(**parameters, seed=self.random_state)
        start = self.start
        if check_boolean("warm_start", self.warm_start) and hasattr(self, "model_"):
            start = self.model_
        found = fit_chain(X, y, options, sample_weight=sample_weight, callback=self.callback, start=start)
        self.model_, self.found_ = found.model, found.found
        self.classes_ = found.model.classes
        if options.is_convex and not self.model_.certified:
            said = f"ChainClassifier is not certified ({self.model_.status}): {self.model_.shortfall(self.tol)}"
            warnings.warn(said, ConvergenceWarning, stacklevel=2)
        return self

    def predict(self, X: Any, known: Any = None) -> list[NDArray[Any]]:
        """The best labelling of each sequence. `known` has a label, or None, for each token; such labels are kept."""
        return self._fitted().predict(X, known)

    def predict_marginals(self, X: Any, known: Any = None) -> list[NDArray[np.float64]]:
        """For each sequence the probability of each label of `classes_`, a column each, at each token."""
        return self._fitted().predict_marginals(X, known)

    def predict_k_best(self, X: Any, k: int) -> list[list[tuple[float, NDArray[Any]]]]:
        """For each sequence its k best labelings with their scores, the best first."""
        return self._fitted().predict_k_best(X, check_count("k", k))

    def log_probability(self, X: Any, y: Any) -> Vector:
        """The log-probability of a labelling of each sequence under the model."""
        return self._fitted().log_probability(X, y)

    def score(self, X: Any, y: Any) -> float:
        """The share of tokens that are labelled right."""
        return self._fitted().count_errors(X, y).accuracy

    def sequence_score(self, X: Any, y: Any) -> float:
        """The share of sequences that are labelled right from the first token to the last."""
        return 1.0 - self._fitted().count_errors(X, y).sequence_error

    @property
    def certificate_(self) -> Certificate | None:
        """What was proven."""
        return self._fitted().certificate

    @property
    def coef_(self) -> Vector:
        """The weights u in one vector, as the layout of the model has them."""
        return self._fitted().weights

    @property
    def transitions_(self) -> NDArray[np.float64]:
        """The weight of each pair of labels, [from, to]."""
        return self._fitted().transitions()

    def top_weights(self, label: Any, k: int = 10) -> list[tuple[str, float]]:
        """The k attributes with the largest weights for a label, by size, with their names."""
        return self._fitted().top_weights(label, check_count("k", k))

    def _fitted(self) -> ChainModel:
        check_is_fitted(self, "model_")
        return self.model_

"""What the online classifier and the online regressor share: runs that go on with every call, and their regret."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils.validation import check_is_fitted

from empirisk.constraints import as_constraint
from empirisk.designs.as_design import FLOATS
from empirisk.estimators.linear_estimator import LinearEstimator
from empirisk.losses import as_loss
from empirisk.models import verify
from empirisk.models.future_error.run_bounds import run_bound, run_losses
from empirisk.online.game import check_one_score
from empirisk.online.learning import begin
from empirisk.online.regret import regret_of
from empirisk.online.rows_met import RowsMet, check_not_negative, rows_met
from empirisk.online.run import Run
from empirisk.parameters import check_boolean
from empirisk.problems.construction import finite_vector
from empirisk.protocols import Vector, Verification
from empirisk.regularizers import strength

Runs = tuple[Run, ...]


class OnlineEstimator(LinearEstimator):
    """The common part of the two online estimators; not for direct use."""

    runs_: Runs  # one, or one for each of three classes or more
    _task: str
    _labels: Any  # from y and the weights, the labels as each run sees them
    _kept_as = "runs_"

    def regret(self, X: Any, y: Any, sample_weight: Any = None, *, against: Any = None, tol: float = 1e-6) -> Any:
        """Regret against the best point in hindsight, beside its bound: a `RegretBound`, or a tuple of one a class.

        The rows, labels and weights are all those learned from since `fit` or the first `partial_fit`, in their order.
        `against` names another set of comparators than the constraint, such as "l2_ball:radius=10"; the best point is
        found within `tol`.
        """
        return _each([regret_of(run, rows, against=against, tol=tol) for run, rows in self._met(X, y, sample_weight)])

    def bound(self, X: Any, y: Any, kind: str = "auto", delta: float = 0.05, clip: float | None = None) -> Any:
        """A bound on the error of future rows, an `er.RiskBound`: of one of the run's predictors, drawn at random.

        X and y are the rows of the run in their order, once: `progressive`. On rows that took no part in it, of the
        predictor as it is now: kind="test_errors", of a regression "test_losses". A regression needs `clip`, fixed
        before rows are looked at: losses above it count as it.
        """
        return run_bound(list(self._met(X, y, None)), self._task == "regression", kind, delta, clip)

    def losses_met(self, X: Any, y: Any, clip: float | None = None) -> Vector:
        """What such a bound is computed from: the error, 0 or 1, or the clipped loss of each row."""
        return run_losses(list(self._met(X, y, None)), self._task == "regression", clip).values

    @property
    def ledger_(self) -> Any:
        """What was paid so far: a `Ledger`, or one for each of three classes or more."""
        return _each([run.ledger for run in self._fitted_runs()])

    def _begun(self, n_columns: int, n_runs: int) -> Runs:
        """Runs that have met no row yet, of the parameters as they are now."""
        parts = (
            _loss_of(self.loss, self._task),
            strength("l1", self.l1),
            strength("l2", self.l2),
            as_constraint(self.constraint),
            check_boolean("fit_intercept", self.fit_intercept),
        )
        return tuple(begin(n_columns, self.learner, *parts, quietly=k > 0) for k in range(n_runs))

    def _next_rows(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Rows for the runs as they are. What scikit-learn checks takes longer than a round: not done where in vain."""
        is_matrix = type(X) is np.ndarray or (scipy.sparse.issparse(X) and X.format == "csr")
        is_plain = is_matrix and type(y) is np.ndarray and X.dtype in FLOATS and y.ndim == 1 and y.size > 0
        if is_plain and X.shape == (y.size, self.runs_[0].n_columns) and not hasattr(self, "feature_names_in_"):
            return X, y
        return self._arrays(X, y, self._task, reset=False)

    def _learn(self, runs: Runs, X: Any, labels: Sequence[Vector], sample_weight: Any) -> None:
        """A round of each run for each row."""
        for run, rows in _pairs(runs, X, labels, sample_weight, runs[0].n_rows):
            run.learn_rows(rows)

    def _met(self, X: Any, y: Any, sample_weight: Any) -> Iterator[tuple[Run, RowsMet]]:
        """Each run with these rows as it sees them, from its first on."""
        runs, (X, y) = self._fitted_runs(), self._next_rows(X, y)
        return _pairs(runs, X, self._labels(y, sample_weight), sample_weight, 0)

    def _fitted_runs(self) -> Runs:
        check_is_fitted(self, self._kept_as)
        return self.runs_


def _pairs(
    runs: Runs, X: Any, labels: Sequence[Vector], sample_weight: Any, n_before: int
) -> Iterator[tuple[Run, RowsMet]]:
    """Each run with the rows as it sees them; they are checked once."""
    first = rows_met(X, labels[0], sample_weight, runs[0].game.loss, n_before)
    yield runs[0], first
    for run, others in zip(runs[1:], labels[1:], strict=True):
        yield run, first._replace(labels=others)


def _each(values: Sequence[Any]) -> Any:
    """What each run has; of one run that itself."""
    return values[0] if len(values) == 1 else tuple(values)


@verify.register
def _(found: OnlineEstimator, X: Any, y: Any = None, sample_weight: Any = None, loss: Any = None) -> Verification:
    """Whether these rows make these runs, and the theorem holds for them: the games are played again."""
    found._fitted_runs()
    verdicts = []
    try:
        for run, rows in found._met(X, y, sample_weight):
            verdicts.append(regret_of(run, rows).verify(rows))
    except (TypeError, ValueError) as error:
        return Verification(False, f"The runs were not on these rows: {error}.")
    return next((verdict for verdict in verdicts if not verdict.holds), verdicts[0])


def check_some_weight(sample_weight: Any, n: int) -> Vector | None:
    """The weights of the rows of a fit, of which one at least is a round."""
    if sample_weight is None:
        return None
    weights = finite_vector("sample_weight", sample_weight, n)
    check_not_negative(weights)
    if not bool(np.any(weights)):
        raise ValueError("sample_weight is zero for every row: there is nothing to fit")
    return weights


def _loss_of(loss: Any, task: str) -> Any:
    check_one_score(loss)
    return as_loss(loss, task)

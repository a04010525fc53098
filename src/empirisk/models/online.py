"""A run of an online learner, as a model: it predicts, goes on where it stood, and can be played again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from empirisk.capabilities import offers
from empirisk.constraints import constraint_text
from empirisk.data.streams import RowFormat
from empirisk.designs import CSR, Dense, as_design, matrix_of
from empirisk.losses import as_loss, loss_text
from empirisk.models.labels import from_scores
from empirisk.models.predictions import check_is_likelihood, means_of, probabilities_of
from empirisk.models.scikit_learn import speaks_scikit_learn
from empirisk.models.scores import Scores, checked_scores
from empirisk.models.verification import check_data, verify
from empirisk.online.game import check_learner, game_of
from empirisk.online.learners import as_learner, learner_text
from empirisk.online.learners.states import arrays_of
from empirisk.online.ledger import Ledger
from empirisk.online.regret_bound import ELSEWHERE, SAME
from empirisk.online.replay import replayed
from empirisk.online.rows_met import RowsMet, rows_met
from empirisk.online.run import Run
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import scores_of
from empirisk.protocols import Unsupported, Vector, Verification
from empirisk.rows.fingerprint import MASK, Sums, digits_of
from empirisk.rows.threads import available_threads

OTHER_DATA, OTHER_FINGERPRINT = "These are not the data of the run", "their fingerprint differs"
OVERFLOWS = "Played again, the game overflows."


@speaks_scikit_learn
class OnlineModel(NamedTuple):
    """The game, the account and the state of a run, as they are: steps that coordinates owe are not made here."""

    learner: str
    loss: str
    l1: float
    l2: float
    constraint: str  # empty for none
    fit_intercept: bool
    classes: NDArray[Any] | None  # two, sorted; None for a regression
    is_settled: bool  # whether the rows have settled the classes; else 1 alone has occurred, which goes with 0 too
    passes: int  # how often the rows of the stream are played
    n_features: int  # columns that occurred
    n_rows: int
    sums: Sums  # of the fingerprint
    first: LinearPoint  # w_1
    numbers: Vector  # of the ledger
    state: Mapping[str, NDArray[Any]]  # its arrays by the names of `arrays_of`, with room for more columns
    feature_names: tuple[str, ...] | None = None
    columns: None = None  # how a table became numbers
    first_index: int | None = None  # of the features in svmlight data: 0 or 1
    label_name: str | None = None  # the columns of a table that were labels and weights
    weights_name: str | None = None
    row_format: RowFormat | None = None  # how the rows of a stream are written
    used: NDArray[np.uint8] | None = None  # which columns of hashed names occurred, a bit each

    def __repr__(self) -> str:
        """In a line: the fields hold arrays."""
        return f"<OnlineModel of {self.n_features} features by {self.learner}, after {self.n_rows} rows>"

    @property
    def point(self) -> LinearPoint:
        """What would be played next."""
        weights, intercept, *_ = self.restored().point()
        return LinearPoint(weights[: self.n_features].copy(), float(intercept))

    @property
    def weights(self) -> Vector:
        """Of the columns that occurred."""
        return self.point.weights

    @property
    def intercept(self) -> float:
        """Zero without one."""
        return float(self.point.intercept)

    @property
    def ledger(self) -> Ledger:
        """What the run has cost."""
        return self.restored().ledger

    @property
    def fingerprint(self) -> str:
        """Of the rows so far: that of the same rows in one table of `n_features` columns."""
        return digits_of(self.sums, self.n_rows, self.n_features)

    @property
    def has_many_classes(self) -> bool:
        """False: there is one score."""
        return False

    @property
    def certificate(self) -> None:
        """None: the whole run can be played again."""
        return None

    @property
    def tol(self) -> float:
        """Nothing was asked of a certificate."""
        return 0.0

    def restored(self) -> Run:
        """The run where it stood, in arrays of its own."""
        learner, n_columns = as_learner(self.learner), self.first.weights.size
        game = game_of(self.loss, self.l1, self.l2, self.constraint or None, self.fit_intercept, n_columns)
        check_learner(learner, game)
        run = Run(learner, game, self.first)
        run.go_on_from(dict(self.state), self.numbers, self.n_rows, self.sums)
        return run

    def scores(self, X: Any) -> Scores:
        """<w, x> + b for each row of X."""
        return checked_scores(self, X, self._scores_of)

    def _scores_of(self, design: Dense | CSR) -> Scores:
        run = self.restored()
        if offers(run.state, "scores"):  # there is more than one point
            return run.scores(_in_room(design, run.n_columns))
        point = self.point
        return scores_of(design, point.weights, point.intercept, available_threads())

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels for a classifier; for a regressor the scores, or the loss's mean(z) where it offers one."""
        return self.answers(self.scores(X))

    def answers(self, scores: Scores) -> NDArray[Any]:
        """What these scores predict."""
        return means_of(as_loss(self.loss), scores) if self.classes is None else from_scores(scores, self.classes)

    def probabilities(self, X: Any) -> Scores:
        """The chances of the classes, a row for each row of X, where the loss is a likelihood."""
        return self.chances(self.scores(X))

    def check_probabilities(self) -> None:
        """Raise Unsupported where the model gives none."""
        if self.classes is None:
            raise Unsupported("this model is a regression: it has no probabilities")
        check_is_likelihood(as_loss(self.loss))

    def chances(self, scores: Scores) -> Scores:
        """The chances of the classes at these scores."""
        self.check_probabilities()
        return probabilities_of(as_loss(self.loss), scores, False)

    def remark(self) -> str:
        """What the file claims."""
        ledger = self.ledger
        errors = "" if self.classes is None else f", {ledger.errors} of them with an error"
        said = f"{ledger.rounds} rounds by {self.learner}, loss {self.loss}{errors}"
        return f"The file is a run: {said}; their mean loss is {ledger.mean_loss:.6g}."

    def told(self) -> dict[str, Any]:
        """Nothing: the data can refute all of it."""
        return {}

    def shortfall(self, tol: float) -> str:
        """Nothing was asked beyond the run itself."""
        return ""

    def concluded(self, verdict: Verification) -> str:
        """What a verdict on these data means."""
        return "The run is what the file says." if verdict.holds else "The run is not what the file says."


def online_model(run: Run, classes: NDArray[Any] | None, n_features: int | None = None, **others: Any) -> OnlineModel:
    """The model of a run as it stands; `others` are further fields."""
    game, fields = run.game, {"is_settled": True, "passes": 1, **others}
    return OnlineModel(
        learner=learner_text(run.learner),
        loss=loss_text(game.loss),
        l1=game.l1,
        l2=game.l2,
        constraint="" if game.constraint is None else constraint_text(game.constraint),
        fit_intercept=game.fit_intercept,
        classes=classes,
        n_features=run.n_columns if n_features is None else n_features,
        n_rows=run.n_rows,
        sums=(run.sums[0] & MASK, run.sums[1] & MASK),
        first=run.first,
        numbers=run.numbers.copy(),
        state={name: array.copy() for name, array in arrays_of(run.state).items()},
        **fields,
    )


@verify.register
def _(model: OnlineModel, X: Any, y: Any = None, sample_weight: Any = None, loss: Any = None) -> Verification:
    """Play the game again, and compare rows, account and state; data beyond the rows of the run are left out."""
    check_data(X, y)
    run = model.restored()
    try:
        rows = _rows_of_the_run(model, run, X, y, sample_weight)
    except (TypeError, ValueError) as error:
        return Verification(False, f"{OTHER_DATA}: {error}.")
    if rows.n_rows < model.n_rows:
        return Verification(False, f"{OTHER_DATA}: it met {model.n_rows} rows, and they have {rows.n_rows}.")
    rows = rows.part(model.n_rows)
    if digits_of(rows.sums(), rows.n_rows, model.n_features) != model.fingerprint:
        return Verification(False, f"{OTHER_DATA}: {OTHER_FINGERPRINT}.")
    met = replayed(run.learner, run.game, run.first, rows)
    if met is None:
        return Verification(False, OVERFLOWS)
    return compared(model, met.ledger, met.state)


def compared(model: OnlineModel, ledger: Ledger, state: Any) -> Verification:
    """Whether a game that was played again ends with the account and the state of the model."""
    claimed, found = model.ledger._asdict(), ledger._asdict()
    furthest = 0.0
    for name, said in claimed.items():
        if said is None and found[name] is None:
            continue
        apart = _farthest(found[name], said) / max(abs(said), ledger.total, SAME)
        furthest = max(furthest, apart)
        if not apart <= ELSEWHERE:
            return Verification(False, f"Played again, the ledger has {name} {found[name]:.12g}, not {said:.12g}.")
    for name, array in arrays_of(state).items():
        size = max(SAME, float(np.max(np.abs(array), initial=0.0, where=np.isfinite(array))))
        apart = _farthest(array, model.state[name]) / size
        furthest = max(furthest, apart)
        if not apart <= ELSEWHERE:
            return Verification(False, f"Played again, the state of the learner differs in {name}, by {apart:.2g}.")
    text = f"Played again: {ledger.rounds} rounds, mean loss {ledger.mean_loss:.6g}, and the same state"
    if furthest > SAME:
        text += f"; the numbers differ by {furthest:.1g}, as they may on another machine"
    return Verification(True, f"{text}.", {"mean_loss": ledger.mean_loss, "rounds": float(ledger.rounds)})


def _farthest(found: Any, said: Any) -> float:
    """The largest difference of two numbers; an infinite one is apart from all but itself."""
    with np.errstate(invalid="ignore"):
        apart = np.abs(np.subtract(found, said, dtype=np.float64))
    return float(np.max(np.where(np.equal(found, said), 0.0, apart), initial=0.0))


def _in_room(design: Dense | CSR, n_columns: int) -> Any:
    """The rows as sparse ones of so many columns."""
    matrix = scipy.sparse.csr_array(matrix_of(design))
    if matrix.shape[1] < n_columns:
        matrix = scipy.sparse.csr_array(
            (matrix.data, matrix.indices, matrix.indptr), shape=(matrix.shape[0], n_columns)
        )
    return matrix


def _rows_of_the_run(model: OnlineModel, run: Run, X: Any, y: Any, sample_weight: Any) -> RowsMet:
    """As often as they were played, in as many columns as the state has room for."""
    labels, design = np.asarray(y), as_design(X)
    if design.n_columns() != model.n_features:
        raise ValueError(f"X has {design.n_columns()} columns, and the run {model.n_features}")
    if model.classes is not None:
        stranger = ~np.isin(labels, model.classes)
        if stranger.any():
            raise ValueError(f"they hold the label {labels[np.argmax(stranger)]}, which the run did not meet")
        labels = np.where(labels == model.classes[1], 1.0, -1.0)
    matrix = _in_room(design, run.n_columns)
    weights = None if sample_weight is None else np.tile(sample_weight, model.passes)
    if model.passes > 1:
        matrix = scipy.sparse.vstack([matrix] * model.passes, format="csr")
    return rows_met(matrix, np.tile(labels, model.passes), weights, run.game.loss)

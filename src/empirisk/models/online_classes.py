"""Runs of an online learner, one for each of three classes or more against the rest, as one model."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.losses import as_loss
from empirisk.models.labels import from_scores
from empirisk.models.online import OnlineModel, online_model
from empirisk.models.predictions import check_is_likelihood, probabilities_of
from empirisk.models.scikit_learn import speaks_scikit_learn
from empirisk.models.scores import Scores
from empirisk.models.verification import check_data, verify
from empirisk.online.class_runs import ClassRuns
from empirisk.online.ledger import Ledger
from empirisk.online.open_run import OpenRun
from empirisk.protocols import Matrix, Vector, Verification
from empirisk.rows.fingerprint import MASK, Sums, digits_of

AGAINST_THE_REST = np.array([False, True])  # the classes of each run


@speaks_scikit_learn
class OnlineClassesModel(NamedTuple):
    """The runs of the classes, and what they have in common."""

    runs: tuple[OnlineModel, ...]
    classes: NDArray[Any]  # three or more, sorted
    errors: int  # rounds in which another class had as large a score
    sums: Sums  # of the fingerprint, the labels being numbers of classes
    feature_names: tuple[str, ...] | None = None
    columns: None = None
    first_index: int | None = None
    label_name: str | None = None
    weights_name: str | None = None

    def __repr__(self) -> str:
        """In a line: the fields hold arrays."""
        return f"<OnlineClassesModel of {self.classes.size} classes by {self.learner}, after {self.n_rows} rows>"

    def __getattr__(self, name: str) -> Any:
        """What all runs have in common: the learner, the loss, the passes and so on."""
        if name in COMMON:
            return getattr(self.runs[0], name)
        raise AttributeError(f"{type(self).__name__} has no {name}")

    @property
    def used(self) -> Any:
        """Columns of hashed names that occurred."""
        return self.runs[0].used

    @property
    def weights(self) -> Matrix:
        """A row a class."""
        return np.array([run.weights for run in self.runs])

    @property
    def intercept(self) -> Vector:
        """One a class."""
        return np.array([run.intercept for run in self.runs])

    @property
    def ledger(self) -> Ledger:
        """What the runs have cost together."""
        return self.restored().ledger

    @property
    def fingerprint(self) -> str:
        """Of the rows so far, the labels being numbers of classes."""
        return digits_of(self.sums, self.n_rows, self.n_features)

    @property
    def has_many_classes(self) -> bool:
        """True: there is a score for each."""
        return True

    def restored(self) -> ClassRuns:
        """The runs where they stood."""
        return ClassRuns(tuple(OpenRun(run.restored(), run.n_features) for run in self.runs), self.errors, self.sums)

    def scores(self, X: Any) -> Scores:
        """A column for each class."""
        return np.column_stack([run.scores(X) for run in self.runs])

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        return self.answers(self.scores(X))

    def answers(self, scores: Scores) -> NDArray[Any]:
        """What these scores predict."""
        return from_scores(scores, self.classes)

    def probabilities(self, X: Any) -> Scores:
        """The chances of the classes, a row for each row of X, where the loss is a likelihood."""
        return self.chances(self.scores(X))

    def check_probabilities(self) -> None:
        """Raise Unsupported where the model gives none."""
        check_is_likelihood(as_loss(self.loss))

    def chances(self, scores: Scores) -> Scores:
        """Each class against the others, divided by their sum."""
        self.check_probabilities()
        return probabilities_of(as_loss(self.loss), scores, False)

    def remark(self) -> str:
        """What the file claims."""
        ledger = self.ledger
        said = f"{ledger.rounds} rounds by {self.learner}, loss {self.loss}, {ledger.errors} of them with an error"
        return f"The file is a run for each class: {said}; the losses of all have a mean of {ledger.mean_loss:.6g}."

    def told(self) -> dict[str, Any]:
        """How often the largest score was that of another class: the runs do not tell."""
        return {"errors": self.errors}

    def shortfall(self, tol: float) -> str:
        """Nothing was asked beyond the runs themselves."""
        return ""

    def concluded(self, verdict: Verification) -> str:
        """What a verdict on these data means."""
        return self.runs[0].concluded(verdict)


COMMON = (
    "learner",
    "loss",
    "l1",
    "l2",
    "constraint",
    "fit_intercept",
    "is_settled",
    "passes",
    "row_format",
    "n_features",
    "n_rows",
    "certificate",
    "tol",
)


def online_classes_model(runs: ClassRuns, classes: NDArray[Any], **others: Any) -> OnlineClassesModel:
    """The model of runs as they stand; `others` are further fields of each."""
    each = tuple(online_model(run.run, AGAINST_THE_REST, run.n_features, **others) for run in runs.runs)
    sums = runs.sums[0] & MASK, runs.sums[1] & MASK
    names = {name: getattr(each[0], name) for name in ("feature_names", "first_index")}
    return OnlineClassesModel(each, classes, runs.errors, sums, **names)


@verify.register
def _(model: OnlineClassesModel, X: Any, y: Any = None, sample_weight: Any = None, loss: Any = None) -> Verification:
    """Play the game of each class again, as for one run."""
    check_data(X, y)
    labels = np.asarray(y)
    stranger = ~np.isin(labels, model.classes)
    if stranger.any():
        said = f"they hold the label {labels[np.argmax(stranger)]}, which is none of the classes"
        return Verification(False, f"These are not the data of the run: {said}.")
    for name, run in zip(model.classes, model.runs, strict=True):
        verdict = verify(run, X, labels == name, sample_weight)
        if not verdict.holds:
            return verdict._replace(sentence=f"For the class {name}: {verdict.sentence}")
    return Verification(True, f"Played again for each class; for the last: {verdict.sentence}", verdict.numbers)

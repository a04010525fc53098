"""How a run over a stream begins: from what was asked, at the weights of a model, or where another one stopped."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.constraints import as_constraint, constraint_text
from empirisk.data.streams import RowFormat
from empirisk.losses import as_loss, loss_text
from empirisk.models.labels import listed
from empirisk.models.linear import LinearModel
from empirisk.models.online import OnlineModel
from empirisk.models.online_classes import OnlineClassesModel
from empirisk.models.streams.labels import StreamLabels, labels_for
from empirisk.models.streams.streaming import Streaming
from empirisk.models.streams.used_columns import UsedColumns
from empirisk.online.class_runs import ClassRuns
from empirisk.online.game import check_one_score
from empirisk.online.learners import as_learner, learner_text
from empirisk.online.learning import begin
from empirisk.online.open_run import OpenRun, check_open, room_for
from empirisk.protocols import Unsupported

USUAL: dict[str, Any] = {
    "learner": "mixture",
    "loss": "logistic",
    "l1": 0.0,
    "l2": 0.0,
    "constraint": None,
    "passes": 1,
}


def begun(asked: dict[str, Any], rows: RowFormat, start: Any = None) -> Streaming:
    """A run that has met no row; what is None among `asked` is as usual. It begins at the weights of `start`."""
    given = {name: asked[name] if asked[name] is not None else usual for name, usual in USUAL.items()}
    passes, classes, fit_intercept = given.pop("passes"), asked["classes"], not asked["no_intercept"]
    weights, intercept, known = np.empty(0), 0.0, None
    if start is not None:
        if rows.format.first_index is None:
            raise Unsupported(f"start=... takes columns by their number, and those of {rows.name} data have names")
        weights, intercept, known = _start_of(start)
        if classes is None:
            classes = known
    check_one_score(given["loss"])
    loss = as_loss(given.pop("loss"), None if classes is None else "classification")
    labels = labels_for(loss, classes)
    if labels.words is not None and not rows.format.has_words:
        raise Unsupported(f"classes {listed(classes)} are texts, and the labels of {rows.name} data are numbers")
    if start is not None and not _same_classes(labels.classes, known):
        raise Unsupported(f"start is a model of {_classes_text(known)}, and the stream has {_classes_text(classes)}")
    room = room_for(weights.size)
    first = np.append(weights, np.zeros(room - weights.size)), intercept
    n_runs, start = 1 if classes is None or classes.size == 2 else classes.size, None if start is None else first
    given |= {"loss": loss, "fit_intercept": fit_intercept, "start": start, "quietly": True}
    each = [begin(room, **given) for _ in range(n_runs)]
    check_open(each[0].learner, each[0].game)
    runs = tuple(OpenRun(run, weights.size) for run in each)
    streaming = Streaming(runs[0] if n_runs == 1 else ClassRuns(runs), labels, rows, passes)
    streaming.is_start_moved = start is not None and not np.array_equal(each[0].first.weights, first[0])
    return streaming


def is_of_stream(model: Any) -> bool:
    """Whether it is a run that `resumed` takes."""
    return isinstance(model, (OnlineModel, OnlineClassesModel)) and model.row_format is not None


def resumed(
    model: OnlineModel | OnlineClassesModel, asked: dict[str, Any], asked_of_rows: dict[str, Any], is_same_stream: bool
) -> Streaming:
    """A run that goes on where it stopped; what is None of what was asked is as it was, and all else must be so."""
    assert model.row_format is not None
    kept_of_rows = {"format": model.row_format.name, **model.row_format.options}
    others = {
        name: (_plain(given), _plain(kept_of_rows.get(name)))
        for name, given in asked_of_rows.items()
        if given is not None and given != kept_of_rows.get(name)
    }
    for name, (given, kept) in {**others, **_differences(model, asked)}.items():
        raise Unsupported(f"{name} {given} is not that of the run, {kept}: a run goes on as it began")
    if model.passes > 1 and not is_same_stream:
        said = f"the run plays its rows {model.passes} times: it goes on over the same stream alone"
        raise Unsupported(said)
    labels = StreamLabels(as_loss(model.loss), model.classes, model.is_settled)
    run = model.restored()
    open_run = run if isinstance(run, ClassRuns) else OpenRun(run, model.n_features)
    used = UsedColumns.of(model.row_format.bits, model.used)
    return Streaming(open_run, labels, model.row_format, model.passes, is_same_stream, used)


def _plain(value: Any) -> str:
    """An option of the rows as a sentence has it."""
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return "none" if value is None else str(value)


def _differences(model: OnlineModel | OnlineClassesModel, asked: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What was asked for and is not so in the run, with both."""
    told = {name: asked[name] for name in USUAL if asked[name] is not None}
    texts = {
        "learner": lambda spec: learner_text(as_learner(spec)),
        "loss": lambda spec: loss_text(as_loss(spec)),
        "constraint": lambda spec: constraint_text(as_constraint(spec)),
    }
    told |= {name: text(told[name]) for name, text in texts.items() if name in told}
    kept = {name: getattr(model, name) for name in told}
    others = [name for name, given in told.items() if given != kept[name]]
    found = {name: (told[name], "none" if kept[name] == "" else kept[name]) for name in others}
    if asked["no_intercept"] and model.fit_intercept:
        found["no_intercept"] = "(True)", "False"
    if asked["classes"] is not None and not (model.is_settled and _same_classes(asked["classes"], model.classes)):
        settled = listed(model.classes) if model.is_settled and model.classes is not None else "none so far"
        found["classes"] = listed(asked["classes"]), settled
    return found


def _start_of(model: Any) -> tuple[NDArray[np.float64], float, NDArray[Any] | None]:
    """Weights by the number of their feature, the intercept and the classes."""
    if not isinstance(model, LinearModel) or model.has_many_classes:
        raise Unsupported("start=... takes a linear model of two classes or of one target, as fit writes it")
    if model.first_index is None:
        raise Unsupported(
            "start=... takes a model that was fitted on svmlight data: the columns of others have no number"
        )
    weights = np.append(np.zeros(model.first_index), model.weights)
    return weights, float(model.intercept), model.classes


def _same_classes(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    return a is b if a is None or b is None else a.tolist() == b.tolist()


def _classes_text(classes: NDArray[Any] | None) -> str:
    return "numbers" if classes is None else f"the classes {listed(classes)}"

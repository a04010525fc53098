"""How a model does on rows with labels, in numbers and pictures: for a page of its own, and in that of a fit."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from empirisk.evaluation.calibration import reliability
from empirisk.evaluation.classification import ClassificationScore, ClassScore
from empirisk.evaluation.measures import Measure
from empirisk.evaluation.ranking import curve_of
from empirisk.evaluation.words import NAMES, ends_of, percent, remark_on, told
from empirisk.protocols import Vector
from empirisk.report.axes import DRAWABLE
from empirisk.report.charts import histogram
from empirisk.report.curves import WIDE, Span, cell_chart, cloud_chart, thinned, unit_chart
from empirisk.report.drawing import WIDTH
from empirisk.report.margins import bins_of
from empirisk.report.markup import count, safe

if TYPE_CHECKING:
    from empirisk.evaluation.judged import Judged

MOST_CLASSES = 12  # that are drawn one by one
FEW_CLASSES = 6  # whose matrix is drawn on half of the page
MOST_LISTED = 60  # classes in a table
MOST_POINTS = 1500  # of a cloud
DIAGONAL = ((0.0, 0.0), (1.0, 1.0))


def judged_sections(judged: Judged, where: str) -> str:
    """The numbers and the pictures; `where` says which rows these are, in a heading."""
    drawn = _regression(judged) if judged.answers.classes is None else _classification(judged)
    return (
        f'<section><h2>{safe(where)}</h2><p class="soft">{_text(judged)}</p>'
        f'<div class="scroll">{measure_table(judged.score.measures())}</div></section>{drawn}'
    )


def measure_table(measures: Mapping[str, Measure]) -> str:
    """A row for each measure: value, interval and how it was made."""
    level = next((one.interval.level for one in measures.values() if one.interval is not None), None)
    head = "Interval" if level is None else f"{percent(level)} interval"
    rows = "".join(
        f'<tr><th scope="row">{_title(name)}</th><td>{_minus(told(one.value))}</td><td>{_minus(ends_of(one))}</td>'
        f'<td class="said">{safe(remark_on(one), 400)}</td></tr>'
        for name, one in measures.items()
    )
    return (
        f'<table><thead><tr><th scope="col">Measure</th><th scope="col">Value</th><th scope="col">{head}</th>'
        f'<th scope="col" class="said">Method</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def judged_tiles(judged: Judged) -> list[tuple[str, str, str]]:
    """The measures that matter most, with their intervals."""
    return [
        (_title(name), _minus(told(one.value)), _minus(ends_of(one)) or "no interval")
        for name, one in judged.score.measures().items()
        if name != "accuracy" and np.isfinite(one.value)
    ]


def _title(name: str) -> str:
    said = NAMES[name].replace("R^2", "R²")
    return said[:1].upper() + said[1:]


def _minus(said: str) -> str:
    return html.escape(said.replace("-", "\u2212") if said != "-" else said)


def _text(judged: Judged) -> str:
    said = f"{count(judged.score.rows, 'row')}. "
    if judged.weights is not None:
        return said + "The numbers are weighted means; rows of unequal weights have no intervals here."
    return said + (
        "An interval is what the rows leave open: were many such samples drawn, each independently of the fit, about "
        "this share of the intervals would hold the value for all rows of the kind."
    )


def _classification(judged: Judged) -> str:
    score = judged.score
    assert isinstance(score, ClassificationScore)
    names = [str(label) for label in score.classes]
    across = WIDTH if len(names) <= FEW_CLASSES else WIDE
    chart = cell_chart(score.confusion.astype(np.float64), names, title="Confusion matrix", across=across)
    caption = "A row for each label, a column for each prediction; shaded by the share of its row. "
    caption += "Right ones lie on the diagonal."
    confusion = f"<figure><h3>Confusion matrix</h3>{chart}<figcaption>{caption}</figcaption></figure>"
    table = f'<div class="scroll after">{_class_table(score.per_class)}</div>'
    if len(names) == 2:
        beside = confusion + _calibration_figure(judged, 1, names[1])
        counts = f'<section><h2>Right and wrong</h2><div class="pair">{beside}</div>{table}</section>'
        ranking = f'<div class="pair">{_ranking_figures(judged, 1, names[1])}</div>'
        return f"{counts}<section><h2>Ranking</h2>{ranking}</section>"
    if len(names) <= FEW_CLASSES:  # a larger matrix takes the whole width
        confusion = f'<div class="pair">{confusion}</div>'
    return f"<section><h2>Right and wrong</h2>{confusion}{table}</section>{_many_classes(judged, names)}"


def _class_table(per_class: Sequence[ClassScore]) -> str:
    columns = [name for name in per_class[0].measures() if name != "auc_pr"]
    head = "".join(f'<th scope="col">{_title(name)}</th>' for name in columns)
    rows = "".join(
        f'<tr><th scope="row"><bdi>{safe(one.label, 60)}</bdi></th><td>{one.rows:,}</td>'
        + "".join(_value_cell(one.measures()[name]) for name in columns)
        + "</tr>"
        for one in per_class[:MOST_LISTED]
    )
    more = len(per_class) - MOST_LISTED
    note = f'<p class="soft">And {more:,} classes more.</p>' if more > 0 else ""
    return (
        f'<table><thead><tr><th scope="col">Class</th><th scope="col">Rows</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>{note}"
    )


def _value_cell(measure: Measure) -> str:
    ends = ends_of(measure)
    return f"<td>{told(measure.value)}{f'<br><small>{ends}</small>' if ends else ''}</td>"


def _many_classes(judged: Judged, names: list[str]) -> str:
    drawn = [
        _roc_figure(judged, k, f"{names[k]} against the rest: ROC") + _calibration_figure(judged, k, names[k])
        for k in range(min(len(names), MOST_CLASSES))
    ]
    said = "Each class against all others, by its score. "
    if len(names) > MOST_CLASSES:
        said += f"Shown are the first {MOST_CLASSES} of {len(names):,} classes."
    return (
        f'<section><h2>Each class against the rest</h2><p class="soft">{said}</p>'
        f'<div class="pair">{"".join(drawn)}</div></section>'
    )


def _ranking_figures(judged: Judged, k: int, name: str) -> str:
    is_class = judged.labels == k
    if not is_class.any():
        return f"<p>No row is {safe(name, 60)}.</p>"
    curve = curve_of(judged.answers.rank_for(k), is_class, judged.weights)
    precision = curve.hits[1:] / (curve.hits[1:] + curve.alarms[1:])
    recall = curve.true_positive_rates[1:]
    title = f"Precision and recall of {name}"
    share = float(curve.hits[-1] / (curve.hits[-1] + curve.alarms[-1]))
    drawn = unit_chart(
        title=title,
        x_label=f"recall: share of {name} that is called so",
        curve=thinned(np.append(0.0, recall), np.append(precision[0], precision)),
        guide=((0.0, share), (1.0, share)),
    )
    caption = "Upwards: precision, the share of those called so that are. Dashed: scores that tell nothing."
    return _roc_figure(judged, k, f"ROC of {name}") + _figure(title, drawn, caption)


def _roc_figure(judged: Judged, k: int, title: str) -> str:
    is_class = judged.labels == k
    if is_class.all() or not is_class.any():
        return _figure(title, "<p>The rows are of one kind: there is no curve.</p>", "")
    curve = curve_of(judged.answers.rank_for(k), is_class, judged.weights)
    drawn = unit_chart(
        title=title,
        x_label="false positive rate",
        curve=thinned(curve.false_positive_rates, curve.true_positive_rates),
        guide=DIAGONAL,
    )
    return _figure(title, drawn, "Upwards: the true positive rate. Dashed: scores that tell nothing.")


def _calibration_figure(judged: Judged, k: int, name: str) -> str:
    title = f"Calibration of the chances of {name}"
    if judged.answers.chances is None:
        return _figure(title, f"<p>No chances: {safe(judged.answers.no_chances, 400)}.</p>", "")
    groups = reliability(judged.answers.chances[:, k], judged.labels == k, judged.weights)
    spans = []
    for group in groups:
        ends = group.share.interval
        low, high = (group.share.value, group.share.value) if ends is None else (ends.low, ends.high)
        said = f"{group.rows:,} rows, mean chance {told(group.chance)}, share {told(group.share.value)}"
        spans.append(Span(group.chance, group.share.value, low, high, said))
    drawn = unit_chart(title=title, x_label="mean predicted chance of a group of rows", spans=spans, guide=DIAGONAL)
    caption = f"Upwards: the share of the group that is {safe(name, 60)}. On the diagonal, chances mean what they say."
    if judged.weights is None:
        caption += " Bars: 95 % intervals (Clopper-Pearson)."
    return _figure(title, drawn, caption)


def _figure(title: str, drawn: str, caption: str) -> str:
    return f"<figure><h3>{safe(title)}</h3>{drawn}<figcaption>{caption}</figcaption></figure>"


def _regression(judged: Judged) -> str:
    predicted, labels = np.ravel(judged.answers.predicted), np.ravel(judged.labels)  # several targets together
    with np.errstate(over="ignore"):
        residuals = labels - predicted
    drawable = np.flatnonzero((np.abs(predicted) < DRAWABLE) & (np.abs(labels) < DRAWABLE))
    if not drawable.size:
        return "<section><h2>Predictions</h2><p>There is no row with a finite value to draw.</p></section>"
    shown, note = _some(drawable), ""
    if shown.size < labels.size:
        note = f" Shown are {shown.size:,} of {labels.size:,} rows, evenly spaced in the file."
    figures = _figure(
        "Prediction against label",
        cloud_chart(
            labels[shown], predicted[shown], title="Prediction against label", x_label="label", is_diagonal=True
        ),
        f"Upwards: the prediction. On the dashed line it is right.{note}",
    )
    figures += _figure(
        "Residual against prediction",
        cloud_chart(
            predicted[shown],
            residuals[shown],
            title="Residual against prediction",
            x_label="prediction",
            is_diagonal=False,
        ),
        f"Upwards: label minus prediction. A bend or a fan is what the model does not know.{note}",
    )
    return f'<section><h2>Predictions</h2><div class="pair">{figures}{_residuals(residuals[drawable])}</div></section>'


def _residuals(residuals: Vector) -> str:
    bins, beyond = bins_of(residuals, [])
    drawn = histogram(bins, ["beyond"], title="Histogram of the residuals", x_label="residual: label minus prediction")
    caption = "Upwards: the number of rows."
    if beyond:
        caption += f" The outermost columns hold all that lies further out ({count(beyond, 'row')})."
    return _figure("Residuals", drawn, caption)


def _some(rows: Any) -> Any:
    """At most so many rows as a cloud can show, evenly spaced."""
    if rows.size <= MOST_POINTS:
        return rows
    return rows[np.linspace(0, rows.size - 1, MOST_POINTS).round().astype(int)]

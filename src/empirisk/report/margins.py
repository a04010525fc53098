"""How far each row is from its label: margins of a classifier, residuals of a regressor."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from empirisk.protocols import Vector
from empirisk.report.axes import DRAWABLE, round_step
from empirisk.report.charts import Bin, histogram
from empirisk.report.contents import Contents
from empirisk.report.markup import count, number, share

BINS = 60  # at most, about


def margin_section(contents: Contents) -> str:
    """How far each row is from its label: margins of a classifier, residuals of a regressor."""
    margins = contents.margins[np.abs(contents.margins) < DRAWABLE]
    heading = "Margins" if contents.is_classifier else "Residuals"
    parts = [f"<section><h2>{heading}</h2>"]
    if not margins.size:
        return "".join(parts) + "<p>There is no row with a finite value to draw.</p></section>"
    if contents.is_classifier:
        said, styles, edges = _margin_legend(contents, margins), ["error", "inside", "beyond"], [0.0, 1.0]
        title, label = "Histogram of the margins, coloured by kind", "margin: label (±1) times score"
        if contents.has_many_classes:
            label = "margin: score of the label minus the largest other"
    else:
        said, styles, edges = _residual_text(margins), ["beyond"], []
        title, label = "Histogram of the residuals", "residual: label minus prediction"
    bins, beyond = bins_of(margins, edges)
    drawn = histogram(bins, styles, title=title, x_label=label)
    notes = ["Each row counts once, whatever its weight. Upwards: the number of rows."]
    if beyond:
        notes.append(f"The outermost columns hold all that lies further out ({count(beyond, 'row')}).")
    if margins.size < contents.margins.size:
        notes.append(f"{count(contents.margins.size - margins.size, 'value')} not finite, left out.")
    figure = f"<figure>{drawn}<figcaption>{' '.join(notes)}</figcaption></figure>"
    return "".join(parts) + f'<div class="pair">{figure}<div>{said}</div></div></section>'


def _margin_legend(contents: Contents, margins: Vector) -> str:
    n = margins.size
    wrong, inside = int(np.count_nonzero(margins <= 0.0)), int(np.count_nonzero((margins > 0.0) & (margins < 1.0)))
    rows = [
        ("error", "Errors: zero or less", wrong),
        ("inside", "Right, but inside the margin: between 0 and 1", inside),
        ("beyond", "Right by a margin of 1 or more", n - wrong - inside),
    ]
    items = "".join(
        f'<li><i class="{style}"></i><span>{text}: <strong>{k:,}</strong>&nbsp;({share(k, n)})</span></li>'
        for style, text, k in rows
    )
    on_the_plane = " A margin of exactly zero counts as an error." if np.any(margins == 0.0) else ""
    margin = "its label, +1 or \u22121, times its score"
    if contents.has_many_classes:
        margin = "the score of its label minus the largest of the other scores"
    return (
        f'<ul class="legend">{items}</ul><p class="soft">The margin of a row is {margin}: '
        f"positive when the prediction is right, and larger the surer it is.{on_the_plane} These are the rows "
        "the model was fitted on: new rows usually fare a little worse.</p>"
    )


def _residual_text(residuals: Vector) -> str:
    sizes = np.abs(residuals)
    rows = [
        ("Root mean square", float(np.sqrt(np.mean(residuals**2)))),
        ("Mean", float(residuals.mean())),
        ("Half of the rows are within", float(np.median(sizes))),
        ("Nine in ten are within", float(np.quantile(sizes, 0.9))),
        ("Largest", float(sizes.max())),
    ]
    body = "".join(f'<tr><th scope="row">{text}</th><td>{number(value, 5)}</td></tr>' for text, value in rows)
    return (
        '<table><thead><tr><th scope="col">Residuals</th><th scope="col">Value</th></tr></thead>'
        f'<tbody>{body}</tbody></table><p class="soft after">The residual of a row is its label minus the prediction. '
        "These are the rows the model was fitted on: new rows usually fare a little worse.</p>"
    )


def bins_of(values: Vector, edges: Sequence[float]) -> tuple[list[Bin], int]:
    """Columns of one round width over the bulk of the values, zero on an edge; and how many values lie outside.

    Counts are split at `edges`, so that a colour is right even where an edge falls inside a column.
    """
    low, high = np.quantile(values, (0.005, 0.995)) if values.size >= 200 else (values.min(), values.max())
    low, high = (min(low, 0.0), max(high, *edges)) if edges else (low, high)
    if not high - low > 1e-9 * max(abs(low), abs(high), 1.0 / DRAWABLE):
        room = 0.5 * abs(high) or 1.0
        low, high = low - room, high + room
    step = round_step((high - low) / BINS)
    first, last = math.floor(low / step), math.ceil(high / step)
    places = np.clip(np.floor(values / step), first, last - 1).astype(np.int64) - first
    parts = np.searchsorted(np.asarray(edges), values, side="left") if edges else np.zeros(values.size, np.int64)
    if edges:  # a margin of exactly 0 is an error; one of exactly 1 is not inside
        parts[values == edges[-1]] = len(edges)
    counts = np.bincount(places * (len(edges) + 1) + parts, minlength=(last - first) * (len(edges) + 1))
    table = counts.reshape(last - first, -1)
    beyond = int(np.count_nonzero((values < first * step) | (values > last * step)))
    bins = [Bin((first + k) * step, (first + k + 1) * step, tuple(map(int, row))) for k, row in enumerate(table)]
    return bins, beyond

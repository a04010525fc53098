"""The largest weights of attributes, for each label."""

from __future__ import annotations

import numpy as np

from empirisk.report.axes import DRAWABLE
from empirisk.report.chain_sections.contents import ChainContents
from empirisk.report.charts import bar_chart
from empirisk.report.markup import count, number, safe

MOST_DRAWN, BARS = 12, 8  # labels that have a chart, and attributes in each
MOST_LISTED, ATTRIBUTES = 60, 4  # labels in the table, and attributes of each
NAME_LIMIT = 60


def state_section(contents: ChainContents) -> str:
    """A chart for each of the most frequent labels, and a table of the others."""
    counts = contents.label_counts()
    order = np.argsort(-counts, kind="stable").tolist()
    figures = "".join(_figure(contents, k, int(counts[k])) for k in order[:MOST_DRAWN])
    rest = order[MOST_DRAWN:MOST_LISTED]
    table = ""
    if rest:
        rows = "".join(_row(contents, k, int(counts[k])) for k in rest)
        table = (
            '<div class="scroll after"><table><thead><tr><th scope="col">Label</th><th scope="col">Tokens</th>'
            '<th scope="col" class="said">The attributes with the largest weights</th></tr></thead>'
            f"<tbody>{rows}</tbody></table></div>"
        )
    return (
        f"<section><h2>Weights of attributes</h2><p>{_text(contents)}</p>"
        f'<div class="pair">{figures}</div>{table}</section>'
    )


def _text(contents: ChainContents) -> str:
    layout, weights = contents.model.layout, contents.model.weights
    states = layout.parts(weights).states
    nonzero = int(np.count_nonzero(states))
    said = f"{nonzero:,} of {count(states.size, 'weight')} of {count(layout.n_attributes, 'attribute')} "
    said += (
        f"{'is' if nonzero == 1 else 'are'} not zero. For each label the largest ones, the most frequent label first: "
    )
    said += "a positive weight speaks for the label wherever a token has the attribute."
    if layout.n_dense:
        said += f" The weights of {count(layout.n_dense, 'dense feature')} are in the model file."
    if layout.n_labels > MOST_LISTED:
        said += f" Shown are {MOST_LISTED} of {layout.n_labels:,} labels."
    return said


def _top(contents: ChainContents, k: int, most: int) -> list[tuple[str, float]]:
    """Those that can be drawn."""
    top = contents.model.top_weights(contents.model.classes[k], most)
    return [(name, weight) for name, weight in top if 1.0 / DRAWABLE < abs(weight) < DRAWABLE]


def _figure(contents: ChainContents, k: int, n_tokens: int) -> str:
    label = contents.labels[k]
    top = _top(contents, k, BARS)
    title = f"The largest weights for {label}"
    chart = bar_chart(top, title=title, x_label="weight") if top else "<p>All are zero, or there is none.</p>"
    heading = f"<bdi>{safe(label, NAME_LIMIT)}</bdi> <small>{count(n_tokens, 'token')}</small>"
    return f"<figure><h3>{heading}</h3>{chart}</figure>"


def _row(contents: ChainContents, k: int, n_tokens: int) -> str:
    top = _top(contents, k, ATTRIBUTES)
    said = ", ".join(f"<bdi>{safe(name, NAME_LIMIT)}</bdi>&nbsp;{number(weight, 3)}" for name, weight in top) or "none"
    label = safe(contents.labels[k], NAME_LIMIT)
    return f'<tr><th scope="row"><bdi>{label}</bdi></th><td>{n_tokens:,}</td><td class="said">{said}</td></tr>'

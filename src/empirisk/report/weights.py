"""The largest weights, as bars and as numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from empirisk.protocols import Vector
from empirisk.report.axes import DRAWABLE
from empirisk.report.charts import bar_chart
from empirisk.report.contents import Contents
from empirisk.report.markup import count, exact, number, safe

MOST_BARS = 20


def weight_section(contents: Contents) -> str:
    """The largest weights as bars and as numbers, and the intercept."""
    model, effects = contents.model, contents.effects()
    sizes = np.nan_to_num(np.abs(effects), nan=0.0, posinf=np.inf)
    ranked = np.argsort(-sizes, kind="stable")[:MOST_BARS]
    top = [int(j) for j in ranked if sizes[j] > 0.0]
    intercept = f"The intercept is <strong>{exact(model.intercept)}</strong>." if model.options.fit_intercept else ""
    if not top:
        said = "Every weight is zero: the model says the same for each row."
        return f"<section><h2>Weights</h2><p>{said} {intercept}</p></section>"
    is_scaled = model.scaling is not None
    kind = "effect per standard deviation" if is_scaled else "weight"
    bars = [(contents.name(j), float(np.clip(effects[j], -DRAWABLE, DRAWABLE))) for j in top]
    bars = [(name, value if abs(value) > 1.0 / DRAWABLE else 0.0) for name, value in bars]
    title = f"The {len(top)} largest weights" if len(top) > 1 else "The largest weight"
    drawn = bar_chart(bars, title=f"{title}, by {kind}", x_label=kind)
    chart = f"<figure><h3>{title}</h3>{drawn}{_directions(contents)}</figure>"
    return (
        f'<section><h2>Weights</h2><p>{_weight_text(contents, sizes, top)} {intercept}</p><div class="pair">{chart}'
        f'<div class="scroll">{_weight_table(contents, effects, top)}</div></div></section>'
    )


def _directions(contents: Contents) -> str:
    if contents.model.classes is None:
        raised, lowered = "raises the prediction", "lowers the prediction"
    else:
        lowered, raised = (f"speaks for {safe(label, 60)}" for label in contents.model.classes)
    return (
        f'<figcaption><ul class="legend"><li><i class="plus"></i><span>positive: more of it {raised}</span></li>'
        f'<li><i class="minus"></i><span>negative: more of it {lowered}</span></li></ul></figcaption>'
    )


def _weight_text(contents: Contents, sizes: Vector, top: Sequence[int]) -> str:
    nonzero, d = int(np.count_nonzero(sizes)), sizes.size
    said = f"{nonzero:,} of {count(d, 'weight')} {'is' if nonzero == 1 else 'are'} not zero."
    if nonzero > len(top) and math.isfinite(total := float(sizes.sum())):
        part = 100.0 * float(sizes[list(top)].sum()) / total
        said += f" The {len(top)} shown make up {part:.3g} % of the sum of all sizes."
    if contents.model.scaling is not None:
        said += (
            " They are ranked by the effect per standard deviation, weight times the column's standard deviation: "
            "what a typical change of the column does to the score, whatever its unit."
        )
    else:
        said += " The columns were not standardised, so the size of a weight depends on the unit of its column."
    return said + ("" if contents.feature_names is not None else f" Columns are counted from {contents.first_column}.")


def _weight_table(contents: Contents, effects: Vector, top: Sequence[int]) -> str:
    weights, is_scaled = contents.model.weights, contents.model.scaling is not None
    effect_head = '<th scope="col">Effect per std.&nbsp;dev.</th>' if is_scaled else ""
    rows = []
    for j in top:
        effect = f"<td>{number(effects[j], 5, fill=True)}</td>" if is_scaled else ""
        rows.append(
            f'<tr><th scope="row"><bdi>{safe(contents.name(j))}</bdi></th>{effect}'
            f'<td class="exact">{exact(weights[j])}</td></tr>'
        )
    last = ""
    if contents.model.options.fit_intercept:
        blank = "<td></td>" if is_scaled else ""
        last = f'<tr><th scope="row">intercept</th>{blank}<td class="exact">{exact(contents.model.intercept)}</td></tr>'
    return (
        f'<table><thead><tr><th scope="col">Feature</th>{effect_head}<th scope="col">Weight, exact</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody>{f'<tbody>{last}</tbody>' if last else ''}</table>"
    )

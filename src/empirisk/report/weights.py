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
MOST_CLASSES, BARS_A_CLASS = 12, 8  # that are drawn


def weight_section(contents: Contents) -> str:
    """The largest weights as bars and as numbers, and the intercept."""
    if contents.has_many_classes:
        return _class_section(contents)
    model, effects = contents.model, contents.effects()
    sizes, top = _largest(effects, MOST_BARS)
    intercept = f"The intercept is <strong>{exact(model.intercept)}</strong>." if model.options.fit_intercept else ""
    if not top:
        said = "Every weight is zero: the model says the same for each row."
        return f"<section><h2>Weights</h2><p>{said} {intercept}</p></section>"
    title = f"The {len(top)} largest weights" if len(top) > 1 else "The largest weight"
    drawn = _bars(contents, effects, top, title)
    chart = f"<figure><h3>{title}</h3>{drawn}{_directions(contents)}</figure>"
    return (
        f'<section><h2>Weights</h2><p>{_weight_text(contents, sizes, top)} {intercept}</p><div class="pair">{chart}'
        f'<div class="scroll">{_weight_table(contents, effects, top)}</div></div></section>'
    )


def _class_section(contents: Contents) -> str:
    """For each class the largest weights as bars, and the intercept; of many classes the first ones."""
    model, effects = contents.model, contents.effects()
    classes = model.classes
    assert classes is not None
    figures = []
    for k, label in enumerate(classes[:MOST_CLASSES].tolist()):
        _, top = _largest(effects[k], BARS_A_CLASS)
        title = safe(label, 60)
        drawn = _bars(contents, effects[k], top, f"The largest weights of {label}") if top else "<p>All are zero.</p>"
        intercept = (
            f"<figcaption>intercept {exact(model.intercept[k])}</figcaption>" if _has_intercept(contents) else ""
        )
        figures.append(f"<figure><h3>{title}</h3>{drawn}{intercept}</figure>")
    nonzero = int(np.count_nonzero(model.weights))
    said = f"{nonzero:,} of {count(model.weights.size, 'weight')} {'is' if nonzero == 1 else 'are'} not zero. "
    said += f"For each class, at most the {BARS_A_CLASS} largest are drawn: a positive one speaks for the class. "
    if len(classes) > MOST_CLASSES:
        said += f"Shown are the first {MOST_CLASSES} of {len(classes):,} classes; the model file has them all. "
    return (
        f'<section><h2>Weights</h2><p>{said}{_units(contents)}</p><div class="pair">{"".join(figures)}</div></section>'
    )


def _has_intercept(contents: Contents) -> bool:
    return bool(contents.model.options.fit_intercept)


def _largest(effects: Vector, most: int) -> tuple[Vector, list[int]]:
    """The sizes, and the columns with the largest ones that are not zero."""
    sizes = np.nan_to_num(np.abs(effects), nan=0.0, posinf=np.inf)
    ranked = np.argsort(-sizes, kind="stable")[:most]
    return sizes, [int(j) for j in ranked if sizes[j] > 0.0]


def _bars(contents: Contents, effects: Vector, top: Sequence[int], title: str) -> str:
    kind = "effect per standard deviation" if contents.model.scaling is not None else "weight"
    bars = [(contents.name(j), float(np.clip(effects[j], -DRAWABLE, DRAWABLE))) for j in top]
    bars = [(name, value if abs(value) > 1.0 / DRAWABLE else 0.0) for name, value in bars]
    return bar_chart(bars, title=f"{title}, by {kind}", x_label=kind)


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
    return f"{said} {_units(contents)}"


def _units(contents: Contents) -> str:
    """What the size of a weight means, and how columns without names are called."""
    said = "The columns were not standardised, so the size of a weight depends on the unit of its column."
    if contents.model.scaling is not None:
        said = (
            "They are ranked by the effect per standard deviation, weight times the column's standard deviation: "
            "what a typical change of the column does to the score, whatever its unit."
        )
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

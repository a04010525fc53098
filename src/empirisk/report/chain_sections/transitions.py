"""Which label follows which: the weights of pairs of labels as a picture, and the largest of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.protocols import Matrix
from empirisk.report.axes import DRAWABLE
from empirisk.report.chain_sections.contents import ChainContents
from empirisk.report.chain_sections.heat_map import FEW, MOST_TOLD, HeatMap, heat_map, shade_limit
from empirisk.report.charts import bar_chart
from empirisk.report.markup import count, number
from empirisk.report.names import told_apart

MOST_DRAWN = 60  # labels
MOST_BARS = 12
NAME_COLUMNS = 10  # of each label of a pair
START, END = "(start)", "(end)"


class Pairs(NamedTuple):
    """Of each pair of labels, those at the start and the end of a sequence in the last row and column."""

    weights: Matrix  # nan where there is none
    seen: NDArray[np.int64]  # how often the true labels follow each other
    is_barred: NDArray[np.bool_]  # by the scheme, or by a weight of minus infinity
    names: list[str]  # of the labels

    def said(self, i: int, j: int) -> str:
        """A pair in words."""
        k = len(self.names)
        pair = f"{START if i == k else self.names[i]} → {END if j == k else self.names[j]}"
        if self.is_barred[i, j]:
            return f"{pair}: never"
        return f"{pair}: weight {number(float(self.weights[i, j]), 5)}, seen {self.seen[i, j]:,} times"


def transition_section(contents: ChainContents) -> str:
    """The picture, and the largest weights as bars."""
    chosen = contents.most_common(MOST_DRAWN)
    pairs = _pairs(contents, chosen)
    size = len(chosen) + 1
    drawn = HeatMap(
        pairs.weights,
        pairs.is_barred,
        [[pairs.said(i, j) for j in range(size)] for i in range(size)] if len(chosen) <= MOST_TOLD else [],
        pairs.names,
        START,
        END,
    )
    title = "Weights of pairs of labels"
    chart = heat_map(drawn, title=title, x_label="this label", y_label="the label before")
    figure = f"<figure><h3>{title}</h3>{chart}{_caption(contents, pairs)}</figure>"
    said = _text(contents, len(chosen))
    if len(chosen) <= FEW:
        beside = f'<div class="pair">{figure}{_bars(pairs, "The largest", 0)}</div>'
        return f"<section><h2>Transitions</h2>{said}{beside}</section>"
    bars = _bars(pairs, "Sought most", 1) + _bars(pairs, "Avoided most", -1)
    return (
        f'<section><h2>Transitions</h2>{said}<div class="scroll wide">{figure}</div>'
        f'<div class="pair after">{bars}</div></section>'
    )


def _pairs(contents: ChainContents, chosen: list[int]) -> Pairs:
    data, layout = contents.data, contents.model.layout
    parts, K = layout.parts(contents.model.weights), data.n_labels
    weights = np.full((K + 1, K + 1), np.nan)
    weights[:K, :K] = np.where(layout.is_free, parts.transitions, np.nan)
    if layout.has_ends:
        weights[K, :K], weights[:K, K] = parts.first, parts.last
    gold, starts = data.gold.astype(np.int64), data.sequences.starts
    before = np.append(K, gold[:-1])
    before[starts[:-1]] = K
    seen = np.bincount(before * (K + 1) + gold, minlength=(K + 1) ** 2).reshape(K + 1, K + 1)
    seen[:, K] = np.bincount(gold[starts[1:] - 1], minlength=K + 1)
    is_barred = np.isneginf(weights)
    is_barred[:K, :K] |= data.masks.between < 0.0
    is_barred[K, :K] |= data.masks.first < 0.0
    is_barred[:K, K] |= data.masks.last < 0.0
    weights[is_barred] = np.nan
    at = np.ix_([*chosen, K], [*chosen, K])
    names = contents.labels
    return Pairs(np.clip(weights, -DRAWABLE, DRAWABLE)[at], seen[at], is_barred[at], [names[label] for label in chosen])


def _text(contents: ChainContents, n_drawn: int) -> str:
    said = "What a pair of neighbouring labels adds to the score of a labelling, whatever the tokens are."
    if contents.model.layout.has_ends:
        said += f" {START} and {END} are what the first and the last label of a sequence add."
    if n_drawn < contents.data.n_labels:
        said += f" Shown are the {n_drawn} labels that most tokens have, of {contents.data.n_labels:,}."
    return f"<p>{said}</p>"


def _caption(contents: ChainContents, pairs: Pairs) -> str:
    notes = []
    if pairs.is_barred.any():
        scheme = contents.model.options.scheme
        why = "their weight is minus infinity" if scheme is None else f"the scheme {scheme} forbids it"
        notes.append(f"Struck through: labels that never follow each other, as {why}.")
    if not contents.model.layout.is_free.all():
        notes.append("Empty: the pair does not occur, and has no weight.")
    if shade_limit(pairs.weights) < np.nanmax(np.abs(pairs.weights), initial=0.0):
        notes.append(
            f"All above {number(shade_limit(pairs.weights), 3)} in size, one in a hundred, have the strongest shade."
        )
    if len(pairs.names) > MOST_TOLD:
        notes.append("All numbers: empirisk tag show MODEL --json.")
    said = f"<p>{' '.join(notes)}</p>" if notes else ""
    return (
        '<figcaption><ul class="legend"><li><i class="plus"></i><span>positive: sought</span></li>'
        f'<li><i class="minus"></i><span>negative: avoided</span></li></ul>{said}</figcaption>'
    )


def _bars(pairs: Pairs, title: str, sign: int) -> str:
    """The largest weights of a sign, or of both where it is 0."""
    flat = np.nan_to_num(pairs.weights.ravel(), nan=0.0)
    sizes = np.abs(flat) if sign == 0 else sign * flat
    best = [int(k) for k in np.argsort(-sizes, kind="stable")[:MOST_BARS] if sizes[k] > 1.0 / DRAWABLE]
    if not best:
        return f"<figure><h3>{title}</h3><p>There is none.</p></figure>"
    size = len(pairs.names) + 1
    named = [*told_apart(pairs.names, NAME_COLUMNS), ""]
    bars = []
    for k in best:
        i, j = divmod(k, size)
        first, last = START if i == size - 1 else named[i], END if j == size - 1 else named[j]
        bars.append((f"{first} → {last}", float(flat[k])))
    chart = bar_chart(bars, title=f"{title} of the pairs of labels", x_label="weight")
    return f"<figure><h3>{title}: {count(len(bars), 'pair')}</h3>{chart}</figure>"

"""The sequences of the fit: how long they are, and which labels are right."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from empirisk.report.axes import round_step
from empirisk.report.chain_sections.contents import ChainContents
from empirisk.report.charts import Bin, bar_chart, histogram
from empirisk.report.markup import count, safe, share
from empirisk.report.names import told_apart

BINS = 40  # at most, about
MOST_MISTAKEN = 10  # pairs of labels
NAME_COLUMNS = 10  # of each label of a pair
MOST_LISTED = 60  # labels


def length_section(contents: ChainContents) -> str:
    """Lengths, what was taken for what, and how often each label was right."""
    wrong = contents.examined.wrong
    lengths = np.diff(contents.data.sequences.starts)
    bins, beyond = length_bins(lengths, wrong > 0)
    title = "Lengths of the sequences"
    chart = histogram(bins, ["beyond", "error"], title=title, x_label="tokens of a sequence")
    n, n_wrong = wrong.size, int(np.count_nonzero(wrong))
    rows = [("beyond", "every label right", n - n_wrong), ("error", "at least one label wrong", n_wrong)]
    legend = "".join(
        f'<li><i class="{style}"></i><span>{said}: <strong>{k:,}</strong>&nbsp;({share(k, n)})</span></li>'
        for style, said, k in rows
    )
    notes = [f"Upwards: the number of sequences. The shortest has {count(int(lengths.min()), 'token')},"]
    notes.append(f"the longest {count(int(lengths.max()), 'token')}.")
    if beyond:
        notes.append(f"The last column holds all that are longer ({count(beyond, 'sequence')}).")
    figure = (
        f'<figure><h3>{title}</h3>{chart}<figcaption><ul class="legend">{legend}</ul><p>{" ".join(notes)}</p>'
        "</figcaption></figure>"
    )
    said = "These are the sequences that the model was fitted on: new ones usually fare worse."
    return (
        f'<section><h2>The sequences of the fit</h2><p class="soft">{said}</p><div class="pair">{figure}'
        f'{_mistaken(contents)}</div><div class="scroll after">{_label_table(contents)}</div></section>'
    )


def length_bins(lengths: NDArray[np.int64], is_wrong: NDArray[np.bool_]) -> tuple[list[Bin], int]:
    """Columns of one whole width over the bulk of the lengths; and how many are longer, in the last of them."""
    bulk = np.quantile(lengths, 0.995) if lengths.size >= 200 else lengths.max()
    low, high = int(lengths.min()), max(math.ceil(bulk), int(lengths.min()))
    step = max(1, round(round_step((high - low + 1) / BINS)))
    first = low // step
    last = high // step
    places = np.minimum(lengths // step, last) - first
    table = np.bincount(2 * places + is_wrong, minlength=2 * (last - first + 1)).reshape(-1, 2)
    beyond = int(np.count_nonzero(lengths >= (last + 1) * step))
    bins = []
    for k, (right, wrong) in enumerate(table.tolist()):
        begin = (first + k) * step
        said = f"length {begin:,}" if step == 1 else f"lengths {begin:,} to {begin + step - 1:,}"
        if beyond and first + k == last:
            said = f"length {begin:,} and more"
        middle = begin - 0.5  # so that the tick of a length is below the middle of its column
        bins.append(Bin(middle, middle + step, (right, wrong), f"{said}: {right:,} right, {wrong:,} wrong"))
    return bins, beyond


def _mistaken(contents: ChainContents) -> str:
    """Which labels are taken for which."""
    examined, K, names = contents.examined, contents.data.n_labels, told_apart(contents.labels, NAME_COLUMNS)
    at = np.flatnonzero(examined.is_wrong)
    pairs, counts = np.unique(contents.data.gold[at].astype(np.int64) * K + examined.answers[at], return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_MISTAKEN]
    if not order.size:
        return "<figure><h3>What is taken for what</h3><p>No label is wrong.</p></figure>"
    bars = [(f"{names[pairs[k] // K]} as {names[pairs[k] % K]}", float(counts[k])) for k in order.tolist()]
    title = "What is taken for what"
    return (
        f"<figure><h3>{title}</h3>{bar_chart(bars, title=title, x_label='tokens')}<figcaption>The true label, as the "
        "one that the model gives it.</figcaption></figure>"
    )


def _label_table(contents: ChainContents) -> str:
    """Of each label how many tokens have it, how many are given it, and how many of both."""
    data, examined, K = contents.data, contents.examined, contents.data.n_labels
    true, found = contents.label_counts(), np.bincount(examined.answers, minlength=K)
    right = np.bincount(data.gold[~examined.is_wrong], minlength=K)
    names = contents.labels
    rows = "".join(
        f'<tr><th scope="row"><bdi>{safe(names[k], 60)}</bdi></th><td>{true[k]:,}</td><td>{found[k]:,}</td>'
        f"<td>{right[k]:,}</td><td>{_percent(right[k], found[k])}</td><td>{_percent(right[k], true[k])}</td></tr>"
        for k in np.argsort(-true, kind="stable")[:MOST_LISTED].tolist()
    )
    head = "".join(f'<th scope="col">{said}</th>' for said in ("True", "Found", "Right", "Precision", "Recall"))
    more = f'<p class="soft">And {K - MOST_LISTED:,} labels more.</p>' if K > MOST_LISTED else ""
    return f'<table><thead><tr><th scope="col">Label</th>{head}</tr></thead><tbody>{rows}</tbody></table>{more}'


def _percent(part: int, whole: int) -> str:
    return "none" if whole == 0 else share(int(part), int(whole))

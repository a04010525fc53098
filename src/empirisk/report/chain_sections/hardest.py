"""The sequences with the largest loss: where they are, their words, and the labels at which the model errs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.report.chain_sections.contents import ChainContents
from empirisk.report.markup import count, number, safe

MOST_SEQUENCES = 12
MOST_TOKENS = 60  # of a sequence that are shown
AROUND = 3  # tokens on each side of a wrong one, in a longer sequence
WORD_LIMIT, LABEL_LIMIT = 40, 40


def hardest_section(contents: ChainContents) -> str:
    """A paragraph of words for each sequence, marked where the labels differ."""
    examined = contents.examined
    worst = examined.worst(MOST_SEQUENCES)
    if not worst:
        said = "<p>Every label of every sequence is right.</p>"
        return f"<section><h2>The hardest sequences</h2>{said}</section>"
    shown = "".join(_sequence(contents, j) for j in worst)
    text = (
        f"The {len(worst)} sequences of the fit with the largest loss, which is {safe(examined.measure)}. "
        if len(worst) > 1
        else f"The sequence of the fit with the largest loss, which is {safe(examined.measure)}. "
    )
    key = (
        "Under a word at which the model errs stand <em>the true label</em> and, struck through, <s>the one that the "
        "model gives</s>. Errors of the file show here too."
    )
    return f"<section><h2>The hardest sequences</h2><p>{text}{key}</p>{shown}</section>"


def _sequence(contents: ChainContents, j: int) -> str:
    examined, starts = contents.examined, contents.data.sequences.starts
    begin, end = int(starts[j]), int(starts[j + 1])
    is_wrong = examined.is_wrong[begin:end]
    n_wrong = int(examined.wrong[j])
    places = shown_tokens(is_wrong)
    errors = "every label right" if n_wrong == 0 else f"{n_wrong:,} of {count(end - begin, 'label')} wrong"
    parts, last = [], -1
    for t in places.tolist():
        parts.append(_gap(t - last - 1))
        parts.append(_token(contents, begin + t, bool(is_wrong[t])))
        last = t
    parts.append(_gap(end - begin - 1 - last))
    hidden = n_wrong - int(np.count_nonzero(is_wrong[places]))
    more = f'<p class="soft">And {hidden:,} wrong labels more.</p>' if hidden else ""
    return (
        f'<article><h3>{_place(contents, j)}<span class="soft"> &middot; loss {number(float(examined.losses[j]), 4)} '
        f'&middot; {errors}</span></h3><p class="words">{"".join(parts)}</p>{more}</article>'
    )


def shown_tokens(is_wrong: NDArray[np.bool_]) -> NDArray[np.int64]:
    """All tokens of a short sequence; of a longer one the wrong ones and those around them, or else its beginning."""
    if is_wrong.size <= MOST_TOKENS:
        return np.arange(is_wrong.size)
    at = np.flatnonzero(is_wrong)
    near = np.unique((at[:MOST_TOKENS, None] + np.arange(-AROUND, AROUND + 1)).clip(0, is_wrong.size - 1))
    return (near if near.size else np.arange(MOST_TOKENS))[:MOST_TOKENS]


def _place(contents: ChainContents, j: int) -> str:
    """The lines of the file, and what it calls the sequence; else its number."""
    starts, origin = contents.data.sequences.starts, contents.tokens.origin
    if origin is None:
        return f"Sequence {j:,}, counted from 0"
    first, last = int(origin.lines[starts[j]]), int(origin.lines[starts[j + 1] - 1])
    lines = f"line {first:,}" if first == last else f"lines {first:,} to {last:,}"
    name = origin.names[j] if origin.names is not None else ""
    named = f' <bdi class="soft">{safe(name, 80)}</bdi>' if name else ""
    return f"{safe(contents.data_name)}, {lines}{named}"


def _gap(n: int) -> str:
    return f'<span class="soft">… {count(n, "token")} …</span>' if n > 0 else ""


def _token(contents: ChainContents, at: int, is_wrong: bool) -> str:
    word = f"<bdi>{safe(contents.word(at), WORD_LIMIT)}</bdi>"
    if not is_wrong:
        return f"<span>{word}</span>"
    labels, origin = contents.labels, contents.tokens.origin
    true, given = (safe(labels[k], LABEL_LIMIT) for k in (contents.data.gold[at], contents.examined.answers[at]))
    title = "" if origin is None else f' title="line {int(origin.lines[at]):,}"'
    return f'<span class="wrong"{title}>{word}<em><bdi>{true}</bdi></em><s><bdi>{given}</bdi></s></span>'

"""One self-contained HTML page about several fits, the best first."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from empirisk.data.files import write_atomically
from empirisk.evaluation.words import NAMES, ends_of, percent, told
from empirisk.report.curves import Line, line_per_name
from empirisk.report.document import closing, document
from empirisk.report.markup import count, duration, safe, safe_command

if TYPE_CHECKING:
    from empirisk.evaluation.comparison import Compared
    from empirisk.evaluation.judged import Score

MOST_DRAWN = 60


def write_comparison(
    path: str | os.PathLike[str],
    *,
    found: Sequence[Compared],
    by: str,
    columns: Sequence[str],
    where: str,
    data_name: str,
    command: str,
) -> None:
    """Write the page; `found` is ranked by the measure `by`, `columns` are the measures of the table."""
    write_atomically(path, [comparison_page(found, by, columns, where, data_name, command).encode("utf-8")])


def comparison_page(
    found: Sequence[Compared], by: str, columns: Sequence[str], where: str, data_name: str, command: str
) -> str:
    """The HTML text."""
    head = (
        f'<header><p class="kicker">empirisk compare</p><h1>{safe(data_name)}</h1>'
        f'<p class="soft">{count(len(found), "fit")}, judged on {safe(where)}, the best by {NAMES[by]} first</p>'
        "</header>"
    )
    asked = (
        f"<section><h2>The command that made this page</h2><pre><code>{safe_command(command)}</code></pre></section>"
    )
    body = f"{head}\n<main>{_picture(found, by)}\n{_table(found, by, columns)}\n{asked}</main>\n{closing()}"
    return document(f"{data_name} - empirisk compare", body)


def _picture(found: Sequence[Compared], by: str) -> str:
    lines = []
    for one in found[:MOST_DRAWN]:
        measure = one.measure(by)
        if measure is None or one.train is None or told(measure.value) in ("-", "infinite"):
            continue
        ends = measure.interval
        low, high = (measure.value, measure.value) if ends is None else (ends.low, ends.high)
        lines.append(Line(one.name, measure.value, low, high, one.train.measures()[by].value))
    if not lines:
        return "<section><h2>Held-out rows</h2><p>No fit could be judged.</p></section>"
    title = f"{NAMES[by]} on held-out rows"
    drawn = line_per_name(lines, title=title, x_label=NAMES[by])
    caption = "Filled: on rows that took no part in the fit, with the interval. Hollow: on the rows of the fit. "
    caption += "Intervals that overlap do not settle which one is better."
    heading = title[:1].upper() + title[1:]
    return f"<section><h2>{heading}</h2><figure>{drawn}<figcaption>{caption}</figcaption></figure></section>"


def _table(found: Sequence[Compared], by: str, columns: Sequence[str]) -> str:
    level = next((_level(one.held_out, by) for one in found if one.held_out is not None), None)
    interval = "Interval" if level is None else f"{percent(level)} interval"
    heads = [
        "Loss",
        "l1",
        "l2",
        f"Train {NAMES[by]}",
        f"Held-out {NAMES[by]}",
        interval,
        *(NAMES[name] for name in columns),
    ]
    heads += ["Non-zero", "Time", "Certified"]
    head = "".join(f'<th scope="col">{safe(one)}</th>' for one in heads)
    rows = "".join(_row(one, by, columns, len(heads)) for one in found)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<section><h2>All of them</h2><div class="scroll">{table}</div></section>'


def _row(one: Compared, by: str, columns: Sequence[str], width: int) -> str:
    name = f'<tr><th scope="row">{safe(one.loss)}</th><td>{one.strength("l1")}</td><td>{one.strength("l2")}</td>'
    if one.train is None or one.held_out is None:
        return f'{name}<td class="said" colspan="{width - 3}">{safe(one.failure, 400)}</td></tr>'
    held = one.held_out.measures()
    cells = [told(one.train.measures()[by].value), told(held[by].value), ends_of(held[by])]
    cells += [told(held[column].value) for column in columns]
    cells += [f"{one.nonzero:,} of {one.n_weights:,}", duration(one.seconds), "yes" if one.certified else "no"]
    return name + "".join(f"<td>{safe(cell)}</td>" for cell in cells) + "</tr>"


def _level(score: Score, by: str) -> float | None:
    interval = score.measures()[by].interval
    return None if interval is None else interval.level

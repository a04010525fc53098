"""One self-contained HTML page about a model on new rows, written whole or not at all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from empirisk.data.files import write_atomically
from empirisk.report.document import closing, document, tiles
from empirisk.report.judged_sections import judged_sections, judged_tiles
from empirisk.report.markup import count, safe, safe_command

if TYPE_CHECKING:
    from empirisk.evaluation.judged import Judged


def write_score_report(
    path: str | os.PathLike[str], *, judged: Judged, data_name: str, model_name: str, command: str, remark: str = ""
) -> None:
    """Write the page of a model that was judged on the rows of a file; `remark` is what to know of them, or empty."""
    write_atomically(path, [score_page(judged, data_name, model_name, command, remark).encode("utf-8")])


def score_page(judged: Judged, data_name: str, model_name: str, command: str, remark: str = "") -> str:
    """The HTML text."""
    classes = judged.answers.classes
    kind = "a regression" if classes is None else f"a classifier of {classes.size} classes"
    noted = f"<p>{safe(remark, 400)}</p>" if remark else ""
    head = (
        f'<header><p class="kicker">empirisk score</p><h1>{safe(model_name)}</h1>'
        f'<p class="soft">{kind}, on {count(judged.score.rows, "row")} of {safe(data_name)}</p>{noted}'
        f"{tiles(judged_tiles(judged))}</header>"
    )
    asked = (
        f"<section><h2>The command that made this page</h2><pre><code>{safe_command(command)}</code></pre></section>"
    )
    return document(
        f"{model_name} on {data_name} - empirisk score",
        f"{head}\n<main>{judged_sections(judged, 'How good it is on these rows')}\n{asked}</main>\n{closing()}",
    )

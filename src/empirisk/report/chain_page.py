"""One self-contained HTML page about a model of sequences, written whole or not at all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import empirisk
from empirisk.data.files import write_atomically
from empirisk.models.chains.examination import examined
from empirisk.report.chain_sections.asked import asked_section
from empirisk.report.chain_sections.contents import ChainContents
from empirisk.report.chain_sections.hardest import hardest_section
from empirisk.report.chain_sections.heading import heading
from empirisk.report.chain_sections.judged import judged_section
from empirisk.report.chain_sections.lengths import length_section
from empirisk.report.chain_sections.proof import proof_section
from empirisk.report.chain_sections.state_weights import state_section
from empirisk.report.chain_sections.transitions import transition_section
from empirisk.report.document import document
from empirisk.report.markup import safe
from empirisk.report.trace import trace_section

if TYPE_CHECKING:
    from empirisk.models.chains.files import Tokens
    from empirisk.models.chains.fitting import ChainFit
    from empirisk.models.chains.judging import Judged


def write_chain_report(
    path: str | os.PathLike[str],
    *,
    fit: ChainFit,
    tokens: Tokens,
    command: str,
    verify_command: str,
    seconds: float,
    compile_seconds: float = 0.0,
    judged: Judged | None = None,
    judged_on: str = "",
) -> None:
    """Write the page of a model that was fitted on the sequences of a file.

    `seconds` leave out those of compiling; `judged` is how the model does on other sequences, `judged_on` says which.
    """
    contents = ChainContents(
        fit,
        examined(fit.model, fit.data),
        tokens,
        command,
        verify_command,
        seconds,
        compile_seconds,
        judged,
        judged_on,
    )
    write_atomically(path, [chain_page(contents).encode("utf-8")])


def chain_page(contents: ChainContents) -> str:
    """The HTML text."""
    solution = contents.solution
    sections = (
        proof_section(contents),
        judged_section(contents),
        asked_section(contents),
        "" if solution is None else trace_section(solution, contents.target),
        transition_section(contents),
        state_section(contents),
        length_section(contents),
        hardest_section(contents),
    )
    return document(
        f"{contents.data_name} - empirisk tag fit",
        f"{heading(contents)}\n<main>{''.join(sections)}</main>\n{_footer(contents)}",
    )


def _footer(contents: ChainContents) -> str:
    return (
        f"<footer><p>Written by empirisk {safe(empirisk.__version__)}. Fingerprint of the data: "
        f"<code>{safe(contents.model.data_fingerprint)}</code>.</p><p>This page is one HTML file (UTF-8, charts as "
        "SVG): it runs no script, loads nothing and works offline. The model is a file of its own, which labels new "
        "text without the training data; loading it runs no code.</p></footer>"
    )

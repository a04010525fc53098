"""One self-contained HTML page about a fit, written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from empirisk.capabilities import name_of
from empirisk.data.files import write_atomically
from empirisk.report.certificate import certificate_section
from empirisk.report.contents import Contents
from empirisk.report.document import document
from empirisk.report.margins import margin_section
from empirisk.report.sections import asked_section, footer, header
from empirisk.report.strengths import strength_section
from empirisk.report.trace import trace_section
from empirisk.report.weights import weight_section

if TYPE_CHECKING:
    from empirisk.bounds.risk_bound import RiskBound
    from empirisk.evaluation.judged import Judged
    from empirisk.models import LinearModel
    from empirisk.solution import Solution


def write_report(
    path: str | os.PathLike[str],
    *,
    model: LinearModel,
    solution: Solution,
    margins: NDArray[Any],
    feature_names: Sequence[str] | None,
    command: str,
    verify_command: str,
    data_name: str,
    n_rows: int,
    seconds: float,
    compile_seconds: float = 0.0,
    judged: Judged | None = None,
    judged_on: str = "",
    future_error: RiskBound | None = None,
) -> None:
    """Write the report of a fit; `margins` are those of `models.labels`, and label minus prediction for a regressor.

    `seconds` leave out those of compiling. `judged` is how the model does on rows that took no part in the fit,
    `judged_on` says which; `future_error` bounds the error on new rows.
    """
    contents = Contents(
        model,
        solution,
        margins,
        feature_names,
        command,
        verify_command,
        data_name,
        n_rows,
        seconds,
        compile_seconds,
        judged,
        judged_on,
        future_error,
    ).checked()
    write_atomically(path, [page(contents).encode("utf-8")])


def page(contents: Contents) -> str:
    """The HTML text."""
    return document(
        f"{contents.data_name} - empirisk report",
        f"{header(contents)}\n<main>{certificate_section(contents)}\n{asked_section(contents)}\n"
        f"{_judged_sections(contents)}{strength_section(contents)}\n{_trace(contents)}\n{margin_section(contents)}\n"
        f"{weight_section(contents)}</main>\n{footer(contents)}",
    )


def _trace(contents: Contents) -> str:
    """Of a gap, or for a loss that is not convex of the size of the gradient."""
    measure = "gradient" if name_of(contents.model.certificate) == "stationarity" else "gap"
    return trace_section(contents.solution, contents.target, measure)


def _judged_sections(contents: Contents) -> str:
    """Nothing where the model was judged on no other rows."""
    if contents.judged is None:
        return ""
    from empirisk.report.judged_sections import judged_sections

    return judged_sections(contents.judged, f"How good it is on {contents.judged_on}")

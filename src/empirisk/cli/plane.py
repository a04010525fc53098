"""What the commands about planes between two classes share: options, and lines of the summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from empirisk.cli.options import (
    Decorator,
    json_option,
    no_intercept_option,
    quiet_option,
    seed_option,
    time_limit_option,
    together,
)
from empirisk.cli.output import STANDARD_OUTPUT, check_writable, emit_json, emit_table, say
from empirisk.cli.reading import Reading, read_examples, reading_options
from empirisk.cli.verify_command import verify_command

if TYPE_CHECKING:
    from empirisk.models.examples import Examples
    from empirisk.models.plane import PlaneModel
    from empirisk.protocols import Vector

SHOWN_WEIGHTS = 8  # --json has them all

certificate_output: Decorator = click.option(
    "-o", "--output", metavar="CERTIFICATE", help="Write the certificate as JSON."
)
model_output: Decorator = click.option("-o", "--output", metavar="MODEL", help="Write the model with its certificate.")


def plane_options(
    output: Decorator, seed: str, time_limit: Decorator | None = None, weights: Decorator | None = None
) -> Decorator:
    """DATA and what every such command takes; `output` is -o, `seed` says what --seed draws."""
    return together(
        click.argument("data"),
        no_intercept_option("Only planes through the origin."),
        time_limit or time_limit_option(),
        seed_option(seed),
        output,
        reading_options(weights=weights),
        json_option,
        quiet_option,
    )


def check_output(output: str | None, *inputs: str) -> None:
    """Refuse what cannot be written before anything is computed."""
    if output in STANDARD_OUTPUT:
        raise click.UsageError("standard output is for the summary: give the output a file")
    if output is not None:
        check_writable(output, inputs)


def read_points(data: str, reading: Reading, quiet: bool) -> Examples:
    """The examples of a file; weights that it holds are not used, which is said."""
    examples = read_examples(data, reading, quiet)
    if examples.weights is not None:
        say("The weights of the examples are not used: every point must be on its side.", quiet)
    return examples


def emit_plane(
    model: PlaneModel,
    examples: Examples,
    facts: dict[str, Any],
    rows: list[tuple[str, str]],
    *,
    data: str,
    reading: Reading,
    output: str | None,
    as_json: bool,
    more: Sequence[tuple[str, str]] = (),
) -> None:
    """Write the model, and print what was found: `facts`, or `rows` and `more`, and the plane."""
    from empirisk.certificates import sealed_json
    from empirisk.model_file import save

    verify = None
    if output is not None:
        save(model, output)
        verify = verify_command(output, data, reading.of_model())
    if as_json:
        plane = {
            "status": model.status,
            "certified": model.certified,
            "classes": model.classes.tolist(),
            "feature_names": None if model.feature_names is None else list(model.feature_names),
            "weights": model.weights.tolist(),
            "intercept": model.intercept,
            "certificate": None if model.certificate is None else sealed_json(model.certificate),
        }
        emit_json({**facts, **plane, "output": output, "verify": verify})
        return
    plane_lines = plane_rows(examples, model.weights, model.intercept, model.classes.tolist())
    emit_table([*rows, *plane_lines, *written_rows("Model", output, verify), *more])


def written_rows(name: str, path: str | None, verify: str | None) -> list[tuple[str, str]]:
    """Where a file was written and what verifies it; nothing where there is none."""
    said = [(name, path), ("Verify", verify)]
    return [(word, text) for word, text in said if path is not None and text is not None]


def plane_rows(examples: Examples, weights: Vector, intercept: float, classes: Sequence[Any]) -> list[tuple[str, str]]:
    """The largest weights with the names of their columns, the intercept unless it is zero, and the two sides."""
    import numpy as np

    used = np.flatnonzero(weights)
    shown = np.sort(used[np.argsort(-np.abs(weights[used]), kind="stable")[:SHOWN_WEIGHTS]]).tolist()
    said = [f"{weights[j]:+.6g} * {examples.feature_name(j)}" for j in shown]
    if used.size > len(shown):
        said.append(f"... and {used.size - len(shown)} more columns of smaller weight")
    if intercept != 0.0:
        said.append(f"{intercept:+.6g}")
    said.append(f"> 0 for {classes[1]!r}, < 0 for {classes[0]!r}")
    return [("Plane" if k == 0 else "", line) for k, line in enumerate(said)]

"""What every benchmark does with its result."""

import json
from collections.abc import Callable
from pathlib import Path

import click


def publish(result: dict, text_of: Callable[[dict], str], json_path: Path | None) -> None:
    """Write the numbers to a file where one is given, then print what they mean."""
    if json_path is not None:
        json_path.write_text(json.dumps(result, indent=1) + "\n")
    click.echo(text_of(result))

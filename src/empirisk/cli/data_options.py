"""The options that say how a file of data is to be read, the same in every command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Any], Any]

label_option: Decorator = click.option(
    "--label",
    metavar="COLUMN",
    help="The label: a name, or a number in npy.  [default: label, target, class or y; in npy the last]",
)

weights_option: Decorator = click.option(
    "--weights", metavar="COLUMN", help="The weights of the examples: a name, or a number in npy."
)


def format_option(default: str = "from the name of the file") -> Decorator:
    """--format; `default` says what holds without it."""
    return click.option("--format", type=click.Choice(["csv", "svmlight", "npy", "npz"]), help=f"[default: {default}]")

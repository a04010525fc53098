"""Options that several commands have: how a file of data is to be read, and how long a search may take."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Any], Any]


def seconds(text: Any) -> float:
    """A number of seconds >= 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not value >= 0.0:
        raise click.BadParameter(f"{text!r} is not a number of seconds >= 0.")
    return value


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

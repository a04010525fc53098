"""Options that several commands have: how data are read, what is asked, how long it may take, what is printed."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from empirisk.data.dialect import Dialect

Decorator = Callable[[Any], Any]
DIALECT = "dialect"  # where a context keeps it
MOST_SEED = 2**31 - 1  # as in `parameters`, which a help page need not load


def seconds(text: Any) -> float:
    """A number of seconds >= 0."""
    return _at_least_zero(text, "number of seconds", math.inf)


def tolerance(text: Any) -> float:
    """A finite number >= 0."""
    return _at_least_zero(text, "finite number", sys.float_info.max)


def _at_least_zero(text: Any, what: str, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value <= most:
        raise click.BadParameter(f"{text!r} is not a {what} >= 0.")
    return value


label_option: Decorator = click.option(
    "--label",
    metavar="COLUMN",
    help="The label: a name, or a number in npy.  [default: label, target, class or y; in npy the last]",
)

weights_option: Decorator = click.option(
    "--weights", metavar="COLUMN", help="The weights of the examples: a name, or a number in npy."
)


def format_option(default: str = "from the name of the file, or its content") -> Decorator:
    """--format, and how a table of text is written (`asked_dialect` has it); `default` says what holds without it."""
    return together(
        click.option("--format", type=click.Choice(["csv", "svmlight", "npy", "npz"]), help=f"[default: {default}]"),
        _dialect_option("separator", "CHARACTER", "Between columns: tab, ';' and so on.  [default: from the content]"),
        _dialect_option("encoding", "NAME", "Of a table, such as latin-1.  [default: UTF-8]"),
        _dialect_option("na", "WORDS", "Cells of a table without a value.  [default: NA,N/A,NaN,null,?]"),
    )


def _dialect_option(name: str, metavar: str, help: str) -> Decorator:
    def remember(ctx: click.Context, _: click.Parameter, text: str | None) -> None:
        if text is None:
            return
        from empirisk.data.dialect import Dialect

        said: Any = tuple(text.split(",")) if name == "na" else text
        try:
            checked = Dialect(**{name: said}).checked()
        except ValueError as error:
            raise click.BadParameter(str(error).removeprefix(f"{name} ") + ".") from None
        ctx.meta.setdefault(DIALECT, {})[name] = getattr(checked, name)

    return click.option(f"--{name}", metavar=metavar, callback=remember, expose_value=False, help=help)


def asked_dialect() -> Dialect:
    """How the tables of this command are written, as its options say."""
    from empirisk.data.dialect import Dialect

    return Dialect(**click.get_current_context().meta.get(DIALECT, {}))


def time_limit_option(default: float | None = None, help: str = "[default: none]") -> Decorator:
    """--time-limit, none unless there is a default."""
    return click.option(
        "--time-limit", default=default, type=seconds, show_default=default is not None, metavar="SECONDS", help=help
    )


def share(text: Any) -> float:
    """A number between 0 and 1."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value < 1.0:
        raise click.BadParameter(f"{text!r} is not a number between 0 and 1.")
    return value


level_option: Decorator = click.option(
    "--level", default=0.95, type=share, show_default=True, metavar="SHARE", help="Of the intervals: how sure they are."
)


def unknown_option(help: str = "What a category that the fit did not see is.") -> Decorator:
    """--unknown."""
    choice = click.Choice(["error", "zero"])
    return click.option("--unknown", type=choice, default="error", show_default=True, help=help)


ignore_new_option: Decorator = click.option(
    "--ignore-new", is_flag=True, help="Leave out columns and features that the fit did not see."
)


def seed_option(help: str) -> Decorator:
    """--seed; `help` says what it draws."""
    return click.option("--seed", default=0, type=click.IntRange(0, MOST_SEED), show_default=True, help=help)


def max_passes_option(help: str) -> Decorator:
    """--max-passes."""
    return click.option("--max-passes", default=1000, type=click.IntRange(min=1), show_default=True, help=help)


def no_intercept_option(help: str) -> Decorator:
    """--no-intercept."""
    return click.option("--no-intercept", is_flag=True, help=help)


def tol_option(help: str = "The relative gap to reach.") -> Decorator:
    """--tol."""
    return click.option("--tol", default=1e-6, show_default=True, help=help)


json_option: Decorator = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
quiet_option: Decorator = click.option("--quiet", is_flag=True, help="No progress and no messages.")


def together(*options: Decorator) -> Decorator:
    """These options in this order."""

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate

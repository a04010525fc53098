"""How data are read: the options that all commands share, what they say, and the examples of a file."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from empirisk.cli.compiling import compiling
from empirisk.cli.errors import BadData, Usage
from empirisk.cli.options import Decorator, asked_dialect, format_option, label_option, together, weights_option
from empirisk.cli.output import say
from empirisk.data.dialect import AS_FOUND, Dialect
from empirisk.encodings.choices import POLICIES, ColumnChoices
from empirisk.stopwatch import Stopwatch

if TYPE_CHECKING:
    from empirisk.models.examples import Examples

COLUMN_OPTIONS = {  # each may be repeated, or name several with commas
    "drop": "Columns that are no features.",
    "only": "The columns that are features; no others are.",
    "categorical": "Columns of numbers that are categories, or of text with very many values.",
    "date": "Columns of dates: year, month, weekday, hour and days since the first.",
    "text": "Columns of text: tf-idf weights of words and pairs of words.",
}
HOW_OPTIONS = (
    click.option(
        "--missing",
        type=click.Choice(POLICIES),
        default="error",
        show_default=True,
        help="Missing values: leave out their rows, or fill them in; indicator is the mean and a column that says so.",
    ),
    click.option("--no-pairs", "pairs", is_flag=True, flag_value=False, default=True, help="Of --text: words alone."),
    click.option(
        "--min-count",
        type=click.IntRange(min=1),
        default=2,
        show_default=True,
        help="Of --text: the texts that a word must be in.",
    ),
)


class Reading(NamedTuple):
    """What was asked of the reading of a file."""

    format: str | None = None
    label: str | None = None
    weights: str | None = None
    choices: ColumnChoices = ColumnChoices()
    dialect: Dialect = AS_FOUND

    def of_model(self) -> Reading:
        """What a model, which knows its columns and what is missing there, must still be told."""
        return Reading(format=self.format, dialect=self.dialect._replace(na=None))

    def as_words(self) -> list[str]:
        """The options that ask for it."""
        named = [(name, getattr(self, name)) for name in ("format", "label", "weights")]
        for name in self.choices.asked():
            values = getattr(self.choices, name)
            named += [(name, value) for value in (values if isinstance(values, tuple) else (values,))]
        words = [_words(name.replace("_", "-"), value) for name, value in named if value is not None]
        return [*(word for pair in words for word in pair), *self.dialect.as_words()]


def reading_options(
    *, label: Decorator = label_option, weights: Decorator | None = weights_option, format: Decorator | None = None
) -> Decorator:
    """The options about data to learn from, given to the command as one `reading`; without `weights` there are none."""
    columns = [
        click.option(f"--{name}", multiple=True, metavar="COLUMNS", help=help) for name, help in COLUMN_OPTIONS.items()
    ]
    options = together(
        label, *([] if weights is None else [weights]), *columns, *HOW_OPTIONS, format or format_option()
    )

    def decorate(command: Callable[..., Any]) -> Any:
        @functools.wraps(command)
        def collected(**given: Any) -> Any:
            choices = ColumnChoices(**{name: given.pop(name) for name in ColumnChoices._fields})
            named = {name: given.pop(name, None) for name in ("format", "label", "weights")}
            return command(reading=Reading(**named, choices=choices, dialect=asked_dialect()), **given)

        return options(collected)

    return decorate


def read_examples(data: str, reading: Reading, quiet: bool, encoded: bool = True) -> Examples:
    """The examples of a file; without `encoded` a table is left as it is, for `parted` to learn from some rows."""
    from empirisk.models.reading import read_training

    watch = Stopwatch()
    with compiling("reading", quiet):
        examples = read_training(
            data,
            reading.format,
            reading.label,
            reading.weights,
            choices=reading.choices,
            dialect=reading.dialect,
            encoded=encoded,
        )
    say_remarks(examples, quiet)
    raw = examples.unencoded
    found = f"{examples.n_features} features" if raw is None else f"{len(raw.table.names)} columns"
    say(f"Read {examples.n_rows} rows and {found} from {examples.path} in {watch.seconds():.2f} s.", quiet)
    return examples


def say_remarks(examples: Examples, quiet: bool) -> None:
    """What the reader decided by itself, and how many rows it left out."""
    for remark in examples.remarks:
        say(remark, quiet)
    if examples.complete is not None and not examples.complete.all():
        left_out = int((~examples.complete).sum())
        say(f"Left out {left_out} of {examples.complete.size} rows, which lack a value.", quiet)


def _words(name: str, value: str | int) -> tuple[str, ...]:
    return (f"--no-{name}",) if value is False else (f"--{name}", str(value))


@contextlib.contextmanager
def blaming(path: str) -> Iterator[None]:
    """Turn what is raised about values into bad data of this file; what no code can do stays an error of usage."""
    from empirisk.data.errors import DataError
    from empirisk.protocols import Unsupported

    try:
        yield
    except (DataError, Unsupported):  # these say by themselves where it is
        raise
    except (TypeError, ValueError) as error:
        raise BadData(f"{path}: {error}") from None


def model_of_rows(path: str, what: str) -> Any:
    """The model in a file that answers rows; what else it may hold is refused, with the commands that take it."""
    from empirisk.capabilities import offers, optional
    from empirisk.model_file import load

    found = load(path)
    if offers(found, "scores"):
        return found
    own = optional(found, "own_commands")
    if own is not None:
        raise Usage(f"{path} holds a model of other data than rows: {what} it by `{own()} {what}`")
    raise BadData(f"{path} holds a certificate, and no model that predicts")

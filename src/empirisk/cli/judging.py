"""--test and --holdout: rows that take no part in a fit, and how the model does on them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from empirisk.cli.options import Decorator, share, together, unknown_option
from empirisk.cli.output import say
from empirisk.cli.reading import Reading, blaming, say_remarks

if TYPE_CHECKING:
    from empirisk.bounds.risk_bound import RiskBound
    from empirisk.evaluation.judged import Judged
    from empirisk.models import Fit, LinearModel
    from empirisk.models.examples import Examples
    from empirisk.models.validation.holdout import Holdout


def judging_options(default: str = "none") -> Decorator:
    """--test, --holdout and --unknown; `default` says what holds without them."""
    return together(
        click.option("--test", metavar="FILE", help="Judge on these rows, read as TRAIN is."),
        click.option(
            "--holdout",
            type=share,
            metavar="SHARE",
            help=f"Leave out this share of TRAIN, of each class, and judge on it.  [default: {default}]",
        ),
        unknown_option("What a category of --test is that TRAIN lacks."),
    )


class Judging(NamedTuple):
    """The rows to fit on and, where asked for, those to judge on."""

    train: Examples
    rows: Examples | None = None
    holdout: Holdout | None = None

    @property
    def where(self) -> str:
        """Which rows the model is judged on."""
        assert self.rows is not None
        n = self.rows.matrix.shape[0]
        if self.holdout is None:
            return f"{self.rows.path}, {n} rows"
        return f"{n} rows that were held out ({100.0 * self.holdout.share:g} %, seed {self.holdout.seed})"

    def marked(self, fit: Fit) -> Fit:
        """The fit, its model telling which rows it left out."""
        return fit._replace(model=fit.model._replace(holdout=self.holdout))

    def judge(self, model: LinearModel) -> Judged | None:
        """How the model does; None where nothing was asked for."""
        from empirisk.evaluation.files import judge_examples

        if self.rows is None:
            return None
        with blaming(self.rows.path):
            return judge_examples(model, self.rows)

    def future_error(self, model: LinearModel) -> RiskBound | None:
        """A bound on the error of new rows: by a test on the rows to judge on, where there are some."""
        from empirisk.evaluation.files import future_error

        return future_error(model, self.train, self.rows)

    def to_json(self, judged: Judged | None) -> dict[str, Any] | None:
        """Where, and how well."""
        if self.rows is None or judged is None:
            return None
        where = {"data": self.rows.path, "holdout": None if self.holdout is None else self.holdout._asdict()}
        return where | judged.score.to_json()


def future_json(bound: RiskBound | None) -> dict[str, Any] | None:
    """The bound on the error of new rows, for JSON and the summary."""
    if bound is None:
        return None
    names = ("kind", "value", "delta", "is_vacuous")
    told = {"at_most": bound.at_most(), "sentence": bound.sentence()}
    return {**{name: getattr(bound, name) for name in names}, **told}


def check_judging(asked: dict[str, Any]) -> None:
    """Refuse options that exclude each other, before anything is read."""
    if asked["test"] is not None and asked["holdout"] is not None:
        raise click.UsageError("--test and --holdout both say which rows to judge on: give one of them")


def rows_to_judge(examples: Examples, asked: dict[str, Any], task: str, reading: Reading, quiet: bool) -> Judging:
    """What --test and --holdout ask for; a file to judge on is read before the fit, so that its errors come first."""
    from empirisk.models.reading import read_for_model
    from empirisk.models.validation.holdout import Holdout

    if asked["test"] is not None:
        rows = read_for_model(
            examples,
            asked["test"],
            reading.format,
            unknown=asked["unknown"],
            labeled=True,
            dialect=reading.dialect,
        )
        say_remarks(rows, quiet)
        return Judging(examples, rows)
    if asked["holdout"] is None:
        return Judging(examples)
    assert examples.labels is not None
    holdout = Holdout(asked["holdout"], asked["seed"], examples.labels.size)
    with _as_usage():
        fitted, held = holdout.split(examples.labels, examples.weights, task == "classification")
    train, rows = examples.parted(fitted, held)
    for remark in rows.remarks:
        say(remark, quiet)
    return Judging(train, rows, holdout)


@contextlib.contextmanager
def _as_usage() -> Iterator[None]:
    from empirisk.protocols import Unsupported

    try:
        yield
    except Unsupported as error:
        raise click.UsageError(f"--{error}".replace("=", " ", 1)) from None

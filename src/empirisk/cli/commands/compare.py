"""empirisk compare: several losses and strengths on the same rows, in one table."""

from __future__ import annotations

import itertools
import shlex
from typing import TYPE_CHECKING, Any

import click

from empirisk.cli.class_weights import of_labels
from empirisk.cli.compiling import compiling, on_rows
from empirisk.cli.errors import UNCERTIFIED
from empirisk.cli.fit_options import options_of, run_options, strength
from empirisk.cli.grid import emit_grid
from empirisk.cli.help import Command
from empirisk.cli.judging import Judging, check_judging, judging_options, rows_to_judge
from empirisk.cli.options import json_option, level_option, quiet_option
from empirisk.cli.output import check_writable, emit, emit_json, emit_table, say
from empirisk.cli.progress import progress
from empirisk.cli.reading import Reading, read_examples, reading_options
from empirisk.cli.wording import as_options

if TYPE_CHECKING:
    from empirisk.evaluation.comparison import Compared
    from empirisk.models.examples import Examples

HELD_OUT = 0.2  # unless --test, --holdout or --folds says otherwise
# Of the table, beside the measure that it is sorted by.
SHOWN = {
    "classification": ("error", "auc_roc", "log_loss"),
    "regression": ("root_mean_squared_error", "mean_absolute_error", "r_squared"),
}
MEASURES = {
    "classification": ("error", "accuracy", "balanced_accuracy", "auc_roc", "auc_pr", "log_loss", "brier"),
    "regression": ("root_mean_squared_error", "mean_absolute_error", "r_squared", "pinball_loss"),
}
CROSS_VALIDATION = {"folds": 5, "strengths": 20}  # of a strength that is cv


def losses(text: Any) -> tuple[str, ...]:
    """Names with commas between them; parameters of a loss have commas between them too."""
    found: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        if found and "=" in part and ":" not in part:
            found[-1] += f",{part}"
        else:
            found.append(part)
    return tuple(dict.fromkeys(found))


def strengths(text: Any) -> tuple[Any, ...]:
    """Numbers, or cv, with commas between them."""
    return tuple(dict.fromkeys(strength(part.strip()) for part in str(text).split(",")))


@click.command(
    "compare",
    cls=Command,
    kinds=("losses",),
    examples=(
        "compare train.csv --losses logistic,hinge,squared_hinge --l2 1e-4,1e-2,1 --standardize",
        "compare prices.csv --label price --losses squared,huber:delta=2,quantile --folds 5 --report page.html",
        "compare train.csv --losses logistic --l1 0,1e-3,1e-2 --l2 0 --test later.csv --by log_loss",
    ),
)
@click.argument("train")
@click.option("--losses", type=losses, metavar="NAMES", help="With commas between them.  [default: that of the task]")
@click.option("--l1", default="0", type=strengths, show_default=True, help="Strengths, with commas; cv chooses one.")
@click.option("--l2", default="1e-4", type=strengths, show_default=True, help="Strengths, with commas; cv chooses one.")
@judging_options(f"{HELD_OUT:g}, without --test and --folds")
@click.option("--folds", type=click.IntRange(min=2), help="Judge on so many folds in turn, by fits on the others.")
@click.option(
    "--by",
    type=click.Choice(list(dict.fromkeys(itertools.chain(*MEASURES.values())))),
    help="Sort by this on the held-out rows.  [default: error, or root_mean_squared_error]",
)
@level_option
@run_options
@reading_options()
@click.option("--report", metavar="FILE", help="Write table and picture as one HTML page.")
@json_option
@quiet_option
def command(
    train: str,
    report: str | None,
    reading: Reading,
    folds: int | None,
    by: str | None,
    level: float,
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> int:
    """Fit every loss with every strength to TRAIN, and judge all on the same rows that were left out.

    Exit code 0 when every fit is certified, 1 when one is not, or could not be made.
    """
    check_judging(asked)
    if folds is not None and (asked["test"] is not None or asked["holdout"] is not None):
        raise click.UsageError("--folds judges on all rows in turn: give it without --test and --holdout")
    if report is not None:
        check_writable(report, [train] if asked["test"] is None else [train, asked["test"]])
    if folds is None and asked["test"] is None and asked["holdout"] is None:
        asked["holdout"] = HELD_OUT
    from empirisk.evaluation.comparison import FIRST, compare, ranked
    from empirisk.models.task import check_labels, task_of

    with compiling("options", quiet):  # refuses names that nothing has before the data are read
        for loss in asked["losses"] or (None,):
            options_of({**asked, **CROSS_VALIDATION, "loss": loss, "l1": 0.0, "l2": 0.0}, None)
    examples = read_examples(train, reading, quiet, encoded=asked["test"] is not None)
    task, why = task_of(examples, asked["task"] or _task_of_losses(asked["losses"]), None, asked["multiclass"])
    say(f"Task: {task}, because {as_options(why)}.", quiet)
    check_labels(examples, task)
    by = by or FIRST[task]
    if by not in MEASURES[task]:
        raise click.UsageError(f"--by {by} is not a measure of a {task}; these are: {', '.join(MEASURES[task])}")
    if isinstance(asked["class_weight"], dict) and task == "classification":
        assert examples.labels is not None
        asked["class_weight"] = of_labels(asked["class_weight"], examples.labels)
    judging = rows_to_judge(examples, asked, task, reading, quiet)
    what = on_rows(", ".join(asked["losses"] or (f"a {task}",)), judging.train.matrix)
    with progress(quiet, what) as on_event:
        found = compare(
            judging.train,
            judging.rows,
            _candidates(asked, task),
            folds=folds or 0,
            seed=asked["seed"],
            level=level,
            on_event=on_event,
        )
    found = ranked(found, by)
    where = f"{folds} folds in turn" if folds is not None else judging.where
    others = [name for name in SHOWN[task] if name != by]
    if report is not None:
        _write_page(report, found, by, others, where, examples)
    if as_json:
        emit_json(_as_json(found, task, by, judging, folds) | {"report": report})
    else:
        _emit(found, by, others, where, examples, judging, report)
    return 0 if all(one.certified for one in found) else UNCERTIFIED


def _task_of_losses(names: tuple[str, ...] | None) -> str | None:
    """What all of them are for, and nothing else; None where they leave it open."""
    from empirisk.capabilities import tasks_of
    from empirisk.losses import as_loss

    tasks = {tasks_of(as_loss(name)) for name in names or ()}
    return next(iter(tasks))[0] if len(tasks) == 1 and len(next(iter(tasks))) == 1 else None


def _candidates(asked: dict[str, Any], task: str) -> list[Any]:
    """The options of each fit; what cannot be asked for tells why."""
    from empirisk.evaluation.comparison import Compared

    found: list[Any] = []
    for loss, l1, l2 in itertools.product(asked["losses"] or (None,), asked["l1"], asked["l2"]):
        try:
            found.append(options_of({**asked, **CROSS_VALIDATION, "loss": loss, "l1": l1, "l2": l2}, task))
        except click.UsageError as error:
            found.append(Compared(loss or "", l1, l2, failure=error.message))
    return found


def _as_json(found: list[Compared], task: str, by: str, judging: Judging, folds: int | None) -> dict[str, Any]:
    rows = judging.rows
    where = {
        "data": None if rows is None else rows.path,
        "holdout": None if judging.holdout is None else judging.holdout._asdict(),
        "folds": folds,
    }
    return {"task": task, "by": by, "judged_on": where, "candidates": [one.to_json() for one in found]}


def _emit(
    found: list[Compared],
    by: str,
    others: list[str],
    where: str,
    examples: Examples,
    judging: Judging,
    report: str | None,
) -> None:
    from empirisk.evaluation.words import NAMES, ends_of, percent, told
    from empirisk.progress import duration

    rows = [("Data", f"{examples.path}: {judging.train.n_rows} rows to fit on"), ("Judged", f"on {where}")]
    emit_table([*rows, *([] if report is None else [("Report", report)])])
    emit("\n")
    fitted = [one for one in found if one.train is not None and one.held_out is not None]
    if fitted:
        level = next((i.level for one in fitted if (m := one.measure(by)) is not None and (i := m.interval)), None)
        interval = "interval" if level is None else f"{percent(level)} interval"
        head = ["loss", "l1", "l2", f"train {NAMES[by]}", f"held-out {NAMES[by]}", interval]
        table = [[*head, *(NAMES[name] for name in others), "non-zero", "time", "certified"]]
        for one in fitted:
            assert one.train is not None
            assert one.held_out is not None
            held = one.held_out.measures()
            cells = [told(one.train.measures()[by].value), told(held[by].value), ends_of(held[by])]
            cells += [told(held[name].value) for name in others]
            cells += [f"{one.nonzero} of {one.n_weights}", duration(one.seconds), "yes" if one.certified else "no"]
            table.append([one.loss, one.strength("l1"), one.strength("l2"), *cells])
        emit_grid(table)
    failed: dict[tuple[str, str], list[Compared]] = {}
    for one in found:
        if one.failure:
            failed.setdefault((one.loss, one.failure), []).append(one)
    if failed:
        emit("\n" if fitted else "")
        for (loss, why), same in failed.items():
            which = same[0].name if len(same) == 1 else f"{loss}, {len(same)} times"
            emit_table([("Failed", f"{which}: {as_options(why)}")])


def _write_page(path: str, found: list[Compared], by: str, others: list[str], where: str, examples: Examples) -> None:
    from empirisk.report.comparison_page import write_comparison

    write_comparison(
        path,
        found=found,
        by=by,
        columns=others,
        where=where,
        data_name=examples.path,
        command=shlex.join(["empirisk", *click.get_current_context().meta["arguments"]]),
    )

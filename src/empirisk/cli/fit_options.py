"""The options of a fit: what is minimised, how, and how far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from empirisk.cli.class_weights import class_weight
from empirisk.cli.listing import names
from empirisk.cli.options import (
    Decorator,
    max_passes_option,
    no_intercept_option,
    seed_option,
    time_limit_option,
    together,
    tol_option,
)
from empirisk.cli.wording import as_options
from empirisk.near_names import near

if TYPE_CHECKING:
    from empirisk.models import FitOptions


def strength(text: Any) -> Any:
    """A number, or cv."""
    try:
        return text if text == "cv" else float(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is neither a number nor cv.") from None


penalty_options: Decorator = together(
    click.option("--loss", metavar="NAME", help="Such as logistic, hinge or squared, or huber:delta=2."),
    click.option(
        "--l1", default=0.0, type=strength, show_default=True, help="Strength of the l1 penalty; cv to cross-validate."
    ),
    click.option(
        "--l2", default=1e-4, type=strength, show_default=True, help="Strength of the l2 penalty; cv to cross-validate."
    ),
    click.option("--folds", default=5, type=click.IntRange(min=2), show_default=True, help="Of the cross-validation."),
    click.option(
        "--strengths",
        default=20,
        type=click.IntRange(min=2),
        show_default=True,
        help="How many the cross-validation tries.",
    ),
)

# What holds for every fit, whatever its loss and penalty.
run_options: Decorator = together(
    click.option("--constraint", metavar="NAME", help="Where the weights must lie, such as l2_ball:radius=2 or box."),
    click.option(
        "--multiclass",
        type=click.Choice(["auto", "softmax", "one_vs_rest"]),
        default="auto",
        show_default=True,
        help="For three classes or more; auto is softmax for logistic.",
    ),
    no_intercept_option("Fit a plane through the origin."),
    click.option("--solver", default="auto", show_default=True, metavar="NAME", help="Such as newton, lbfgs or sdca."),
    tol_option(),
    max_passes_option("Passes over the data, after which no step begins."),
    time_limit_option(help="Seconds of work, after which no step begins; the best point so far is taken."),
    seed_option("For solvers that sample, and for rows that are drawn."),
    click.option(
        "--threads",
        type=click.IntRange(min=1),
        help="How many threads; the answer does not depend on it.  [default: all cores]",
    ),
    click.option("--task", type=click.Choice(["classification", "regression"]), help="[default: from the labels]"),
    click.option(
        "--class-weight",
        type=class_weight,
        metavar="WEIGHTS",
        help="balanced, so that every class weighs the same, or labels with weights such as yes=5,no=1.",
    ),
    click.option("--standardize", is_flag=True, help="Scale the columns to mean zero and variance one for the fit."),
)

fit_options: Decorator = together(
    penalty_options,
    run_options,
    click.option("--keep", is_flag=True, help="On Ctrl-C write the model that was reached, uncertified."),
)


def options_of(asked: dict[str, Any], task: str | None) -> FitOptions:
    """The options, checked; a wrong one is an error of usage."""
    from empirisk.capabilities import tasks_of
    from empirisk.losses import as_loss
    from empirisk.models import FitOptions

    try:
        if task is None:  # not known before the labels are
            task = "classification" if asked["loss"] is None else tasks_of(as_loss(asked["loss"]))[0]
        elif task == "regression" and asked["class_weight"] is not None:
            raise ValueError("--class-weight is for classification, and this is a regression")
        elif task == "regression" and asked["multiclass"] != "auto":
            raise ValueError("--multiclass is for classification, and this is a regression")
        return FitOptions(
            task=task,
            loss=asked["loss"],
            l1=asked["l1"],
            l2=asked["l2"],
            constraint=asked["constraint"],
            multiclass=asked["multiclass"],
            fit_intercept=not asked["no_intercept"],
            class_weight=asked["class_weight"],
            solver=asked["solver"],
            tol=asked["tol"],
            max_passes=asked["max_passes"],
            random_state=asked["seed"],
            n_threads=asked["threads"],
            standardize=asked["standardize"],
            folds=asked["folds"],
            n_strengths=asked["strengths"],
            time_limit=asked["time_limit"],
        ).checked()
    except (TypeError, ValueError) as error:
        raise click.UsageError(of_fit(str(error)) + _meant(asked)) from None


def _meant(asked: dict[str, Any]) -> str:
    """The names that the first wrong one of a loss, a constraint or a solver may have been."""
    for option, kind in (("loss", "losses"), ("constraint", "constraints"), ("solver", "solvers")):
        name = (asked[option] or "").partition(":")[0]
        if name not in ("", "auto", *names(kind)):
            return near(name, names(kind))
    return ""


def of_fit(sentence: str) -> str:
    """A sentence about a parameter of the fit, as one about the option."""
    return as_options(sentence, {parameter.name for parameter in click.get_current_context().command.params})

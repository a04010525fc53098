"""empirisk bound: how wrong a model will be on future rows, with the certificate."""

from __future__ import annotations

from typing import Any

import click

from empirisk.cli.compiling import compiling
from empirisk.cli.errors import UNCERTIFIED, BadData, Usage
from empirisk.cli.help import Command
from empirisk.cli.options import asked_dialect, format_option, json_option, quiet_option
from empirisk.cli.output import check_writable, emit_json, emit_table
from empirisk.cli.reading import blaming, say_remarks

NO_CLIP = "a regression needs --clip, fixed before these rows were looked at: losses above it count as it"


@click.command(
    "bound",
    cls=Command,
    examples=(
        "bound model train.csv",
        "bound model test.csv --delta 0.01 -o bound.json",
        "bound model test.csv --check bound.json --json",
    ),
)
@click.argument("model")
@click.argument("data")
@click.option("--kind", default="auto", show_default=True, help="Which bound: vc_tail, vapnik, vc_sparse, test ...")
@click.option("--delta", type=float, default=0.05, show_default=True, help="How often it may fail.")
@click.option("--clip", type=float, help="Of a regression: losses above it count as it.")
@click.option("-o", "--output", metavar="FILE", help="Write the certificate as JSON.")
@click.option("--check", metavar="FILE", help="Recompute the certificate in this file instead.")
@click.option("--label", metavar="COLUMN", help="The label.  [default: as in the fit]")
@format_option("that of the training data")
@json_option
@quiet_option
def command(
    model: str,
    data: str,
    kind: str,
    delta: float,
    clip: float | None,
    output: str | None,
    check: str | None,
    label: str | None,
    format: str | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Bound the error of MODEL on future rows, from DATA (- for standard input): the rows of its fit, or others.

    Exit code 1 when the bound says nothing, or when the one of --check does not hold.
    """
    if check is not None:
        for name in ("output", "clip", "kind", "delta"):
            _refuse_beside_check(name)
    if output is not None:
        check_writable(output, [model, data])
    from empirisk.capabilities import offers
    from empirisk.certificates import sealed_json
    from empirisk.evaluation.files import as_classes
    from empirisk.model_file import load, save
    from empirisk.models.future_error.bounding import check_kind
    from empirisk.models.reading import read_for_model
    from empirisk.parameters import check_positive, check_share

    try:
        check_kind(kind)
        check_share("delta", delta)
        if clip is not None:
            check_positive("clip", clip)
    except ValueError as wrong:
        raise Usage(str(wrong)) from None
    fitted = load(model)
    if not offers(fitted, "bound"):
        raise BadData(f"{model} holds no linear model, of which alone there are bounds")
    if check is None and (clip is None) == (fitted.classes is None):
        raise Usage(NO_CLIP if clip is None else "--clip is for a regression: a classifier is right or wrong")
    claim = None if check is None else load(check)
    examples = read_for_model(fitted, data, format, labeled=True, label=label, weighted=False, dialect=asked_dialect())
    say_remarks(examples, quiet)
    assert examples.labels is not None
    labels = examples.labels if fitted.classes is None else as_classes(examples.labels, fitted.classes)
    with blaming(examples.path), compiling("bounds", quiet):
        if check is not None:
            return _checked(fitted, claim, check, examples.matrix, labels, as_json)
        clipped = {} if clip is None else {"clip": clip}
        bound = fitted.bound(examples.matrix, labels, kind, delta, **clipped)
    if output is not None:
        save(bound, output)
    if as_json:
        emit_json({"model": model, "data": examples.path, "sentence": bound.sentence(), "bound": sealed_json(bound)})
    else:
        rows = [("Bound", bound.sentence()), ("Kind", bound.kind), ("Assumed", f"{bound.assumption}.")]
        rows.append(("From", ", ".join(f"{name} {_text(value)}" for name, value in bound.ingredients.items())))
        emit_table([*rows, *([] if output is None else [("Proof", output)])])
    return UNCERTIFIED if bound.is_vacuous else 0


def _refuse_beside_check(name: str) -> None:
    """The certificate of --check has its own kind, delta and clip, and nothing is written."""
    context = click.get_current_context()
    if context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
        option = next(parameter.opts[-1] for parameter in context.command.params if parameter.name == name)
        raise Usage(f"{option} has no part in --check, whose certificate says it all: give one of them")


def _checked(fitted: Any, bound: Any, name: str, X: Any, labels: Any, as_json: bool) -> int:
    from empirisk.bounds.risk_bound import RiskBound
    from empirisk.models.verification import verified_by_itself

    if not isinstance(bound, RiskBound):
        raise BadData(f"{name} holds no bound on the future error")
    if fitted.classes is None and not bound.classes:
        losses = fitted.clipped_losses(X, labels, bound.largest)
        verdict = verified_by_itself(bound, None, losses, None, None)
    else:
        verdict = verified_by_itself(bound, fitted.point, X, labels, None)
    if as_json:
        emit_json({"holds": verdict.holds, "claim": bound.sentence(), "verdict": verdict.sentence})
    else:
        emit_table([("Claim", bound.sentence()), ("Checked", verdict.sentence)])
    return 0 if verdict.holds and not bound.is_vacuous else UNCERTIFIED


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)

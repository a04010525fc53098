"""empirisk verify: does the certificate of a model hold on the data?"""

from __future__ import annotations

import click

from empirisk.cli.errors import UNCERTIFIED, BadData
from empirisk.cli.options import format_option
from empirisk.cli.output import emit_json, emit_table


@click.command("verify")
@click.argument("model")
@click.argument("data")
@click.option("--label", metavar="COLUMN", help="The label.  [default: as in the fit]")
@click.option("--weights", metavar="COLUMN", help="The weights of the examples.  [default: as in the fit]")
@format_option("that of the training data")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(model: str, data: str, label: str | None, weights: str | None, format: str | None, as_json: bool) -> int:
    """Recompute the certificate of MODEL from DATA, the data that it was fitted on (- for standard input).

    Exit code 0 when it holds and the gap is within the tolerance of the fit, 1 when not.
    """
    from empirisk.model_file import load
    from empirisk.models import verify
    from empirisk.models.reading import read_for_model
    from empirisk.protocols import Unsupported

    fitted = load(model)
    examples = read_for_model(fitted, data, format, labeled=True, label=label, weights=weights)
    try:
        verdict = verify(fitted, examples.matrix, examples.labels, examples.weights)
    except Unsupported:
        raise
    except (TypeError, ValueError) as error:
        raise BadData(f"{examples.path}: {error}") from None
    certificate, tol = fitted.certificate, fitted.options.tol
    within = certificate.is_within(tol)
    if as_json:
        emit_json(
            {
                "holds": verdict.holds,
                "certified": verdict.holds and within,
                "claim": certificate.sentence(),
                "verdict": verdict.sentence,
                "recomputed": dict(verdict.numbers),
                "tol": tol,
                "standardized": fitted.scaling is not None,
                "certificate": certificate.to_json(),
            }
        )
    else:
        rows = [("Claim", certificate.sentence())]
        if fitted.scaling is not None:
            rows.append(("Scaled", "The claim is about the standardised problem: columns scaled as in the model file."))
        rows.append(("Checked", verdict.sentence))
        if not verdict.holds:
            rows.append(("Verdict", "The certificate does not hold on these data."))
        elif within:
            rows.append(("Verdict", f"The certificate holds, within the tolerance {tol:g} of the fit."))
        else:
            rows.append(("Verdict", f"The certificate holds, but {certificate.shortfall(tol)}."))
        emit_table(rows)
    return 0 if verdict.holds and within else UNCERTIFIED

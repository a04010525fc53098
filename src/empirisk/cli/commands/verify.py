"""empirisk verify: does the certificate in a file hold on the data?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from empirisk.cli.compiling import compiling, on_rows
from empirisk.cli.errors import UNCERTIFIED, BadData, Usage
from empirisk.cli.help import Command
from empirisk.cli.options import format_option, json_option, tolerance
from empirisk.cli.output import emit_json, emit_table
from empirisk.cli.reading import Reading, blaming, reading_options
from empirisk.cli.stream.format import is_run_over_stream
from empirisk.cli.verify_command import USUAL_TOL

if TYPE_CHECKING:  # a command imports numpy when it runs
    from empirisk.models.examples import Examples
    from empirisk.models.online import OnlineModel
    from empirisk.protocols import Certificate, Verification

REGRET = "regret_bound"  # the kind whose rows may be those of a stream


@click.command(
    "verify",
    cls=Command,
    examples=(
        "verify model train.csv",
        "verify model train.csv --tol 1e-4 --json",
        "verify proof.json train.csv --label outcome",
    ),
)
@click.argument("file")
@click.argument("data")
@reading_options(
    label=click.option(
        "--label", metavar="COLUMN", help="The label.  [default: as in the fit; of a certificate as in separate]"
    ),
    weights=click.option(
        "--weights",
        metavar="COLUMN",
        help="The weights of the examples.  [default: as in the fit; of a certificate none]",
    ),
    format=format_option("that of the training data"),
)
@click.option("--tol", type=tolerance, help="What must be proven.  [default: that of the fit; of a certificate 1e-06]")
@click.option("--run", metavar="MODEL", help="Of a certificate of regret: read DATA as this run over a stream did.")
@json_option
def command(file: str, data: str, reading: Reading, tol: float | None, run: str | None, as_json: bool) -> int:
    """Recompute the certificate in FILE, a model or a certificate, from the data that it speaks of (- for stdin).

    A model knows its columns; a certificate is told of them by the options of the command that wrote it.

    Exit code 0 when it holds and proves what was asked, 1 when not, or when there is nothing to verify.
    """
    from empirisk.capabilities import name_of
    from empirisk.model_file import load
    from empirisk.models.reading import read_training
    from empirisk.models.verification import certificate_of, needs_labels, verify

    found = load(file)
    certificate = certificate_of(found)
    is_model = certificate is not found
    if run is not None and name_of(certificate) != REGRET:
        raise Usage("--run is for certificates of regret alone, which do not know their columns")
    if is_model:
        for name in reading.choices.asked():
            raise Usage(f"--{name.replace('_', '-')} is for certificates alone: a model knows its columns")
        verdict = _verified_model(found, data, reading)
    elif run is not None or _is_of_stream(certificate, data, reading):
        from empirisk.models.streams.claims import rows_of_claim

        with rows_of_claim(certificate, data, _loaded_run(run)) as met, compiling("verify"):
            verdict = verify(certificate, met)
    else:
        examples = read_training(
            data,
            reading.format,
            reading.label,
            reading.weights,
            labeled=needs_labels(certificate),
            choices=reading.choices,
            dialect=reading.dialect,
        )
        _check_columns(certificate, examples)
        verdict = _verified(found, examples)
    if tol is None:
        tol = found.tol if is_model else USUAL_TOL
    remark = found.remark() if is_model else ""
    told = found.told() if is_model else {}
    shortfall = found.shortfall(tol) if is_model else certificate.words(tol).shortfall
    claim = None if certificate is None else certificate.sentence()
    is_certified = verdict.holds and not shortfall
    if as_json:
        emit_json(
            {
                "holds": verdict.holds,
                "certified": is_certified,
                "claim": claim,
                "remark": remark,
                "verdict": verdict.sentence,
                "recomputed": dict(verdict.numbers),
                "tol": tol,
                "told": told,
                "certificate": _as_json(certificate),
            }
        )
    else:
        rows = [("Claim", claim), ("Remark", remark), ("Checked", verdict.sentence), ("Told", _by_the_file(told))]
        rows.append(("Verdict", _in_words(found, verdict, is_certified, shortfall)))
        emit_table((name, said) for name, said in rows if said)
    return 0 if is_certified else UNCERTIFIED


def _verified(found: Any, examples: Examples) -> Verification:
    from empirisk.models.verification import verify

    with blaming(examples.path), compiling(on_rows("verify", examples.matrix)):
        return verify(found, examples.matrix, examples.labels, examples.weights)


def _loaded_run(path: str | None) -> OnlineModel | None:
    """The run over a stream in a file."""
    from empirisk.model_file import load
    from empirisk.models.online import OnlineModel

    found = None if path is None else load(path)
    if found is None or (isinstance(found, OnlineModel) and found.row_format is not None):
        return found
    raise BadData(f"{path} holds {found!r:.100}, and no run over a stream with a certificate")


def _is_of_stream(certificate: Any, data: str, reading: Reading) -> bool:
    """Whether it is the regret of a run over svmlight rows, whose columns and labels are as the run saw them."""
    from empirisk.capabilities import name_of
    from empirisk.data.sources import STANDARD_INPUT, format_of, format_of_text, opened

    if name_of(certificate) != REGRET or reading.format not in (None, "svmlight"):
        return False
    if reading.format is not None or data == STANDARD_INPUT:
        return True
    with opened(data) as source:
        return (format_of(data, source) or format_of_text(source)) == "svmlight"


def _verified_model(model: Any, data: str, reading: Reading) -> Verification:
    """On the data as the model knows them; a run over a stream is played again as they are read."""
    from empirisk.capabilities import optional
    from empirisk.models.fitted import unknown_in_data_of
    from empirisk.models.reading import read_for_model

    own = optional(model, "verified_on_file")
    if own is not None:
        with compiling("verify"):
            verdict: Verification = own(data, reading.format, reading.dialect.encoding)
        return verdict
    if is_run_over_stream(model):
        from empirisk.models.streams.reading import check_format
        from empirisk.models.streams.replay import verified_over_stream

        check_format(model, reading.format)
        with compiling("verify on sparse rows"):
            return verified_over_stream(model, data)
    examples = read_for_model(
        model,
        data,
        reading.format,
        unknown=unknown_in_data_of(model),
        labeled=True,
        label=reading.label,
        weights=reading.weights,
        dialect=reading.dialect,
    )
    return _verified(model, examples)


def _as_json(certificate: Certificate | None) -> dict[str, Any] | None:
    """A file of its own, where the certificate says which problem it is about; else its numbers."""
    from empirisk.capabilities import offers
    from empirisk.certificates import sealed_json

    if certificate is None:
        return None
    return sealed_json(certificate) if offers(certificate, "problem_of") else certificate.to_json()


def _by_the_file(told: dict[str, Any]) -> str:
    """What the data cannot refute, marked as such."""
    if not told:
        return ""
    said = "; ".join(f"{name} {f'{value:g}' if isinstance(value, float) else value}" for name, value in told.items())
    return f"by the file, and not checked: {said}"


def _check_columns(certificate: Any, examples: Examples) -> None:
    """Refuse data of other columns in the words of a model's reader."""
    from empirisk.data.errors import DataError

    found = examples.matrix.shape[1]
    wanted = getattr(certificate, "n_columns", found)
    if wanted != found:
        said = f"expected {wanted} features as in the data of the certificate, found {found}"
        raise DataError(said, examples.path)


def _in_words(found: Any, verdict: Verification, is_certified: bool, shortfall: str) -> str:
    from empirisk.capabilities import optional
    from empirisk.models.verification import certificate_of

    if certificate_of(found) is None:
        own = optional(found, "concluded")
        return "There is nothing to verify." if own is None else str(own(verdict))
    if not verdict.holds:
        return "The certificate does not hold on these data."
    return f"The certificate holds, {'and proves what was asked' if is_certified else f'but {shortfall}'}."

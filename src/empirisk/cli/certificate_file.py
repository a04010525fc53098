"""Certificates as files of their own: the options that write and check them, how they are read and reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click

from empirisk.cli.errors import BadData
from empirisk.cli.output import check_writable, emit_json, emit_table


def certificate_options(command: Callable[..., int]) -> Callable[..., int]:
    """--output and --check."""
    check = click.option("--check", metavar="CERTIFICATE", help="Do not search: verify this certificate on DATA.")
    output = click.option("-o", "--output", metavar="CERTIFICATE", help="Write the certificate as JSON.")
    return output(check(command))


def check_output(output: str | None, check: str | None, data: str) -> None:
    """Refuse what cannot be written before anything is computed."""
    if output is not None and check is not None:
        raise click.UsageError("--output writes a new certificate and --check reads one: use one of them")
    if output == "-":
        raise click.UsageError("standard output is for the summary: give the certificate a file")
    if output is not None:
        check_writable(output, [data])


def read_certificate(path: str, *kinds: Any) -> Any:
    """The certificate in the file, of one of these classes."""
    from empirisk.protocols import name_of

    known = {name_of(kind): kind for kind in kinds}
    with open(path, "rb") as stream:
        text = stream.read()
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadData(f"{path}: expected a certificate, and this is not JSON ({error})") from None
    try:
        if not isinstance(content, dict) or content.get("kind") not in known:
            raise ValueError(f"expected a certificate of kind {' or '.join(known)}")
        return known[content["kind"]].from_json(content)
    except (ValueError, RecursionError) as error:
        raise BadData(f"{path}: {error}") from None


def emit_check(certificate: Any, verdict: Any, missing: str, as_json: bool, more: dict[str, Any]) -> None:
    """Print what the certificate claims and what the check of it says.

    `missing` is what it leaves open even where it holds, `more` is for the JSON object.
    """
    claim = certificate.sentence()
    if as_json:
        emit_json({"holds": verdict.holds, **more, "claim": claim, "verdict": verdict.sentence})
    else:
        said = f"The certificate holds{missing and f', but {missing}'}."
        said = said if verdict.holds else "The certificate does not hold on these data."
        emit_table([("Claim", claim), ("Checked", verdict.sentence), ("Verdict", said)])

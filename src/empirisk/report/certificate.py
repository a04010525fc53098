"""The section about the certificate: the claim, what it means, and what a reader must know of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from empirisk.protocols import Words
from empirisk.report.contents import Contents
from empirisk.report.markup import headline_number, safe, safe_command

NOT_MEANT = (
    "It does not say that predictions on new data will be good, that the loss and the penalties were well chosen, or "
    "that the data are right. It says how well the question that was asked has been answered."
)


def certificate_tiles(words: Words) -> list[tuple[str, str, str]]:
    """The numbers of the certificate that matter most: a name, a value and a note each."""
    return [
        (one.name, headline_number(one.value) if isinstance(one.value, float) else safe(one.value), safe(one.note))
        for one in words.headline
    ]


def certificate_section(contents: Contents) -> str:
    """The claim, whether it is what was asked, what it means and how to check it."""
    model, certificate = contents.model, contents.model.certificate
    return claim_section(
        certificate.sentence(),
        certificate.words(model.options.tol),
        NOT_MEANT,
        contents.verify_command,
        list(_notes(contents)),
        is_proven=model.certified,
    )


def claim_section(
    claim: str, words: Words, not_meant: str, verify_command: str, notes: Sequence[str], *, is_proven: bool
) -> str:
    """A claim, what it means and does not, and how to check it; `notes` and `not_meant` are markup."""
    style = "claim" if is_proven else "claim no"
    return (
        f'<section><h2>The certificate</h2><p class="{style}">{safe(claim, 400)}</p>'
        f"{''.join(f'<p>{note}</p>' for note in notes)}"
        f'<div class="pair"><div><h3>What it means</h3><p>{safe(words.meaning, 2000)}</p></div>'
        f"<div><h3>What it does not mean</h3><p>{not_meant}</p><h3>Check it yourself</h3>"
        f"<p>From the data and the model file alone, this command computes again {safe(words.checked)}:</p>"
        f"<pre><code>{safe_command(verify_command)}</code></pre></div></div></section>"
    )


def _notes(contents: Contents) -> Iterable[str]:
    """What a reader must know of this certificate in particular."""
    model = contents.model
    for note in model.certificate.words(model.options.tol).notes:
        yield safe(note, 400)
    if not model.certified:
        yield f"What may help: {safe(model.advice(), 400)}."
    if contents.solution.certified and not model.certified:
        yield (
            "The solver did reach the tolerance on the standardised columns; rounding, when the weights were carried "
            "over to the columns as they are, took it away again."
        )
    if model.scaling is not None:
        what = "shifted to mean zero and divided by" if np.any(model.scaling.shift) else "divided by"
        yield (
            f"<strong>The columns were standardised</strong> ({what} their standard deviation), and the certificate is "
            "for that standardised problem: the penalties act on the standardised weights. The weights shown below are "
            "for the columns as they are; they predict the same."
        )

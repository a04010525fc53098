"""The section about the certificate: the claim, what it means, and what a reader must know of it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from empirisk.report.contents import Contents
from empirisk.report.markup import headline_number, safe, safe_command


def certificate_tiles(contents: Contents) -> list[tuple[str, str, str]]:
    """The numbers of the certificate that matter most: a name, a value and a note each."""
    return [
        (one.name, headline_number(one.value) if isinstance(one.value, float) else safe(one.value), safe(one.note))
        for one in contents.model.certificate.words(contents.model.options.tol).headline
    ]


def certificate_section(contents: Contents) -> str:
    """The claim, whether it is what was asked, what it means and how to check it."""
    model, certificate = contents.model, contents.model.certificate
    parts = [
        "<section><h2>The certificate</h2>",
        f'<p class="claim{"" if model.certified else " no"}">{safe(certificate.sentence(), 400)}</p>',
    ]
    parts += [f"<p>{note}</p>" for note in _notes(contents)]
    words = certificate.words(model.options.tol)
    meaning, checked = safe(words.meaning, 2000), safe(words.checked)
    parts.append(f'<div class="pair"><div><h3>What it means</h3><p>{meaning}</p></div>')
    parts.append(
        "<div><h3>What it does not mean</h3><p>It does not say that predictions on new data will be good, that the "
        "loss and the penalties were well chosen, or that the data are right. It says how well the question that was "
        f"asked has been answered.</p><h3>Check it yourself</h3><p>This command computes {checked} again, from the "
        f"data and the model file alone:</p><pre><code>{safe_command(contents.verify_command)}</code></pre></div></div>"
        "</section>"
    )
    return "".join(parts)


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

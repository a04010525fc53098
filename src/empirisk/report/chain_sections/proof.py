"""The section about what is proven of the model, or why nothing is."""

from __future__ import annotations

from collections.abc import Iterator

from empirisk.capabilities import optional
from empirisk.report.certificate import claim_section
from empirisk.report.chain_sections.contents import ChainContents
from empirisk.report.markup import safe

OF_GAPS = (
    "It does not say how well new text will be labelled: a small gap is no high F1, and weights that are further from "
    "the minimum may label new text as well or better."
)
OF_VERDICTS = (
    "It does not say how well new text will be labelled: weights that have every training sequence right may have a "
    "low F1 on new ones, and weights that cannot a high one."
)
OF_COUNTS = (
    "It does not say how well new text will be labelled: these weights make the words and labels of the file likely "
    "together, and others may tell the labels of given words better and have a higher F1."
)
OF_LOSSES = {"perceptron": OF_VERDICTS, "generative": OF_COUNTS}
OF_ALL = (
    "That is what sequences which took no part in the training tell: <code>empirisk tag eval</code>, or "
    "<code>--dev</code>. Nor does it say that the attributes and the options were well chosen, or that the labels of "
    "the file are right."
)
MOST_LABELINGS = 8


def proof_section(contents: ChainContents) -> str:
    """The claim, what it means, what it does not, and how to check it."""
    model = contents.model
    if model.certificate is None:
        return (
            f'<section><h2>The certificate</h2><p class="claim no">Nothing is proven of these weights.</p>'
            f"<p>{safe(model.reason, 2000)}</p></section>"
        )
    words = model.certificate.words(model.tol)
    return claim_section(
        model.certificate.sentence(),
        words,
        f"{OF_LOSSES.get(model.options.loss, OF_GAPS)} {OF_ALL}",
        contents.verify_command,
        list(_notes(contents)),
        is_proven=model.certified,
    )


def _notes(contents: ChainContents) -> Iterator[str]:
    model = contents.model
    assert model.certificate is not None
    if model.shortfall(model.tol):
        yield f"Not all that was asked is proven: {safe(model.shortfall(model.tol), 400)}."
    for note in model.certificate.words(model.tol).notes:
        yield safe(note, 400)
    listed = optional(model.certificate, "listed")
    if listed is not None:
        tokens, starts = contents.tokens, contents.data.sequences.starts
        lines = listed(tokens.place, lambda j, t: contents.word(int(starts[j]) + t))
        yield "The labelings, each with its weight, and where it differs from the true one:"
        yield from (f'<span class="soft">{safe(line, 600)}</span>' for line in lines[:MOST_LABELINGS])
        if len(lines) > MOST_LABELINGS:
            yield f'<span class="soft">and {len(lines) - MOST_LABELINGS:,} more, in the model file.</span>'

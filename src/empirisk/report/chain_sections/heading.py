"""The title of the page and the numbers that matter most."""

from __future__ import annotations

import numpy as np

from empirisk.chains.verdicts.conflict import SequenceConflict
from empirisk.report.certificate import certificate_tiles
from empirisk.report.chain_sections.contents import ChainContents
from empirisk.report.document import tiles
from empirisk.report.markup import count, duration, number, safe, share

YES, NO = "✓ Proven", "✗ Not proven"


def heading(contents: ChainContents) -> str:
    """Name, kind, verdict and tiles."""
    model = contents.model
    errors = model.errors
    shown = [] if model.certificate is None else certificate_tiles(model.certificate.words(model.tol))
    nonzero = int(np.count_nonzero(model.weights))
    shown += [
        (
            "Tokens right",
            _right(errors.tokens - errors.wrong_tokens, errors.tokens),
            f"{errors.wrong_tokens:,} of {errors.tokens:,} wrong, in the fit",
        ),
        (
            "Sequences wrong",
            share(errors.wrong_sequences, errors.sequences),
            f"{errors.wrong_sequences:,} of {errors.sequences:,}, in the fit",
        ),
    ]
    if contents.judged is not None:
        chunks, found = contents.judged.chunks, contents.judged.errors
        where = f"on {safe(contents.judged_on, 60)}"
        if chunks is not None:
            shown.append(("F1", f"{100.0 * chunks.f1:.2f}", f"of chunks, {where}"))
        else:
            shown.append(("Tokens right", _right(found.tokens - found.wrong_tokens, found.tokens), where))
    shown += [
        ("Passes", number(model.passes, 6), "over the sequences"),
        ("Time", duration(contents.seconds), _compiling(contents)),
        ("Non-zero weights", f"{nonzero:,}", f"of {model.weights.size:,}"),
    ]
    badge = f'<span class="badge yes">{YES}</span>' if model.certified else f'<span class="badge no">{NO}</span>'
    sizes = {"sequence": errors.sequences, "token": errors.tokens, "label": len(contents.labels)}
    size = ", ".join(count(n, what) for what, n in sizes.items())
    return (
        f'<header><p class="kicker">empirisk tag fit</p><h1>{safe(contents.data_name)}</h1>'
        f'<p class="soft">Model of sequences, {safe(loss_text(contents))}, {size}</p>'
        f'<p class="verdict">{badge}<span>{safe(_verdict(contents), 400)}</span></p>'
        f"{tiles(shown)}</header>"
    )


def _right(part: int, whole: int) -> str:
    """A percentage, rounded down: 100 % are all."""
    return (
        share(part, whole) if 1000 * part <= 999 * whole or part == whole else f"{part * 10000 // whole / 100}\u00a0%"
    )


def _verdict(contents: ChainContents) -> str:
    """How it ended; of a proof that there is nothing to be reached, that too."""
    status = contents.model.status.removeprefix("certified: ")
    said = f"{status[:1].upper()}{status[1:]}."
    proof = contents.model.certificate
    is_refuted = isinstance(proof, SequenceConflict) and proof.is_realisable is False
    return said + (" No weights have every sequence right." if is_refuted else "")


def loss_text(contents: ChainContents) -> str:
    """What was trained, in a few words."""
    options = contents.model.options
    if options.loss == "margin":
        return f"margin with the cost {options.cost}" if isinstance(options.cost, str) else "margin with a cost matrix"
    if options.loss == "perceptron":
        return "averaged perceptron" if options.average else "perceptron"
    return str(options.loss)


def _compiling(contents: ChainContents) -> str:
    if contents.compile_seconds < 0.0005:
        return "of training"
    return f"of training; {duration(contents.compile_seconds)} of compiling are not in it"

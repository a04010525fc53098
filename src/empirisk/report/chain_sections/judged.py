"""How the model does on sequences that took no part in the fit: tokens, sequences, and chunks by type."""

from __future__ import annotations

from empirisk.chains.chunks import ChunkScore
from empirisk.report.chain_sections.contents import ChainContents
from empirisk.report.markup import count, safe, share

MOST_TYPES = 60


def judged_section(contents: ChainContents) -> str:
    """Nothing where there are none."""
    if contents.judged is None:
        return ""
    errors, chunks = contents.judged.errors, contents.judged.chunks
    said = (
        f"{share(errors.tokens - errors.wrong_tokens, errors.tokens)} of {count(errors.tokens, 'token')} right, "
        f"{share(errors.wrong_sequences, errors.sequences)} of {count(errors.sequences, 'sequence')} with a wrong "
        "label."
    )
    return (
        f"<section><h2>How good it is on {safe(contents.judged_on)}</h2><p>{said}</p>"
        f"{'' if chunks is None else _by_type(chunks)}</section>"
    )


def _by_type(chunks: ChunkScore) -> str:
    total = _row("all", int(chunks.true.sum()), int(chunks.found.sum()), int(chunks.right.sum()), chunks.f1)
    counts = zip(chunks.types, chunks.true.tolist(), chunks.found.tolist(), chunks.right.tolist(), strict=True)
    rows = [_row(*one, float(f1)) for one, f1 in zip(counts, chunks.f1s, strict=True)][:MOST_TYPES]
    more = len(chunks.types) - len(rows)
    note = f'<p class="soft">And {more:,} types more.</p>' if more else ""
    head = "".join(f'<th scope="col">{said}</th>' for said in ("True", "Found", "Right", "Precision", "Recall", "F1"))
    return (
        "<p>A chunk is right when its first token, its last one and its type are: tags are read as conlleval does, "
        'B-NP begins a chunk of the type NP.</p><div class="scroll"><table><thead><tr><th scope="col">Type</th>'
        f"{head}</tr></thead><tbody>{total}</tbody><tbody>{''.join(rows)}</tbody></table></div>{note}"
    )


def _row(kind: str, true: int, found: int, right: int, f1: float) -> str:
    parts = (_percent(right, found), _percent(right, true), f"{100.0 * f1:.2f}")
    cells = [f"{true:,}", f"{found:,}", f"{right:,}", *parts]
    return f'<tr><th scope="row"><bdi>{safe(kind, 60)}</bdi></th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def _percent(part: int, whole: int) -> str:
    """As conlleval prints it; nothing of nothing is 0."""
    return f"{100.0 * part / whole if whole else 0.0:.2f}\u00a0%"

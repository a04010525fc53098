"""How well a model of sequences labels a file: tokens, chunks, sequences."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from empirisk.chains.chunks import ChunkScore, chunk_score
from empirisk.chains.gold import numbers_of
from empirisk.chains.scoring import TokenErrors, token_errors
from empirisk.models.chains.files import Tokens
from empirisk.models.chains.model import ChainModel
from empirisk.rows.threads import available_threads

CHUNK = re.compile("[BIESUL]-")  # how the label of a chunk begins


class Judged(NamedTuple):
    """What was counted."""

    errors: TokenErrors
    chunks: ChunkScore | None  # None where no label is that of a chunk, B-NP: parts of speech have none

    def to_json(self) -> dict[str, Any]:
        """All numbers."""
        errors, chunks = self.errors, self.chunks
        facts: dict[str, Any] = {
            **errors._asdict(),
            "token_accuracy": errors.accuracy,
            "sequence_error": errors.sequence_error,
        }
        if chunks is None:
            return facts
        counts = zip(chunks.types, chunks.true.tolist(), chunks.found.tolist(), chunks.right.tolist(), strict=True)
        return facts | {
            "precision": chunks.precision,
            "recall": chunks.recall,
            "f1": chunks.f1,
            "types": {kind: {"true": true, "found": found, "right": right} for kind, true, found, right in counts},
        }

    def sequences_line(self) -> str:
        """How many sequences have a wrong label."""
        errors = self.errors
        return f"sequences: {errors.wrong_sequences} of {errors.sequences} wrong ({100 * errors.sequence_error:.2f}%)."

    def text(self) -> str:
        """The lines of conlleval, or of labels that are none of chunks the share that is right; and of sequences."""
        errors = self.errors
        share = f"accuracy: {100 * errors.accuracy:6.2f}% of {errors.tokens} tokens."
        lines = [share] if self.chunks is None else self.chunks.lines()
        return "\n".join([*lines, self.sequences_line()]) + "\n"

    def rows(self) -> list[tuple[str, str]]:
        """For the summary of a training."""
        said = [] if self.chunks is None else [f"F1 {100 * self.chunks.f1:.2f}"]
        said.append(f"{100 * self.errors.accuracy:.2f} % of tokens right")
        said.append(f"{100 * self.errors.sequence_error:.2f} % of sequences wrong")
        return [("Judged", ", ".join(said))]


def judged(model: ChainModel, tokens: Tokens, label: str | None = None, strict: str | None = None) -> Judged:
    """Label the sequences of a file and count; a label that was never trained is wrong whatever is said."""
    truth = tokens.labels(model.features.templates, model.label_name if label is None else label)
    flat = [tag for tags in truth for tag in tags]
    known = [str(tag) for tag in model.classes.tolist()]
    names = np.array([*known, *sorted({*flat} - {*known})], dtype=object)
    sequences = model.encode(tokens.found)
    answers = model.tagger.predict(sequences, None, model.options.n_threads or available_threads())
    numbers = numbers_of(flat, names)
    are_chunks = strict is not None or any(CHUNK.match(name) for name in names.tolist())
    chunks = chunk_score(numbers, answers, names.tolist(), tokens.starts, strict) if are_chunks else None
    return Judged(token_errors(numbers, answers, tokens.starts), chunks)

"""How well a model of sequences labels a file: tokens, chunks, sequences."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.chains.chunks import ChunkScore, chunk_score
from empirisk.chains.gold import numbers_of
from empirisk.chains.scoring import TokenErrors, token_errors
from empirisk.models.chains.files import Tokens
from empirisk.models.chains.model import ChainModel
from empirisk.rows.threads import available_threads


class Judged(NamedTuple):
    """What was counted."""

    errors: TokenErrors
    chunks: ChunkScore

    def to_json(self) -> dict[str, Any]:
        """All numbers."""
        errors, chunks = self.errors, self.chunks
        counts = zip(chunks.types, chunks.true.tolist(), chunks.found.tolist(), chunks.right.tolist(), strict=True)
        return {
            **errors._asdict(),
            "token_accuracy": errors.accuracy,
            "sequence_error": errors.sequence_error,
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
        """The lines of conlleval, and one for sequences."""
        return "\n".join([*self.chunks.lines(), self.sequences_line()]) + "\n"

    def rows(self) -> list[tuple[str, str]]:
        """For the summary of a training."""
        f1 = f"F1 {100 * self.chunks.f1:.2f}, {100 * self.errors.accuracy:.2f} % of tokens right"
        return [("Judged", f"{f1}, {100 * self.errors.sequence_error:.2f} % of sequences wrong")]


def judged(model: ChainModel, tokens: Tokens, label: str | None = None, strict: str | None = None) -> Judged:
    """Label the sequences of a file and count; a label that was never trained is wrong whatever is said."""
    truth = tokens.labels(model.features.templates, model.label_name if label is None else label)
    flat = [tag for tags in truth for tag in tags]
    known = [str(tag) for tag in model.classes.tolist()]
    names = np.array([*known, *sorted({*flat} - {*known})], dtype=object)
    sequences = model.encode(tokens.found)
    answers = model.tagger.predict(sequences, None, model.options.n_threads or available_threads())
    numbers = numbers_of(flat, names)
    return Judged(
        token_errors(numbers, answers, tokens.starts),
        chunk_score(numbers, answers, names.tolist(), tokens.starts, strict),
    )

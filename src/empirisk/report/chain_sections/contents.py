"""What the page about a model of sequences shows: the training, its file, and the commands that made and verify it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.solution import Solution

if TYPE_CHECKING:
    from empirisk.chains.chain_data import ChainData
    from empirisk.models.chains.examination import Examined
    from empirisk.models.chains.files import Tokens
    from empirisk.models.chains.fitting import ChainFit
    from empirisk.models.chains.judging import Judged
    from empirisk.models.chains.model import ChainModel


class ChainContents(NamedTuple):
    """Everything that the sections need."""

    fit: ChainFit
    examined: Examined  # of the sequences of the fit
    tokens: Tokens  # the file
    command: str
    verify_command: str
    seconds: float  # of work
    compile_seconds: float = 0.0
    judged: Judged | None = None  # on sequences that took no part in the fit
    judged_on: str = ""  # which these are

    @property
    def model(self) -> ChainModel:
        """Of the fit."""
        return self.fit.model

    @property
    def data(self) -> ChainData:
        """Of the fit."""
        return self.fit.data

    @property
    def data_name(self) -> str:
        """The file, or what stands for it."""
        return "standard input" if self.tokens.path == "-" else self.tokens.path

    @property
    def solution(self) -> Solution | None:
        """Of a minimisation; None where nothing was minimised."""
        return self.fit.found if isinstance(self.fit.found, Solution) else None

    @property
    def target(self) -> float:
        """The gap that was asked for; nan where nothing was minimised."""
        if self.solution is None:
            return math.nan
        target = self.solution.trace.target
        return target if math.isfinite(target) else self.model.tol * self.solution.certificate.scale

    @property
    def labels(self) -> list[str]:
        """All of them, by number."""
        return [str(label) for label in self.model.classes.tolist()]

    def word(self, at: int) -> str:
        """What a token is called, counted over all sequences: its word, else its line, else its number."""
        column, origin = self.tokens.word_column(self.model.features.templates), self.tokens.origin
        if column is not None:
            return column.values[int(column.numbers[at])]
        return f"token {at:,}" if origin is None else f"line {int(origin.lines[at]):,}"

    def label_counts(self) -> NDArray[np.int64]:
        """How many tokens have each label."""
        return np.bincount(self.data.gold, minlength=self.data.n_labels)

    def most_common(self, most: int) -> list[int]:
        """The labels that most tokens have, in the order of their numbers."""
        order = np.argsort(-self.label_counts(), kind="stable")[:most]
        return sorted(order.tolist())

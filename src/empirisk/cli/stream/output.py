"""What is written while a stream is learned: lines at rounds 1, 2, 4, ..., and the predictions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

from empirisk.cli.errors import InputOutput
from empirisk.cli.output import encoded, say

if TYPE_CHECKING:
    from empirisk.online.ledger import Ledger
    from empirisk.protocols import Array

MEGABYTE = 1e6


def counted(number: int, noun: str) -> str:
    """1 round, 2 rounds."""
    return f"{number} {noun}{'s' * (number != 1)}"


class Lines:
    """A line whenever the rounds are a power of two."""

    def __init__(self, ledger: Ledger, quiet: bool) -> None:
        self._last, self._quiet = ledger, quiet

    def next_after(self, rounds: int) -> int:
        """The next round with a line."""
        return int(1 << rounds.bit_length())

    def is_due(self, rounds: int) -> bool:
        """Whether this round has a line."""
        return rounds & (rounds - 1) == 0

    def show(self, ledger: Ledger, is_classifier: bool, further: list[str], speed: float) -> None:
        """The line of this round, with what else is to be said of it."""
        rounds, last = ledger.rounds, self._last
        weight = ledger.weight - last.weight
        if not weight > 0.0:  # rows of weight zero are no rounds
            return
        recent = (ledger.loss - last.loss) / weight
        words = [f"{counted(rounds, 'round')}: mean loss {ledger.mean_loss:.6g}", f"{recent:.6g} since the last line"]
        words += [counted(ledger.errors, "error")] * is_classifier
        say(", ".join([*words, *further, f"{speed:.3g} MB/s"]), self._quiet)
        self._last = ledger


class Predictions:
    """A table with the score of each row as it was before the label was seen, and the chance of the last class.

    Of three classes or more a score and a chance for each.
    """

    def __init__(self, path: str | None, loss: Any, classes: list[Any] | None) -> None:
        from empirisk.capabilities import offers

        self._path, self._loss, self._has_chances = path, loss, offers(loss, "probability")
        self._ends = [""] if classes is None or len(classes) == 2 else [f"_{name}" for name in classes]
        self._files = contextlib.ExitStack()
        self._stream: IO[bytes] | None = None

    def __enter__(self) -> Predictions:
        """Open the file, where there is one."""
        if self._path is not None:
            with _blamed(self._path):
                self._stream = self._files.enter_context(open(self._path, "wb"))
            kinds = ("score", "probability") if self._has_chances else ("score",)
            try:
                self._write(",".join(kind + end for kind in kinds for end in self._ends) + "\n")
            except BaseException:
                with contextlib.suppress(OSError):  # of what could not be written, again
                    self._files.close()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        with _blamed(self._path):
            self._files.close()

    def add(self, scores: Array) -> None:
        """Those of further rows, written at once."""
        if self._stream is None or not scores.size:
            return
        from empirisk.models.predictions import probabilities_of

        columns = scores.reshape(len(scores), -1).T.tolist()
        if self._has_chances:
            chances = probabilities_of(self._loss, scores, False).T.tolist()
            columns += chances[-len(self._ends) :]  # of two classes that of the last
        self._write("".join(",".join(map(repr, row)) + "\n" for row in zip(*columns, strict=True)))

    def _write(self, text: str) -> None:
        assert self._stream is not None
        with _blamed(self._path):
            try:
                self._stream.write(encoded(text))
                self._stream.flush()
            except BrokenPipeError:  # its reader has gone away: the run goes on without it
                self._stream = None
                with contextlib.suppress(OSError):
                    self._files.close()


@contextlib.contextmanager
def _blamed(path: str | None) -> Iterator[None]:
    """Turn what the system refuses into a sentence about the file."""
    try:
        yield
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}") from None

"""What --delta asks for: what a run over a stream promises for rows yet to come, at every look together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from empirisk.cli.errors import Usage
from empirisk.cli.stream.regret import one_run

if TYPE_CHECKING:
    from empirisk.models.streams.streaming import Streaming
    from empirisk.online.ledger import Ledger
    from empirisk.online.to_batch import FutureLoss
    from empirisk.protocols import Vector


class AskedFuture(NamedTuple):
    """The chance that one of the promises is false, and the largest loss that any row can have."""

    delta: float
    largest_loss: float


class Looks:
    """The promises of a run: the i-th spends delta / (i (i + 1)), so that all of them hold together."""

    def __init__(self, asked: AskedFuture, loss: Any) -> None:
        self._asked, self._loss = asked, loss
        self._count, self._dearest = 0, 0.0
        self._last: tuple[int, FutureLoss | None, str] = -1, None, ""

    def meet(self, scores: Vector, labels: Vector) -> None:
        """Rows that were played: one that cost more than any can ends the promise."""
        import numpy as np

        from empirisk.losses.on_vectors import values_and_slopes

        values, slopes = np.empty((2, scores.size))
        values_and_slopes(self._loss, scores, labels, values, slopes)
        self._dearest = max(self._dearest, float(values.max(initial=0.0)))

    def look(self, ledger: Ledger) -> tuple[FutureLoss | None, str]:
        """The promise of the rounds so far, else None, and what is to be said of it."""
        from empirisk.online.to_batch import future_loss

        rounds, found, said = self._last
        if rounds == ledger.rounds:
            return found, said
        self._count += 1
        if self._dearest > self._asked.largest_loss:
            found, said = None, f"no promise: a row has cost {self._dearest:.6g}, more than --largest-loss"
        else:
            try:
                found = future_loss(ledger, self._asked.largest_loss, self._asked.delta, look=self._count)
                said = found.sentence()
            except ValueError as error:
                found, said = None, f"no promise: {error}"
        self._last = ledger.rounds, found, said
        return found, said

    def words(self, ledger: Ledger) -> str:
        """What the line of a round says."""
        found, said = self.look(ledger)
        return said if found is None else f"at most {found.bound:.6g} expected"

    def facts(self, ledger: Ledger) -> dict[str, Any]:
        """The last look in numbers."""
        found, said = self.look(ledger)
        return {
            "delta": self._asked.delta,
            "largest_loss": self._asked.largest_loss,
            "looks": self._count,
            "expected_loss": None if found is None else found.bound,
            "sentence": self._together(said) if found is not None else f"{said[0].upper()}{said[1:]}.",
        }

    def _together(self, said: str) -> str:
        """The sentence of the last look: all of them are true together with the chance that was asked for."""
        if self._count == 1:
            return said
        first = f"{said.removesuffix('.')}; all {self._count} looks hold together with probability"
        return f"{first} {1.0 - self._asked.delta:.6g}."


def asked_future(asked: dict[str, Any]) -> AskedFuture | None:
    """What was asked; refuses one option without the other."""
    delta, largest = asked["delta"], asked["largest_loss"]
    if delta is None and largest is None:
        return None
    if delta is None:
        raise Usage("--largest-loss needs --delta, the chance that what is promised is false")
    if largest is None:
        raise Usage(
            "--delta needs --largest-loss, the largest loss that any row can have: the rows seen do not tell it"
        )
    if asked["resume"] is not None:
        raise Usage("--delta is for a run from its first row on: looks of before would count, and nobody knows them")
    return AskedFuture(delta, largest)


def looks_at(asked: AskedFuture | None, streaming: Streaming) -> Looks | None:
    """The looks of a run; refuses one whose points have no mean, which is what is promised for, and repeated rows."""
    from empirisk.capabilities import name_of, offers

    if asked is None:
        return None
    run = one_run(streaming, "--delta").run
    if streaming.passes > 1:
        raise Usage("--delta is about independent rows: rows that are played twice are none")
    if not offers(run.state, "sum_of_points"):
        said = f"{name_of(run.learner)} plays no single point: name a learner such as adagrad"
        raise Usage(f"--delta is about the average of the points played, and {said}")
    return Looks(asked, run.game.loss)

"""The rows of a stream in turn, and what is to be done at some of them: lines, predictions, saving, stopping."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

from empirisk.cli.compiling import compiling
from empirisk.cli.interrupts import Stop, Stopped
from empirisk.cli.output import say
from empirisk.cli.stream.format import row_facts
from empirisk.cli.stream.output import MEGABYTE, Lines, Predictions, counted
from empirisk.cli.wording import as_options
from empirisk.stopwatch import Stopwatch

if TYPE_CHECKING:
    from empirisk.cli.stream.future import Looks
    from empirisk.cli.stream.regret import Hindsight
    from empirisk.data.errors import DataError
    from empirisk.models.streams.streaming import Streaming
    from empirisk.online.ledger import Ledger


class Plan(NamedTuple):
    """What was asked, beside what the run itself is about."""

    data: str
    save: str | None
    every: int | None  # rows
    skip_bad: int
    most_columns: int
    quiet: bool
    report: str | None = None
    threads: int = 2


class StreamRun:
    """A run in the middle of its stream."""

    def __init__(
        self,
        plan: Plan,
        streaming: Streaming,
        table: Predictions,
        hindsight: Hindsight | None = None,
        looks: Looks | None = None,
    ) -> None:
        self.plan, self.streaming, self.table = plan, streaming, table
        self.hindsight, self.looks = hindsight, looks
        self.progress: list[Ledger] = []  # at the rounds 1, 2, 4, ..., and at the end
        self.saved: str | None = None
        self._skipped: list[DataError] = []
        self._rows_before, self._rows_saved = streaming.n_rows, -1
        self._bytes_before = self._bytes = 0  # of the passes that have ended, and in all
        self._looked = 0.0  # seconds for regret
        self._watch, self._lines = Stopwatch(), Lines(streaming.open_run.ledger, plan.quiet)

    def play(self, stop: Stop) -> bool:
        """Whether it was interrupted; what was learned is saved, however it ends."""
        try:
            with compiling("stream", self.plan.quiet):
                for _ in range(self.streaming.passes):
                    path = self._pass(stop)
                self.streaming.check_passed(path)
        except Stopped:
            self._save()
            return True
        except Exception:
            is_ahead = self.streaming.n_rows > self._rows_before and self.streaming.open_run.is_in_step
            if is_ahead and self.plan.save is not None:
                self._save_in_trouble()
            raise
        self._save()
        try:
            with stop.waiting(), compiling("regret", self.plan.quiet):
                self._look_back()
        except Stopped:
            return True
        return False

    def facts(self, is_interrupted: bool) -> dict[str, Any]:
        """The run in numbers."""
        model, ledger = self.streaming.model(), self.streaming.open_run.ledger
        return {
            "data": self.plan.data,
            "rows": model.n_rows - self._rows_before,
            "rows_before": self._rows_before,
            "features": model.n_features,
            **row_facts(model),
            "learner": model.learner,
            "loss": model.loss,
            "l1": model.l1,
            "l2": model.l2,
            "constraint": model.constraint or None,
            "intercept": model.fit_intercept,
            "classes": None if model.classes is None else model.classes.tolist(),
            "passes": model.passes,
            "rounds": ledger.rounds,
            "mean_loss": ledger.mean_loss,
            "cumulative_loss": ledger.loss,
            "penalty": ledger.penalty,
            "errors": None if model.classes is None else ledger.errors,
            "largest_gradient": ledger.largest,
            "regret": self._regret_facts(is_interrupted or ledger.rounds == 0),
            "future": None if self.looks is None else self.looks.facts(ledger),
            "fingerprint": model.fingerprint,
            "skipped": [as_options(str(error)) for error in self._skipped],
            "bytes": self._bytes,
            "regret_seconds": self._looked,
            **self._watch.to_json(),
        }

    def _regret_facts(self, is_unknown: bool) -> dict[str, Any] | None:
        return None if self.hindsight is None or is_unknown else self.hindsight.facts()

    def _pass(self, stop: Stop) -> str:
        """All rows once; what errors call the stream."""
        from empirisk.data.errors import DataError
        from empirisk.data.sources import streamed

        with contextlib.ExitStack() as files:
            with stop.waiting():
                stream = files.enter_context(streamed(self.plan.data))
            path = str(stream.name)
            asked = self.plan.most_columns, self._next_stop, stop.waiting, self.plan.threads
            for found in self.streaming.learn(stream, path, *asked):
                if isinstance(found, DataError):
                    self._skip(found)
                else:
                    self._bytes = self._bytes_before + found.n_bytes
                    self._learned(found.scores, found.labels, stop)
                if stop.is_asked:
                    raise Stopped
        self._bytes_before = self._bytes
        if self.streaming.n_rows == self._rows_before and not self.streaming.n_before:
            raise DataError("expected at least one example, found none", path)
        if self.streaming.open_run.ledger.rounds == 0:
            raise DataError("expected a row of a weight above zero, found none", path)
        return path

    def _learned(self, scores: Any, labels: Any, stop: Stop) -> None:
        """After some rows."""
        rows = self.streaming.n_rows
        self.table.add(scores)
        if self.looks is not None:
            self.looks.meet(scores, labels)
        if self.plan.every is not None and rows % self.plan.every == 0:
            self._save()
        if self._lines.is_due(rows) and (self.plan.report is not None or not self.plan.quiet):
            speed = self._bytes / MEGABYTE / max(self._watch.seconds() - self._looked, 1e-9)
            with stop.waiting():  # nothing is lost where the search for the best point is left
                further = self._look_back()
            self._lines.show(self.progress[-1], self.streaming.labels.classes is not None, further, speed)

    def _look_back(self) -> list[str]:
        """What this round is kept for, and what its line says beside the losses."""
        ledger, before = self.streaming.open_run.ledger, self._watch.seconds()
        if not self.progress or self.progress[-1].rounds < ledger.rounds:
            self.progress.append(ledger)
        words = [] if self.hindsight is None or ledger.rounds == 0 else [self.hindsight.words()]
        words += [] if self.looks is None else [self.looks.words(ledger)]
        self._looked += self._watch.seconds() - before
        return words

    def _next_stop(self, n_rows: int) -> int:
        """How many rows the run has met when there is something to do; one of weight zero is no round."""
        stop = self._lines.next_after(n_rows)
        every = self.plan.every
        return stop if every is None else min(stop, n_rows - n_rows % every + every)

    def _skip(self, error: DataError) -> None:
        if len(self._skipped) == self.plan.skip_bad:
            raise error
        self._skipped.append(error)
        say(f"Skipped: {as_options(str(error))}", self.plan.quiet)

    def _save_in_trouble(self) -> None:
        """The run up to an error, which is what is to be told, even where it cannot be saved."""
        from empirisk.model_file import ModelFileError

        try:
            self._save()
        except (OSError, ModelFileError) as error:
            say(f"The run up to there is not saved: {error}", quiet=False)
        else:
            say(f"{self.saved} has the run up to there: {counted(self.streaming.n_rows, 'row')}.", self.plan.quiet)

    def _save(self) -> None:
        """Write the run as it stands, where that is asked for and was not done."""
        from empirisk.model_file import save

        rows = self.streaming.n_rows
        if self.plan.save is not None and rows not in (0, self._rows_saved):
            save(self.streaming.model(), self.plan.save)
            self.saved, self._rows_saved = self.plan.save, rows

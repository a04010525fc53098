"""One problem's fits: timed, cut off, judged by one objective, and who leads so far."""

import time
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from benchmarks import peers
from benchmarks.data_sets import DataSet
from benchmarks.peers.solver import Setting, Solver
from benchmarks.runs import PRECISIONS, Entry, Run, describe
from benchmarks.worker import FitFailed, Fitted, Task, Worker

FINEST = min(PRECISIONS)
FACTOR = 2.5
SHORTEST_LIMIT = 0.3
SHORT = 0.02  # seconds: such a fit runs three times at once
COMPILING = 180.0  # seconds that the first call of a compiling peer may take, not charged to it
WARMING = 5.0  # the same for the others
LONGEST_WAIT = 2.0  # seconds beyond its limit that a fit may go on, where ending its process would cost as much


@dataclass(frozen=True)
class Limits:
    """Seconds and counts that keep the benchmark finite."""

    budget: float = 20.0  # for the peers' fits on one problem, all together
    repeats: int = 3


class Track:
    """The entries, the least objective seen, and the clock."""

    def __init__(self, data: DataSet, task: Task, workers: dict[str, Worker], limits: Limits):
        self.data, self.task, self.workers, self.limits = data, task, workers, limits
        self.optimum, self.optimum_by = float("inf"), "nobody"
        self.lower_bound = -float("inf")  # that our certificates prove
        self.entries: list[Entry] = []
        self.left = float("inf")  # seconds that the peers' fits may still take
        self.longest_run = limits.budget  # seconds, whoever leads
        self.longest_limit = 0.0  # that a peer had
        self.slowest = float("inf")  # seconds of a run that are still of interest

    @property
    def is_minimum_certain(self) -> bool:
        return self.optimum - self.lower_bound <= 0.1 * FINEST * abs(self.optimum)

    def enter(self, solver: Solver) -> list[Entry]:
        """An entry for each representation, the likeliest winner first."""
        kinds = self.data.representations(solver.representations)
        entries = [Entry(solver.peer, solver.name, kind, status="not tried") for kind in kinds]
        entries[0].status = "searched"
        self.entries += entries
        return entries

    def entries_of(self, solver: Solver) -> list[Entry]:
        return [entry for entry in self.entries if entry.label == solver.label]

    def attempt(self, solver: Solver, entry: Entry, setting: Setting, limit: float | None = None) -> Run | None:
        """Time a setting; None when it failed or was cut off, which the entry's status says."""
        known = entry.find(setting)
        if known is not None:
            return known
        try:
            fitted = self._fit(solver, entry.representation, setting, limit)
            value = self._evaluate(solver, fitted)
            run = Run(setting, [fitted.seconds], value, fitted.remarks, fitted.foreign_cores)
            entry.runs.append(run)
            while run.best < SHORT and len(run.seconds) < 3:
                run.seconds.append(self._fit(solver, entry.representation, setting, limit).seconds)
        except FitFailed as failure:
            entry.status = f"{describe(setting)}: {failure}"
            entry.cut_offs += 1
            return None
        return run

    def again(self, solver: Solver, entry: Entry, run: Run) -> None:
        """One more timing of a run; it is not charged."""
        try:
            fitted = self._fit(solver, entry.representation, run.setting, 10.0 * run.best + 1.0)
        except FitFailed as failure:
            entry.status = f"a repeat failed: {failure}"
            return
        run.seconds.append(fitted.seconds)
        run.foreign_cores = fitted.foreign_cores

    def solve_strictly(self, solver: Solver, setting: Setting) -> None:
        """An untimed fit, so that the searches know when they have arrived."""
        representation = self.data.representations(solver.representations)[0]
        with suppress(FitFailed):  # the search meets the same failure and reports it
            self._evaluate(solver, self._fit(solver, representation, setting, 2.0 * self.limits.budget))

    def allowance(self) -> float:
        """Seconds for one run of a peer."""
        return min(max(SHORTEST_LIMIT, min(FACTOR * self.best_peer(FINEST), self.slowest)), self.longest_run)

    def best_peer(self, precision: float) -> float:
        return self.best(precision, [entry for entry in self.entries if entry.peer != peers.OURS])

    def best(self, precision: float, entries: list[Entry]) -> float:
        runs = (entry.best(precision, self.optimum) for entry in entries)
        return min((run.best for run in runs if run is not None), default=float("inf"))

    def _fit(self, solver: Solver, representation: str, setting: Setting, limit: float | None) -> Fitted:
        worker = self.workers[solver.peer]
        worker.prepare(self.task, solver.label, representation)
        if not worker.is_warm:
            first = solver.compiling or {**solver.ladders[0][0], **solver.variants[0]}
            worker.fit(first, COMPILING if solver.compiling or solver.peer == peers.OURS else WARMING)
        if limit is not None:
            return worker.fit(setting, limit)
        allowed = self.allowance()
        if solver.peer != peers.OURS:
            self.longest_limit = max(self.longest_limit, allowed)
        start = time.monotonic()
        try:
            fitted = worker.fit(setting, allowed + min(worker.start_seconds, LONGEST_WAIT))
        except FitFailed:
            self.left -= time.monotonic() - start
            raise
        # On a busy machine a fit is charged the time that it had, not that of others.
        self.left -= min(fitted.seconds, fitted.cpu_seconds)
        return fitted

    def _evaluate(self, solver: Solver, fitted: Fitted) -> float:
        value = self.task.objective.value(self.data, fitted.weights)
        claimed, gap = fitted.remarks.get("objective"), fitted.remarks.get("gap")
        if claimed is not None and abs(claimed - value) > 1e-9 * abs(value):
            raise FitFailed(f"reports the objective {claimed!r}, ours of its weights is {value!r}")
        if gap is not None and np.isfinite(gap):
            self.lower_bound = max(self.lower_bound, value - gap)
        if value < self.optimum:
            self.optimum, self.optimum_by = value, solver.label
        return value

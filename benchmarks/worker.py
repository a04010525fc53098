"""The processes that run the fits, one a peer: a fit that will not end, or that crashes, takes only its own with it.

A process lives as long as nothing goes wrong, over many problems: imports and compilation are paid once.
"""

import multiprocessing
import os
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from threadpoolctl import ThreadpoolController

from benchmarks import data_sets, peers
from benchmarks.machine import LoadMeter
from benchmarks.objective import Objective
from benchmarks.peers.solver import Setting

PATIENCE = 300.0  # seconds for what is nobody's fit: starting, reading the data, converting them


class FitFailed(Exception):
    """A fit was cut off, raised or crashed; the message says which."""


@dataclass(frozen=True)
class Fitted:
    """One timed fit."""

    seconds: float
    cpu_seconds: float
    weights: np.ndarray
    remarks: dict
    # Cores that others kept busy during the fits since the solver was prepared; None where it is not known.
    foreign_cores: float | None


@dataclass(frozen=True)
class Task:
    """What a process works on: a data set, decoded, and an objective."""

    name: str
    cached: Path
    objective: Objective


def serve(connection, peer: str) -> None:
    """Answer ("start",), ("task", task), ("prepare", label, representation), ("fit", setting) until the pipe closes."""
    silence()
    solvers = peers.solvers_of(peer)
    desk = Desk(solvers)
    while True:
        try:
            verb, *arguments = connection.recv()
        except EOFError:
            return
        try:
            connection.send(("done", getattr(desk, verb)(*arguments)))
        except Exception as error:
            connection.send(("failed", f"{type(error).__name__}: {error}", traceback.format_exc()))


class Desk:
    """What lies before the process now: the data, their representations, and one solver's own form of them."""

    def __init__(self, solvers: dict):
        self.solvers = solvers
        self.pools = ThreadpoolController()  # made after the imports: it knows the libraries that are loaded now
        self.rows, self.prepared, self.solver = {}, None, None
        self.name = None

    def start(self) -> None:
        """Nothing to do: the answer says that the imports are over."""

    def task(self, task: Task) -> None:
        self.prepared = self.solver = None
        self.objective = task.objective
        if self.name != (task.name, task.cached):
            self.rows = {}
            self.data = data_sets.load(task.name, task.cached)
            self.name = (task.name, task.cached)

    def prepare(self, label: str, representation: str) -> None:
        self.prepared, self.solver = None, self.solvers[label]
        if representation not in self.rows:
            self.rows[representation] = self.data.rows(representation)
        self.prepared = self.solver.prepare(self.rows[representation], self.data.y, self.objective)
        self.meter = LoadMeter()

    def fit(self, setting: Setting) -> Fitted:
        # Ours sets its own threads; everybody else gets as many as the setting says, in BLAS and OpenMP, or one.
        with self.pools.limit(limits=None if self.solver.peer == peers.OURS else setting.get("threads", 1)):
            self.meter.start()
            weights, remarks = self.solver.fit(self.prepared, setting)
            seconds, cpu_seconds = self.meter.stop()
        point = np.array(weights, dtype=np.float64)
        return Fitted(seconds, cpu_seconds, point, remarks, self.meter.foreign_cores())


def silence() -> None:
    # Compiled peers write to the file descriptors themselves; what matters travels through the pipe.
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)


class Worker:
    """The other end of one peer's pipe; starts the process when needed and ends it when it is late."""

    def __init__(self, peer: str):
        self._peer = peer
        self._process = None
        self._connection = None
        self._ready: tuple | None = None  # task, label and representation that the process has before it
        self.start_seconds = 0.0  # that the process took to start, imports included
        self._warm: set[tuple] = set()  # label, representation and kind of what it has run already

    def prepare(self, task: Task, label: str, representation: str) -> None:
        """Load, convert and prepare; nothing is done twice in a row."""
        if self._process is None:
            self._start()
        if self._ready is None or self._ready[0] != task:
            self._ready = None
            self._ask(("task", task), PATIENCE)
            self._ready = (task, None, None)
        if self._ready != (task, label, representation):
            self._ready = (task, None, None)
            self._ask(("prepare", label, representation), PATIENCE)
            self._ready = (task, label, representation)

    @property
    def is_warm(self) -> bool:
        """Whether the process has run what is prepared before, on this or another problem of its kind."""
        return self._temperature_key() in self._warm

    def fit(self, setting: Setting, limit: float) -> Fitted:
        fitted = self._ask(("fit", setting), limit)
        self._warm.add(self._temperature_key())
        return fitted

    def _temperature_key(self) -> tuple:
        task, label, representation = self._ready
        return label, representation, task.objective.kind

    def close(self) -> None:
        if self._process is not None:
            self._connection.close()
            self._process.kill()
            self._process.join()
            self._process = self._connection = self._ready = None
            self._warm.clear()

    def _start(self) -> None:
        # Spawned, not forked: OpenMP's threads do not survive a fork.
        began = time.monotonic()
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, self._peer), daemon=True)
        self._process.start()
        theirs.close()
        self._ask(("start",), PATIENCE)
        self.start_seconds = time.monotonic() - began

    def _ask(self, message: tuple, limit: float):
        try:
            self._connection.send(message)
            if not self._connection.poll(max(limit, 0.0)):
                self.close()
                raise FitFailed(f"cut off after {limit:.2g} s")
            outcome, answer, *_ = self._connection.recv()
        except (EOFError, ConnectionError):
            code = self._process.exitcode if self._process is not None else None
            self.close()
            raise FitFailed(f"the process died (exit code {code})") from None
        if outcome == "failed":
            raise FitFailed(answer)
        return answer

"""The process that runs the fits: a fit that will not end, or that crashes, takes only this process with it."""

import multiprocessing
import os
import traceback
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import data_sets, peers
from benchmarks.machine import LoadMeter
from benchmarks.objective import Objective
from benchmarks.peers.solver import Setting


class FitFailed(Exception):
    """A fit was cut off, raised or crashed; the message says which."""


@dataclass(frozen=True)
class Fitted:
    """One timed fit."""

    seconds: float
    cpu_seconds: float
    weights: np.ndarray
    remarks: dict


def serve(connection, name: str, cached: Path, objective: Objective) -> None:
    """Answer ("prepare", label, representation), ("fit", setting) and ("load",) until the pipe closes."""
    silence()
    data = data_sets.load(name, cached)
    solvers, _ = peers.available()
    rows, prepared, solver, meter = {}, None, None, LoadMeter()
    while True:
        try:
            verb, *arguments = connection.recv()
        except EOFError:
            return
        try:
            if verb == "prepare":
                label, representation = arguments
                solver = solvers[label]
                if representation not in rows:
                    rows[representation] = data.rows(representation)
                prepared = None
                prepared = solver.prepare(rows[representation], data.y, objective)
                connection.send(("done", None))
            elif verb == "fit":
                connection.send(("done", timed_fit(solver, prepared, arguments[0], meter)))
            else:
                connection.send(("done", meter.foreign_cores()))
                meter = LoadMeter()
        except Exception as error:
            connection.send(("failed", f"{type(error).__name__}: {error}", traceback.format_exc()))


def timed_fit(solver, prepared, setting: Setting, meter: LoadMeter) -> Fitted:
    meter.start()
    weights, remarks = solver.fit(prepared, setting)
    seconds, cpu_seconds = meter.stop()
    return Fitted(seconds, cpu_seconds, np.asarray(weights, dtype=np.float64), remarks)


def silence() -> None:
    # Compiled peers write to the file descriptors themselves; what matters travels through the pipe.
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)


class Worker:
    """The other end of the pipe; starts the process when needed and ends it when it is late."""

    def __init__(self, name: str, cached: Path, objective: Objective):
        self._arguments = (name, cached, objective)
        self._process = None
        self._connection = None
        self._prepared = None

    def prepare(self, label: str, representation: str, limit: float) -> None:
        self._prepared = None
        self._ask(("prepare", label, representation), limit)
        self._prepared = ("prepare", label, representation)

    def fit(self, setting: Setting, limit: float) -> Fitted:
        return self._ask(("fit", setting), limit)

    def foreign_cores(self) -> float | None:
        """The cores that others kept busy during the fits since the last such question."""
        return self._ask(("load",), 60.0) if self._process is not None else None

    def close(self) -> None:
        if self._process is not None:
            self._connection.close()
            self._process.kill()
            self._process.join()
            self._process = self._connection = None

    def _start(self) -> None:
        # Spawned, not forked: OpenMP's threads do not survive a fork.
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, *self._arguments), daemon=True)
        self._process.start()
        theirs.close()
        # Starting and reading the data is nobody's fit: it is waited for apart, with a limit of its own.
        self._ask(("load",), 300.0)
        if self._prepared is not None:
            self._ask(self._prepared, 300.0)

    def _ask(self, message: tuple, limit: float):
        if self._process is None:
            self._start()
        self._connection.send(message)
        try:
            if not self._connection.poll(max(limit, 0.0)):
                self.close()
                raise FitFailed(f"cut off after {limit:.0f} s")
            outcome, answer, *_ = self._connection.recv()
        except (EOFError, ConnectionError):
            code = self._process.exitcode if self._process is not None else None
            self.close()
            raise FitFailed(f"the process died (exit code {code})") from None
        if outcome == "failed":
            raise FitFailed(answer)
        return answer

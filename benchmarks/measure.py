"""Time to a relative suboptimality: sweeps a solver's settings and judges every returned point by one objective P.

A setting reaches precision e when (P(w) - P*) / P* <= e, with P* the least value anybody found. Every setting runs
once, loosest first; those that may win (within REPEAT_WITHIN of the least time for a precision) are run again and
count with their minimum.
"""

import time
from dataclasses import asdict, dataclass, field

import numpy as np

from benchmarks.data_sets import DataSet
from benchmarks.objective import Objective
from benchmarks.peers.solver import Setting, Solver
from benchmarks.worker import FitFailed, Fitted, Worker

PRECISIONS = (1e-3, 1e-6)
REPEAT_WITHIN = 1.5
# A sweep goes on until it is a little better than the finest precision: P* may still fall by a hair.
ENOUGH = 0.9 * min(PRECISIONS)


@dataclass(frozen=True)
class Limits:
    """Seconds and counts that keep the benchmark finite."""

    repeats: int = 3
    # A slower setting is not repeated.
    repeat_below: float = 20.0
    # For one solver on one problem in one representation, all settings together.
    solver: float = 60.0

    @property
    def reference(self) -> float:
        """For one strict solve, which no figure counts."""
        return 5.0 * self.solver


@dataclass
class Run:
    """One setting of one solver, with all its timings."""

    setting: Setting
    seconds: list[float]
    objective: float
    remarks: dict = field(default_factory=dict)

    @property
    def best(self) -> float:
        return min(self.seconds)

    def suboptimality(self, optimum: float) -> float:
        return (self.objective - optimum) / optimum


@dataclass
class Sweep:
    """All settings of one solver in one representation."""

    peer: str
    solver: str
    representation: str
    runs: list[Run] = field(default_factory=list)
    status: str = "swept"
    # Cores that others kept busy during its fits; None where it is not known.
    foreign_cores: float | None = None

    def reaching(self, precision: float, optimum: float) -> list[Run]:
        return [run for run in self.runs if run.suboptimality(optimum) <= precision]

    def best(self, precision: float, optimum: float) -> Run | None:
        return min(self.reaching(precision, optimum), key=lambda run: run.best, default=None)

    def as_dict(self, optimum: float) -> dict:
        runs = [{**asdict(run), "suboptimality": run.suboptimality(optimum)} for run in self.runs]
        return {**asdict(self), "runs": runs}


class Measurement:
    """One problem: keeps the least objective seen and sweeps solvers against it."""

    def __init__(self, data: DataSet, objective: Objective, worker: Worker, limits: Limits):
        self.data, self.objective = data, objective
        self.worker, self.limits = worker, limits
        self.optimum, self.optimum_by = float("inf"), "nobody"
        self.has_reference = False
        self.sweeps: list[Sweep] = []
        self.first_call: float | None = None

    def call_first(self, solver: Solver) -> None:
        """Time the first fit of a fresh process, compiling or loading the cache included."""
        try:
            self.worker.prepare(solver.label, self._representations(solver)[0], self.limits.solver)
            self.first_call = self.worker.fit(solver.ladders[0][0], self.limits.solver).seconds
        except FitFailed:
            # The sweep meets the same failure and reports it.
            self.first_call = None

    def evaluate(self, solver: Solver, setting: Setting, weights: np.ndarray) -> float:
        value = self.objective.value(self.data, weights)
        if value < self.optimum:
            self.optimum, self.optimum_by = value, f"{solver.label} {describe(setting)}"
        return value

    def find_reference(self, solver: Solver, setting: Setting) -> str:
        """An untimed strict solve, so that the sweeps know when they have arrived."""
        representation = self._representations(solver)[0]
        try:
            self.worker.prepare(solver.label, representation, self.limits.reference)
            fitted = self.worker.fit(setting, self.limits.reference)
        except FitFailed as failure:
            return str(failure)
        self.has_reference = True
        value = self.evaluate(solver, setting, fitted.weights)
        return f"objective {value!r}"

    def sweep(self, solver: Solver) -> None:
        """Sweep every representation; one that is clearly slower at the winner's setting is not swept further."""
        refusal = self.refusal(solver)
        if refusal is not None:
            self.sweeps.append(Sweep(solver.peer, solver.name, "none", status=f"not run: {refusal}"))
            return
        for representation in self._representations(solver):
            sweep = Sweep(solver.peer, solver.name, representation)
            rivals = [other for other in self.sweeps if (other.peer, other.solver) == (solver.peer, solver.name)]
            self.sweeps.append(sweep)
            try:
                Climb(self, solver, sweep).run(rivals)
            except FitFailed as failure:
                sweep.status = str(failure)
            sweep.foreign_cores = self.worker.foreign_cores()

    def refusal(self, solver: Solver) -> str | None:
        """Why this solver is not run; None when it is."""
        return solver.refusal(self.objective.name, self.data.n_weights)

    def _representations(self, solver: Solver) -> list[str]:
        both = [kind for kind in self.data.representations() if kind in solver.representations]
        return both or list(solver.representations)


class Climb:
    """One sweep under its time limit."""

    def __init__(self, measurement: Measurement, solver: Solver, sweep: Sweep):
        self.measurement, self.solver, self.sweep = measurement, solver, sweep
        self.limits = measurement.limits
        self.end = time.monotonic() + self.limits.solver

    def run(self, rivals: list[Sweep]) -> None:
        self.measurement.worker.prepare(self.solver.label, self.sweep.representation, self.limits.solver)
        # Preparing is not charged to the solver.
        self.end = time.monotonic() + self.limits.solver
        first = self.solver.ladders[0][0]
        fitted = self._fit(first)
        # A first call starts thread pools and compiles: it counts only where that is nothing beside the fit.
        if fitted.seconds > self.limits.repeat_below:
            self._keep(first, fitted)
        if rivals and self._is_hopeless(rivals[0]):
            return
        self._run_certified()
        for ladder in self.solver.ladders:
            self._climb(ladder)
            # At once, so that a later ladder cannot eat the time that the repeats need.
            self._repeat_contenders()

    def _fit(self, setting: Setting):
        left = min(self.end - time.monotonic(), self._longest_useful())
        if left <= 0.0:
            raise FitFailed("out of time")
        return self.measurement.worker.fit(setting, left)

    def _longest_useful(self) -> float:
        """Beyond a few times what the finest precision took this solver already, a setting cannot win."""
        winner = self.sweep.best(ENOUGH, self.measurement.optimum)
        return max(2.0, 4.0 * winner.best) if winner is not None else float("inf")

    def _time(self, setting: Setting) -> Run:
        known = [run for run in self.sweep.runs if run.setting == setting]
        if known:
            return known[0]
        return self._keep(setting, self._fit(setting))

    def _keep(self, setting: Setting, fitted: Fitted) -> Run:
        value = self.measurement.evaluate(self.solver, setting, fitted.weights)
        self._check_own_objective(fitted.remarks, value)
        run = Run(setting, [fitted.seconds], value, fitted.remarks)
        self.sweep.runs.append(run)
        return run

    @staticmethod
    def _check_own_objective(remarks: dict, value: float) -> None:
        claimed = remarks.get("objective")
        if claimed is not None and abs(claimed - value) > 1e-9 * abs(value):
            raise FitFailed(f"reports the objective {claimed!r}, ours of its weights is {value!r}")

    def _is_hopeless(self, rival: Sweep) -> bool:
        optimum = self.measurement.optimum
        winners = [run for run in (rival.best(precision, optimum) for precision in PRECISIONS) if run is not None]
        if not winners:
            return False
        if all(self._time(winner.setting).best > REPEAT_WITHIN * winner.best for winner in winners):
            self.sweep.status = f"not swept: slower than {rival.representation} at its best settings"
            return True
        return False

    def _climb(self, ladder: tuple[Setting, ...]) -> None:
        for setting in ladder:
            try:
                run = self._time(setting)
            except FitFailed as failure:
                # Stricter settings would fare no better, and another ladder may.
                self.sweep.status = f"{describe(setting)}: {failure}"
                return
            # Without a strict solve nobody knows how far it is: the whole ladder, which then makes the least value.
            if self.measurement.has_reference and run.suboptimality(self.measurement.optimum) <= ENOUGH:
                return

    def _repeat_contenders(self) -> None:
        optimum = self.measurement.optimum
        contenders = []
        for precision in PRECISIONS:
            reaching = self.sweep.reaching(precision, optimum)
            least = min((run.best for run in reaching), default=0.0)
            contenders += [run for run in reaching if run.best <= REPEAT_WITHIN * least and run not in contenders]
        for run in contenders:
            self._repeat(run)

    def _repeat(self, run: Run) -> None:
        while len(run.seconds) < self.limits.repeats and run.best < self.limits.repeat_below:
            if time.monotonic() + run.best > self.end:
                return
            run.seconds.append(self._fit(run.setting).seconds)

    def _run_certified(self) -> None:
        for _, setting in self.solver.certified:
            self._repeat(self._time(setting))


def describe(setting: Setting) -> str:
    """The key that the ladder varies, which stands first, and the threads; what it holds fixed is in the JSON."""
    key, value = next(iter(setting.items()))
    threads = f" threads={setting['threads']}" if "threads" in setting else ""
    return f"{key}={value:g}{threads}"

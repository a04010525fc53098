"""What was measured: runs of settings, gathered by solver and representation.

A setting reaches precision e when (P(w) - P*) / P* <= e, with P* the least value anybody found.
"""

from dataclasses import asdict, dataclass, field

from benchmarks.peers.solver import Setting

PRECISIONS = (1e-3, 1e-6)


@dataclass
class Run:
    """One setting of one solver, with all its timings."""

    setting: Setting
    seconds: list[float]
    objective: float
    remarks: dict = field(default_factory=dict)
    # Cores that others kept busy meanwhile; None where it is not known.
    foreign_cores: float | None = None

    @property
    def best(self) -> float:
        return min(self.seconds)

    def suboptimality(self, optimum: float) -> float:
        return (self.objective - optimum) / abs(optimum)


@dataclass
class Entry:
    """All runs of one solver in one representation."""

    peer: str
    solver: str
    representation: str
    runs: list[Run] = field(default_factory=list)
    status: str = "searched"
    cut_offs: int = 0

    @property
    def label(self) -> str:
        return f"{self.peer} {self.solver}"

    def find(self, setting: Setting) -> Run | None:
        return next((run for run in self.runs if run.setting == setting), None)

    def best(self, precision: float, optimum: float) -> Run | None:
        reaching = [run for run in self.runs if run.suboptimality(optimum) <= precision]
        return min(reaching, key=lambda run: run.best, default=None)

    def as_dict(self, optimum: float) -> dict:
        runs = [{**asdict(run), "suboptimality": run.suboptimality(optimum)} for run in self.runs]
        return {**asdict(self), "runs": runs}

    @staticmethod
    def from_dict(stored: dict) -> "Entry":
        runs = [Run(**{key: value for key, value in run.items() if key != "suboptimality"}) for run in stored["runs"]]
        return Entry(**{**stored, "runs": runs})


def describe(setting: Setting) -> str:
    """The key that the ladder varies, which stands first, and the threads; what it holds fixed is in the JSON."""
    key, value = next(iter(setting.items()))
    threads = f" threads={setting['threads']}" if "threads" in setting else ""
    return f"{key}={value:g}{threads}"

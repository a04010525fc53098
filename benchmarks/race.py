"""One problem: who is first at relative suboptimality 1e-3 and at 1e-6, within a bounded time.

Ours runs first and, where its certificate allows, fixes the minimum P*. Every peer's solver then runs one setting, and,
the most promising first, is searched for the loosest setting of each ladder that reaches a precision, by bisection: a
stricter rung takes longer and comes nearer. A run is cut off at a few times the best peer's time to the finest one so
far, and a search ends where it can no longer win. Those near the best try another number of threads and another
representation, and at last run again and count with their minimum.
"""

import math

from benchmarks import peers
from benchmarks.peers.solver import Ladder, Setting, Solver
from benchmarks.runs import PRECISIONS, Entry, Run, describe
from benchmarks.track import FINEST, Track

CONTENDS_WITHIN = 1.5  # of the best time: run again; slower at a worse point: out
OTHER_LAYOUT_WITHIN = 5.0  # of the best time: worth a try in the other representation and with other threads
MOST_SETTINGS = 7  # of one ladder
MOST_CONTENDERS = 5  # for one precision
MOST_CUT_OFFS = 2  # of one entry: each costs a new process
PROBE_SHARE = 0.05  # of a problem's time that a peer's first run may take
RUN_SHARE = 0.25  # the same for a later one
LADDER_SHARE = 0.125  # the same for all runs of a ladder but the last
STRICT = 1e-10  # our tolerance for P*


class Race:
    """The order of events on one track."""

    def __init__(self, track: Track):
        self.track = track
        self.budget = track.limits.budget
        self.solvers: dict[str, Solver] = {}  # that were entered, by label

    def run_ours(self, solver: Solver) -> None:
        """Our certified runs in every representation, then the strict solve, then the search like any peer's."""
        self.solvers[solver.label] = solver
        first, *others = self.track.enter(solver)
        for entry in (first, *others):
            for precision, setting in solver.certified:
                if entry is not first and is_behind(entry, first, setting):
                    continue
                run = self.track.attempt(solver, entry, setting, self.budget)
                while run is not None and precision == FINEST and len(run.seconds) < self.track.limits.repeats:
                    self.track.again(solver, entry, run)
                    if sum(run.seconds) > self.budget:
                        break
        self.track.solve_strictly(solver, {"tol": STRICT})
        fastest = min((first, *others), key=lambda entry: self.track.best(FINEST, [entry]))
        for ladder in solver.ladders:
            self._search(solver, fastest, ladder)

    def find_minimum(self, references: dict[str, Setting], solvers: dict[str, Solver]) -> None:
        """Peers' strict solves, unless our certificate has fixed the minimum already."""
        if self.track.is_minimum_certain:
            return
        for label, setting in references.items():
            if label in solvers and self.refusal(solvers[label]) is None:
                self.track.solve_strictly(solvers[label], setting)

    def compete(self, solvers: list[Solver], favourites: int = 0) -> None:
        """The peers: one run each, then the searches, the given number of favourites first, then what might win."""
        self.track.left = self.budget
        able = []
        for solver in solvers:
            refusal = self.refusal(solver)
            if refusal is None:
                able.append(solver)
            else:
                self.track.entries.append(Entry(solver.peer, solver.name, "none", status=f"not run: {refusal}"))
        self.track.longest_run = PROBE_SHARE * self.budget
        for solver in able:
            self.solvers[solver.label] = solver
            first, *_ = self.track.enter(solver)
            ladder = solver.ladders[0]
            self.track.attempt(solver, first, rungs_of(solver, ladder)[next_rung(-1, len(ladder), len(ladder))])
        self.track.longest_run = RUN_SHARE * self.budget
        favoured = [solver for solver in solvers[:favourites] if solver in able]
        for solver in favoured + sorted((one for one in able if one not in favoured), key=self._promise):
            for ladder in solver.ladders:
                self._search(solver, self.track.entries_of(solver)[0], ladder)
        for solver in sorted(able, key=lambda one: self.track.best(FINEST, self.track.entries_of(one))):
            self._try_variants(solver)

    def run_finals(self) -> None:
        """Everybody near the best of a precision, and ours, once more, in turn."""
        for _ in range(self.track.limits.repeats - 1):
            for entry, run in self._finalists():
                if len(run.seconds) < self.track.limits.repeats + (entry.peer == peers.OURS):
                    self.track.again(self.solvers[entry.label], entry, run)

    def refusal(self, solver: Solver) -> str | None:
        """Why this solver is not run; None when it is."""
        data = self.track.data
        if not data.representations(solver.representations):
            return "X would be too large for the representations that it takes"
        return solver.refusal(self.track.task.objective, data.n_weights)

    def _promise(self, solver: Solver) -> float:
        """The seconds to the finest precision if the error went on falling as it did."""
        (run, *_) = self.track.entries_of(solver)[0].runs or [None]
        if run is None:
            return math.inf
        error = run.suboptimality(self.track.optimum)
        return run.best * max(1.0, math.log(FINEST) / math.log(min(max(error, FINEST), 0.999)))

    def _search(self, solver: Solver, entry: Entry, ladder: Ladder) -> None:
        """Bisect a ladder for each precision; None stands for a rung that failed or would be late."""
        tried: dict[int, Run | None] = {}
        stop = self.track.left - LADDER_SHARE * self.budget
        for precision in PRECISIONS:
            while len(tried) < MOST_SETTINGS and entry.cut_offs < MOST_CUT_OFFS:
                if self.track.left < max(0.0, stop):
                    entry.status = "its time was over"
                    return
                k = self._undecided(entry, tried, len(ladder), precision)
                if k is None:
                    break
                setting = rungs_of(solver, ladder)[k]
                tried[k] = None if self._would_be_late(setting, entry) else self.track.attempt(solver, entry, setting)

    def _undecided(self, entry: Entry, tried: dict[int, Run | None], length: int, precision: float) -> int | None:
        """The rung to try next; None where the loosest that reaches the precision is found, or cannot win any more."""
        missing = [k for k, run in tried.items() if run is not None and not self._reaches(run, precision)]
        enough = [k for k, run in tried.items() if run is None or self._reaches(run, precision)]
        low, high = max(missing, default=-1), min(enough, default=length)
        below, above = tried.get(low), tried.get(high)
        if high - low <= 1:
            return None
        if below is not None:
            # All rungs between take at least the time of the one below.
            if above is not None and above.best <= 1.05 * below.best:
                return None
            if entry.peer != peers.OURS and below.best > CONTENDS_WITHIN * self.track.best_peer(precision):
                entry.status = f"given up at {describe(below.setting)} after {below.best:.2g} s"
                return None
        return next_rung(low, high, length)

    def _reaches(self, run: Run, precision: float) -> bool:
        # A little better than asked: P* may still fall by a hair.
        return run.suboptimality(self.track.optimum) <= 0.99 * precision

    def _would_be_late(self, setting: Setting, entry: Entry) -> bool:
        """By the time an iteration of a like setting took: saves the peer's process from being ended."""
        like = [
            run
            for run in entry.runs
            if setting.get("max_iter", 0) > run.setting.get("max_iter", 0) > 3
            and {**run.setting, "max_iter": 0} == {**setting, "max_iter": 0}
        ]
        if not like:
            return False
        longest = max(like, key=lambda run: run.setting["max_iter"])
        predicted = longest.best * setting["max_iter"] / longest.setting["max_iter"]
        return predicted > 1.5 * self.track.allowance()

    def _try_variants(self, solver: Solver) -> None:
        """Who came near the best with the first choice of threads and representation tries the others."""
        first, *others = self.track.entries_of(solver)
        for setting in self._promising(first):
            for variant in solver.variants[1:]:
                self.track.attempt(solver, first, {**setting, **variant})
        for setting in self._promising(first):
            for entry in others:
                entry.status = "tried at the winning settings"
                self.track.attempt(solver, entry, setting)

    def _promising(self, entry: Entry) -> list[Setting]:
        """The best settings of an entry near the best peer; none when the problem's time is over."""
        settings: list[Setting] = []
        for precision in PRECISIONS if self.track.left > 0.0 else ():
            run = entry.best(precision, self.track.optimum)
            if run is not None and run.best <= OTHER_LAYOUT_WITHIN * self.track.best_peer(precision):
                settings += [run.setting] if run.setting not in settings else []
        return settings

    def _finalists(self) -> list[tuple[Entry, Run]]:
        """The runs that may decide a precision, the best first: ours and the peers'."""
        found: list[tuple[Entry, Run]] = []
        for precision in PRECISIONS:
            for is_ours in (True, False):
                ranked = sorted(
                    (
                        (entry, run)
                        for entry in self.track.entries
                        if (entry.peer == peers.OURS) == is_ours
                        for run in entry.runs
                        if run.suboptimality(self.track.optimum) <= precision
                    ),
                    key=lambda pair: pair[1].best,
                )
                near = [pair for pair in ranked if pair[1].best <= CONTENDS_WITHIN * ranked[0][1].best]
                found += [pair for pair in near[:MOST_CONTENDERS] if pair not in found]
        return found


def rungs_of(solver: Solver, ladder: Ladder) -> list[Setting]:
    return [{**setting, **solver.variants[0]} for setting in ladder]


def is_behind(entry: Entry, first: Entry, setting: Setting) -> bool:
    """Whether the entry was clearly slower than the first one at another setting than this."""
    pairs = [(run, first.find(run.setting)) for run in entry.runs if run.setting != setting]
    return any(other is not None and run.best > CONTENDS_WITHIN * other.best for run, other in pairs)


def next_rung(low: int, high: int, length: int) -> int:
    """A quarter up the ladder at first, then in leaps of four until a rung is enough or too slow, then by halves."""
    if low < 0 and high == length:
        return length // 4
    return min(low + 4, high - 1) if high == length else (low + high) // 2

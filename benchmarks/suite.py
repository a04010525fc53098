"""The whole benchmark: problems raced in turn, results kept after each, so that an interrupted run can go on."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks import data_sets, machine, peers, table
from benchmarks.figures import problem_result
from benchmarks.peers.solver import Solver
from benchmarks.problems import REFERENCES, Problem
from benchmarks.race import Race
from benchmarks.runs import Entry
from benchmarks.track import FINEST, Limits, Track
from benchmarks.worker import Task, Worker

# The peers' time on a problem is at least so many times what ours took, but no more seconds than that.
OURS_FACTOR, LONGEST = 100.0, 60.0
SLOWEST = 8.0  # times ours: a peer's run that takes longer is cut off
FAVOURITES = 3  # the fastest on earlier problems of the kind, which are searched first


@dataclass(frozen=True)
class Options:
    """What a run is asked for, beside the problems."""

    folder: Path
    cache: Path
    output: Path
    limits: Limits
    solver_parts: tuple[str, ...] = ()  # only peers' solvers whose label holds one of these
    peers_from: Path | None = None  # the result whose peers stand in for a race with them
    resume: bool = False


def run(problems: list[Problem], options: Options) -> dict:
    """Race every problem; `results.json`, `tables.md` and `summary.md` are written to the output folder after each."""
    solvers, missing = peers.available()
    for peer, reason in missing.items():
        say(f"missing: {peer} ({reason})")
    earlier = load_problems(options.peers_from) if options.peers_from is not None else None
    done = load_problems(options.output / "results.json") if options.resume else {}
    result = {
        "machine": machine.description(),
        "options": {"repeats": options.limits.repeats, "budget": options.limits.budget},
        "missing": missing,
        "is_only_ours": earlier is not None,
        "problems": [],
    }
    with all_workers() as workers:
        for problem in problems:
            if problem.key in done:
                result["problems"].append(done[problem.key])
                continue
            say(problem.key)
            race = start(problem, options, workers)
            if earlier is None:
                compete(race, solvers, options, result["problems"])
            else:
                race.run_finals()
                recall(race, earlier.get(problem.key))
            result["problems"].append(problem_result(problem, race.track))
            say(table.progress(result["problems"][-1]))
            write(result, options.output)
    return result


def start(problem: Problem, options: Options, workers: dict[str, Worker]) -> Race:
    """The race on the problem with ours run, which is every race's first part."""
    cached = data_sets.cached_file(problem.task, problem.data, options.folder, options.cache)
    data = data_sets.load(problem.data, cached)
    race = Race(Track(data, Task(problem.data, cached, problem.objective(data)), workers, options.limits))
    (ours,) = peers.solvers_of(peers.OURS).values()
    race.run_ours(ours)
    best = race.track.best(FINEST, race.track.entries)
    race.budget = max(race.budget, min(LONGEST, OURS_FACTOR * best))
    race.track.slowest = SLOWEST * best
    return race


def compete(race: Race, solvers: dict[str, Solver], options: Options, before: list[dict]) -> None:
    race.find_minimum(REFERENCES, solvers)
    parts = options.solver_parts
    rivals = [solver for solver in solvers.values() if solver.peer != peers.OURS]
    rivals = [solver for solver in rivals if not parts or any(part in solver.label for part in parts)]
    race.compete(likely_first(rivals, race.track.task.objective.kind, before), FAVOURITES if before else 0)
    race.run_finals()


def recall(race: Race, stored: dict | None) -> None:
    """The peers' entries as another run left them; its least objective counts here too."""
    if stored is not None:
        track = race.track
        track.entries += [Entry.from_dict(one) for one in stored["entries"] if one["peer"] != peers.OURS]
        track.optimum = min(track.optimum, stored["optimum"])
        track.longest_limit = stored["peer_limit"]


def likely_first(solvers: list[Solver], kind: str, before: list[dict]) -> list[Solver]:
    """Who was fastest on problems of this kind so far stands first, so that the slow ones are cut off early."""
    wins: Counter[str] = Counter()
    for problem in before:
        if problem["kind"] == kind:
            for figures in problem["precisions"]:
                for one in figures["solvers"]:
                    if one["figure"] is not None and figures["best_peer"] is not None:
                        wins[one["figure"]["label"]] += figures["best_peer"]["seconds"] / one["figure"]["seconds"]
    return sorted(solvers, key=lambda solver: -wins[solver.label])


@contextmanager
def all_workers() -> Iterator[dict[str, Worker]]:
    workers = {peer: Worker(peer) for peer in peers.PEERS}
    try:
        yield workers
    finally:
        for worker in workers.values():
            worker.close()


def load_problems(path: Path) -> dict[str, dict]:
    if not path.exists():
        return {}
    return {problem["key"]: problem for problem in json.loads(path.read_text())["problems"]}


def write(result: dict, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (
        ("results.json", json.dumps(result, indent=1) + "\n"),
        ("tables.md", table.tables(result)),
        ("summary.md", table.summary(result)),
    ):
        # Renamed when whole, so that an interrupted run leaves no half file behind.
        partial = folder / f"{name}.partial"
        partial.write_text(text)
        partial.replace(folder / name)


def say(text: str) -> None:
    click.echo(text, err=True)

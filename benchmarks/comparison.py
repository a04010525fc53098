"""One comparison with the peers: pairs of data set and loss, measured in turn, with the options that all share."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks import data_sets, machine, peers, table
from benchmarks.data_sets import DataSet
from benchmarks.measure import PRECISIONS, Limits, Measurement
from benchmarks.objective import Objective
from benchmarks.peers.solver import Setting, Solver
from benchmarks.results import problem_result
from benchmarks.worker import Worker


@dataclass(frozen=True)
class Comparison:
    """What is compared; `task` is a key of `data_sets.READERS`."""

    title: str
    task: str
    pairs: tuple[tuple[str, str], ...]  # of data set and loss
    # Strict solves that fix P* before the sweeps; the last word has whoever finds the least value.
    references: dict[str, Setting]
    quick_problems: str


def options(comparison: Comparison) -> Callable:
    """The options of every comparison."""
    names, losses = (", ".join(dict.fromkeys(column)) for column in zip(*comparison.pairs, strict=True))
    folder = click.Path(exists=True, file_okay=False, path_type=Path)
    given = [
        click.option("--data", "folder", required=True, type=folder),
        click.option("--problems", default="", help=f"Only these of {names}."),
        click.option("--losses", default="", help=f"Only these of {losses}."),
        click.option("--solvers", "parts", default="", help="Only solvers whose label holds one of these: -s 2,lbfgs."),
        click.option("--repeats", default=3, show_default=True, type=click.IntRange(min=1)),
        click.option("--limit", default=60.0, show_default=True, help="Seconds a solver, problem and representation."),
        click.option("--cache", default=data_sets.default_cache, type=click.Path(path_type=Path), help="Decoded data."),
        click.option("--json", "json_path", type=click.Path(path_type=Path)),
        click.option("--markdown", "markdown_path", type=click.Path(path_type=Path)),
        click.option("--quick", is_flag=True, help=f"{comparison.quick_problems}, one run a setting, ten seconds."),
    ]

    def decorate(command):
        for option in reversed(given):
            command = option(command)
        return command

    return decorate


def run(
    comparison: Comparison,
    objective_of: Callable[[DataSet, str], Objective],
    note: str,
    *,
    folder: Path,
    problems: str,
    losses: str,
    parts: str,
    repeats: int,
    limit: float,
    cache: Path,
    json_path: Path | None,
    markdown_path: Path | None,
    quick: bool,
) -> None:
    """Measure every chosen pair and print the tables; `note` says in their heading what is minimised."""
    if quick:
        problems, repeats, limit = comparison.quick_problems, 1, min(limit, 10.0)
    pairs = chosen(comparison.pairs, problems, losses)
    solvers, missing = peers.available()
    wanted = words(parts)
    if wanted:
        solvers = {
            label: solver
            for label, solver in solvers.items()
            if solver.peer == peers.OURS or any(part in label for part in wanted)
        }
    for peer, reason in missing.items():
        say(f"missing: {peer} ({reason})")
    result = {
        "title": comparison.title,
        "note": note,
        "machine": machine.description(),
        "options": {"repeats": repeats, "limit": limit},
        "missing": missing,
        "problems": [],
    }
    for name, loss in pairs:
        cached = data_sets.cached_file(comparison.task, name, folder, cache)
        data = data_sets.load(name, cached)
        objective = objective_of(data, loss)
        say(f"{name}, {objective.label}")
        measurement = Measurement(data, objective, Worker(name, cached, objective), Limits(repeats, solver=limit))
        result["problems"].append(measure(measurement, comparison.references, solvers))
        # Written after every problem: an interrupted run keeps what it has.
        if json_path is not None:
            table.write_json(result, json_path)
        if markdown_path is not None:
            markdown_path.write_text(table.markdown(result))
    click.echo(table.markdown(result))


def measure(measurement: Measurement, references: dict[str, Setting], solvers: dict[str, Solver]) -> dict:
    able = [solver for solver in solvers.values() if measurement.refusal(solver) is None]
    try:
        # Before anything else: only the first call of the process says what compiling costs.
        for solver in able:
            if solver.peer == peers.OURS:
                measurement.call_first(solver)
        for solver in able:
            if solver.label in references:
                found = measurement.find_reference(solver, references[solver.label])
                say(f"  reference, {solver.label}: {found}")
        if not measurement.has_reference:
            say("  no reference: P* is the least value of the sweeps, and no sweep stops before the end of its ladder")
        for solver in solvers.values():
            measurement.sweep(solver)
            if solver in able:
                report_sweeps(measurement, solver)
        return problem_result(measurement, solvers)
    finally:
        measurement.worker.close()


def report_sweeps(measurement: Measurement, solver: Solver) -> None:
    for sweep in measurement.sweeps:
        if (sweep.peer, sweep.solver) == (solver.peer, solver.name):
            found = [sweep.best(precision, measurement.optimum) for precision in PRECISIONS]
            shown = ", ".join(table.seconds(run.best if run else None) for run in found)
            say(f"  {solver.label}, {sweep.representation}: {shown} ({sweep.status}, {len(sweep.runs)} settings)")


def chosen(pairs: tuple[tuple[str, str], ...], problems: str, losses: str) -> list[tuple[str, str]]:
    for text, known in zip((problems, losses), zip(*pairs, strict=True), strict=True):
        unknown = [name for name in words(text) if name not in known]
        if unknown:
            raise click.BadParameter(f"{', '.join(unknown)} is unknown; known: {', '.join(dict.fromkeys(known))}")
    wanted = (words(problems), words(losses))
    found = [pair for pair in pairs if all(not names or one in names for one, names in zip(pair, wanted, strict=True))]
    if not found:
        raise click.BadParameter("these losses are not measured on these problems")
    return found


def words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def say(text: str) -> None:
    click.echo(text, err=True)

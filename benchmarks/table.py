"""The result as Markdown and as JSON."""

import json
import statistics
from pathlib import Path

from benchmarks.machine import LOADED
from benchmarks.measure import PRECISIONS


def write_json(result: dict, path: Path) -> None:
    path.write_text(json.dumps(result, indent=1, allow_nan=True) + "\n")


def markdown(result: dict) -> str:
    problems = result["problems"]
    parts = [heading(result), main_table(problems), means(problems), peer_table(problems)]
    return "\n\n".join(parts) + "\n"


def heading(result: dict) -> str:
    machine, options = result["machine"], result["options"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    lines = [
        f"# {result['title']}: time to a relative suboptimality",
        "",
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gb']} GB, {machine['system']}, "
        f"Python {machine['python']}; {versions}.",
        "",
        f"{result['note']}. Seconds of the fit alone, least of {options['repeats']} runs; "
        f"{options['limit']:g} s a solver, problem and representation. "
        "*certified*: until our certificate proves the precision. *swept*: the least time of any setting whose weights "
        "have it, as for the peers. *ratio*: best peer / ours. A time with * (and a ratio of such) "
        "was measured while others kept more than "
        f"{LOADED:g} of a core busy: it compares nothing.",
    ]
    lines += [f"\nMissing: {peer} ({reason})." for peer, reason in result["missing"].items()]
    unsure = [f"{one['data']}, {one['loss']}" for one in result["problems"] if not one["has_reference"]]
    lines += [f"\nNo strict solve ended in time for {one}: its least value is the sweeps' own." for one in unsure]
    return "\n".join(lines)


def main_table(problems: list[dict]) -> str:
    titles = ["data", "loss", "precision", "certified", "swept", "best peer", "which", "ratio certified", "ratio swept"]
    rows = [main_row(problem, figures) for problem in problems for figures in problem["precisions"]]
    return grid([*titles, "first call"], rows)


def main_row(problem: dict, figures: dict) -> list[str]:
    rival = figures["best_peer"]
    return [
        problem["data"],
        problem["loss"],
        f"{figures['precision']:.0e}",
        own_cell(figures["certified"]),
        own_cell(figures["swept"], with_setting=True),
        timing(rival) if rival else "none",
        f"{rival['peer']} {rival['solver']}, {rival['representation']}, {rival['setting']}" if rival else "",
        times(figures["peer_over_certified"], figures["certified"], rival),
        times(figures["peer_over_swept"], figures["swept"], rival),
        seconds(problem["first_call"]),
    ]


def means(problems: list[dict]) -> str:
    """Geometric mean and least of the ratios of each precision, over the problems that have both times."""
    lines = []
    for precision in PRECISIONS:
        figures = [one for problem in problems for one in problem["precisions"] if one["precision"] == precision]
        shown = []
        for kind in ("certified", "swept"):
            ratios = [one[f"peer_over_{kind}"] for one in figures if one[f"peer_over_{kind}"] is not None]
            if ratios:
                shown.append(f"{kind} {statistics.geometric_mean(ratios):.2f} (least {min(ratios):.2f})")
        lines.append(f"Ratios at {precision:.0e}, geometric mean: {', '.join(shown) or 'none'}.")
    return "\n".join(lines)


def timing(figure: dict) -> str:
    """The seconds, with a star when others were at work (or nobody knows whether they were)."""
    return seconds(figure["seconds"]) + ("*" if is_loaded(figure) else "")


def is_loaded(figure: dict) -> bool:
    return figure["foreign_cores"] is None or figure["foreign_cores"] > LOADED


def own_cell(figure: dict | None, with_setting: bool = False) -> str:
    if figure is None:
        return "none"
    setting = f", {figure['setting']}" if with_setting else ""
    return f"{timing(figure)} ({figure['solver']}, {figure['representation']}{setting})"


def peer_table(problems: list[dict]) -> str:
    titles = ["data", "loss", "precision", "solver", "seconds", "representation", "setting", "suboptimality"]
    rows = []
    for problem in problems:
        for figures in problem["precisions"]:
            start = [problem["data"], problem["loss"], f"{figures['precision']:.0e}"]
            ordered = sorted(figures["solvers"], key=lambda one: one["figure"]["seconds"] if one["figure"] else 1e9)
            rows += [start + peer_cells(one) for one in ordered if "not run: no " not in one["status"]]
    return "## All solvers\n\n" + grid(titles, rows)


def peer_cells(one: dict) -> list[str]:
    name, figure = f"{one['peer']} {one['name']}", one["figure"]
    if figure is None:
        nearest = f"{one['nearest']:.1e}" if one["nearest"] is not None else ""
        return [name, "not reached", "", one["status"], nearest]
    reached = f"{max(figure['suboptimality'], 0.0):.1e}"
    return [name, timing(figure), figure["representation"], figure["setting"], reached]


def seconds(value: float | None) -> str:
    return (
        "none" if value is None else f"{value:.4f}" if value < 0.1 else f"{value:.3f}" if value < 10 else f"{value:.1f}"
    )


def times(value: float | None, ours: dict | None, rival: dict | None) -> str:
    """A ratio; a star when either time has one, because load slows solvers unequally (BLAS threads most)."""
    if value is None or ours is None or rival is None:
        return "none"
    return f"{value:.2f}" + ("*" if is_loaded(ours) or is_loaded(rival) else "")


def grid(titles: list[str], rows: list[list[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "/") for cell in line) + " |" for line in lines)

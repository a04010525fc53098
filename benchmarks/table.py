"""The result as Markdown: a summary of two tables, one a precision, and all solvers on all problems."""

import statistics

from benchmarks.machine import LOADED
from benchmarks.runs import PRECISIONS


def summary(result: dict) -> str:
    """Compact enough for a page of documentation."""
    problems = result["problems"]
    parts = [heading(result)]
    for precision in PRECISIONS:
        parts.append(f"## To {precision:.0e}\n\n{summary_table(problems, precision)}\n\n{means(problems, precision)}")
    return "\n\n".join(parts) + "\n"


def tables(result: dict) -> str:
    return summary(result) + "\n## All solvers\n\n" + all_solvers(result["problems"]) + "\n"


def heading(result: dict) -> str:
    machine, options = result["machine"], result["options"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    lines = [
        "# Time to a relative suboptimality",
        "",
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gb']} GB, {machine['system']}, "
        f"Python {machine['python']}; {versions}.",
        "",
        f"Seconds of the fit alone, warm, least of at least {options['repeats']} runs for ours and peers within 1.5 "
        "of the best; no intercept but for those problems that have no penalty. "
        "*Certified*: until our certificate proves the precision. *Swept*: the least time of any setting whose weights "
        "have it, as for the peers. *Ratio*: best peer / ours. A time with * (and a ratio of such) was measured "
        f"while others kept more than {LOADED:g} of a core busy.",
    ]
    if result["is_only_ours"]:
        lines.append("\n**The peers' times are those of an earlier run: the ratios are for development only.**")
    lines += [f"\nMissing: {peer} ({reason})." for peer, reason in result["missing"].items()]
    problems = result["problems"]
    unsure = [one["key"] for one in problems if not one["is_minimum_certain"]]
    lines += [f"\nThe minimum is the least value found, which no certificate proves: {key}." for key in unsure]
    refuted = [one["key"] for one in problems if one["optimum"] < one["lower_bound"] - 1e-9 * abs(one["optimum"])]
    lines += [f"\n**A point lies below the bound that our certificate proves: {key}.**" for key in refuted]
    return "\n".join(lines)


def summary_table(problems: list[dict], precision: float) -> str:
    titles = ["data", "problem", "certified", "swept", "best peer", "which", "ratio certified", "ratio swept"]
    return grid(titles, [summary_row(problem, figures_of(problem, precision)) for problem in problems])


def figures_of(problem: dict, precision: float) -> dict:
    return next(one for one in problem["precisions"] if one["precision"] == precision)


def summary_row(problem: dict, figures: dict) -> list[str]:
    rival = figures["best_peer"]
    return [
        problem["data"],
        f"{problem['loss']}, {problem['penalty']}",
        own_cell(figures["certified"]),
        own_cell(figures["swept"]),
        timing(rival) if rival else f"none in {problem['peer_limit']:.2g} s",
        f"{rival['label']}, {rival['representation']}, {rival['setting']}" if rival else "",
        times(figures["peer_over_certified"], figures["certified"], rival),
        times(figures["peer_over_swept"], figures["swept"], rival),
    ]


def means(problems: list[dict], precision: float) -> str:
    """Geometric mean and least of the ratios, over the problems that have both times."""
    figures = [figures_of(problem, precision) for problem in problems]
    lines = []
    for kind in ("certified", "swept"):
        ratios = [one[f"peer_over_{kind}"] for one in figures if one[f"peer_over_{kind}"] is not None]
        if ratios:
            behind = sum(ratio < 0.9 for ratio in ratios)
            lines.append(
                f"Ratio {kind}: geometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}, "
                f"below 0.9 on {behind} of {len(ratios)} problems."
            )
    alone = sum(one["best_peer"] is None and one["certified"] is not None for one in figures)
    lost = sum(one["certified"] is None for one in figures)
    lines.append(f"No peer in time, ours certified: {alone}. Ours not certified: {lost}.")
    return "\n".join(lines)


def progress(problem: dict) -> str:
    """Two lines for who watches."""
    lines = []
    for figures in problem["precisions"]:
        _, _, certified, swept, peer, which, *ratios = summary_row(problem, figures)
        lines.append(f"  {figures['precision']:.0e}: {certified}, {swept}, {peer} {which}; {', '.join(ratios)}")
    return "\n".join(lines)


def timing(figure: dict) -> str:
    """The seconds, with a star when others were at work (or nobody knows whether they were)."""
    return seconds(figure["seconds"]) + ("*" if is_loaded(figure) else "")


def is_loaded(figure: dict) -> bool:
    return figure["foreign_cores"] is None or figure["foreign_cores"] > LOADED


def own_cell(figure: dict | None) -> str:
    return "none" if figure is None else f"{timing(figure)} ({figure['solver']}, {figure['representation']})"


def all_solvers(problems: list[dict]) -> str:
    titles = ["data", "problem", "solver", *(f"{precision:.0e}" for precision in PRECISIONS), "nearest", "remark"]
    rows = []
    for problem in problems:
        start = [problem["data"], f"{problem['loss']}, {problem['penalty']}"]
        columns = [figures_of(problem, precision)["solvers"] for precision in PRECISIONS]
        lines = [line for line in zip(*columns, strict=True) if "not run: not for" not in line[0]["status"]]
        rows += [start + solver_cells(line) for line in sorted(lines, key=speed)]
    return grid(titles, rows)


def speed(line: tuple[dict, ...]) -> list[float]:
    """The times, the finest precision first."""
    return [one["figure"]["seconds"] if one["figure"] else float("inf") for one in reversed(line)]


def solver_cells(line: tuple[dict, ...]) -> list[str]:
    figures, last = [one["figure"] for one in line], line[-1]
    cells = [f"{timing(one)} ({one['representation']}, {one['setting']})" if one else "" for one in figures]
    nearest = f"{max(last['nearest'], 0.0):.1e}" if last["nearest"] is not None else ""
    return [f"{last['peer']} {last['name']}", *cells, nearest, "" if all(figures) else last["status"]]


def seconds(value: float | None) -> str:
    if value is None:
        return "none"
    return f"{value:.4f}" if value < 0.1 else f"{value:.3f}" if value < 10 else f"{value:.1f}"


def times(value: float | None, ours: dict | None, rival: dict | None) -> str:
    """A ratio; a star when either time has one, because load slows solvers unequally (BLAS threads most)."""
    if value is None or ours is None or rival is None:
        return "none"
    return f"{value:.2f}" + ("*" if is_loaded(ours) or is_loaded(rival) else "")


def grid(titles: list[str], rows: list[list[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "/") for cell in line) + " |" for line in lines)

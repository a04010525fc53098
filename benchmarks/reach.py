"""python -m benchmarks.reach: does `solver="auto"` certify every honest table, and how near is it to the best solver?

    python -m benchmarks.reach --data folder --rows 2000
    python -m benchmarks.reach --data folder --rows 2000 --rivals --only adult_raw

Every table, as it is and standardised, with every loss that fits its answers, under five settings, at the default
tolerance and the default passes. With --rivals every other solver that can takes the same problem, for at most the time
of auto. Times are those of the processor, of the fit as `empirisk fit` runs it, the reading left out; the least of two
runs, where one does not take long. What was measured is kept line by line in --results, and a further run goes on where
the last one ended.
"""

import json
import multiprocessing
import signal
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import click

from benchmarks import reach_tables
from benchmarks.table import grid, seconds

FACTOR = 3.0  # times the best single solver is too slow
SHORT = 5e-3  # seconds that a rival has in any case
GUARD = 20.0  # seconds, compiling included, after which a rival is cut off in the middle of a step
REPEATED = 30.0  # seconds below which a fit runs twice: the first one may have compiled


class TimeUpError(BaseException):
    """Raised by the timer, through everything."""


@contextmanager
def at_most(limit: float):
    """Processor seconds; looked at between two calls of compiled code."""

    def ring(*_: object) -> None:
        raise TimeUpError

    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)


def fitted(rows: reach_tables.Rows, asked: dict, limit: float) -> dict:
    """One fit: whether it is proven, in what time, and the words where it is not."""
    from empirisk.models import FitOptions, fit_linear

    began = time.process_time()
    try:
        with at_most(limit), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model, solution, _ = fit_linear(rows.X, rows.y, FitOptions(task=rows.task, **asked, n_threads=1).checked())
    except TimeUpError:
        return {"is_proven": False, "seconds": time.process_time() - began, "status": f"cut off after {limit:.1f} s"}
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        is_answer = "has no minimum" in said
        return {"is_proven": is_answer, "seconds": time.process_time() - began, "status": said, "solver": ""}
    return {
        "is_proven": bool(model.certified or solution.status.name == "UNATTAINED"),
        "seconds": time.process_time() - began,
        "status": str(model.status),
        "name": solution.status.name,
        "gap": getattr(model.certificate, "relative_gap", None),
        "solver": model.reason,
        "passes": model.passes,
        "objective": solution.objective,
    }


def rivals(rows: reach_tables.Rows, asked: dict, auto: dict, most: float) -> dict:
    """Every single solver that certifies in the time of auto: its seconds, the least of two runs."""
    from empirisk.solvers import SOLVERS

    times = {}
    for name in SOLVERS:
        limit = max(auto["seconds"], SHORT)
        own = {**asked, "solver": name, "time_limit": limit}  # which leaves compiling out
        found = fitted(rows, own, limit + GUARD)
        if not found["is_proven"]:
            continue
        auto["seconds"] = min(auto["seconds"], fitted(rows, asked, most)["seconds"])
        again = fitted(rows, own, limit + GUARD)
        if again["is_proven"]:
            times[name] = min(found["seconds"], again["seconds"])
    return times


def cases(rows: reach_tables.Rows, name: str, losses: str | None):
    for loss in reach_tables.losses_of(rows, name):
        if losses is not None and loss not in losses.split(","):
            continue
        for setting, asked in reach_tables.settings():
            for columns in ("raw", "standardised"):
                yield (
                    {"table": name, "columns": columns, "loss": loss, "setting": setting},
                    {
                        "loss": loss,
                        "standardize": columns == "standardised",
                        **asked,
                    },
                )


def measure_table(work: tuple) -> None:
    folder, name, most_rows, losses, with_rivals, most, results = work
    done = {key_of(one) for one in read_results(results) if not with_rivals or "rivals" in one}
    rows = reach_tables.read(folder, name, most_rows)
    for case, asked in cases(rows, name, losses):
        case |= {"rows": rows.X.shape[0], "width": rows.X.shape[1], "said": rows.said}
        if key_of(case) in done:
            continue
        found = fitted(rows, asked, most)
        if found["status"].startswith("Unsupported: softmax"):  # takes no constraint: nothing was asked of a solver
            continue
        if found["seconds"] < REPEATED:
            found["seconds"] = min(found["seconds"], fitted(rows, asked, most)["seconds"])
        if with_rivals:
            found["rivals"] = rivals(rows, asked, found, most)
        with results.open("a") as file:
            file.write(json.dumps(case | found) + "\n")
        mark = "proven" if found["is_proven"] else f"NOT PROVEN ({found.get('gap')}): {found['status']}"
        click.echo(f"{' / '.join(map(str, key_of(case)))}: {found['seconds']:.2f} s, {mark}")


def key_of(one: dict) -> tuple:
    return tuple(one[name] for name in ("table", "columns", "loss", "setting", "rows"))


def read_results(path: Path) -> list[dict]:
    """The newest line of each case, in the order of the file."""
    if not path.exists():
        return []
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return list({key_of(one): one for one in lines}.values())


def report(found: list[dict]) -> str:
    """The summary, what is not proven, and what is slow beside a rival."""
    parts = [summary(found)]
    open_ones = [one for one in found if not one["is_proven"]]
    if open_ones:
        parts.append("## Not certified\n\n" + uncertified(open_ones))
    raced = [one for one in found if one.get("rivals") and one["is_proven"]]  # by one that was faster
    slow = sorted((one for one in raced if ratio_of(one) > FACTOR), key=ratio_of, reverse=True)
    if slow:
        parts.append(f"## More than {FACTOR:g} times the best single solver\n\n" + slower(slow))
    return "\n\n".join(parts) + "\n"


def summary(found: list[dict]) -> str:
    tables = list(dict.fromkeys(one["table"] for one in found))
    lines = []
    for table in [*tables, "all"]:
        ones = [one for one in found if table in (one["table"], "all")]
        proven = sum(one["is_proven"] for one in ones)
        raced = [one for one in ones if "rivals" in one and one["is_proven"]]
        ratios = [ratio_of(one) for one in raced if one["rivals"]]
        shape = f"{ones[0]['rows']} x {ones[0]['width']}" if table != "all" else ""
        said = ones[0]["said"].removesuffix("; ") if table != "all" else ""
        share = f"{100.0 * proven / len(ones):.1f} %"
        worst = f"{max(ratios):.1f}" if ratios else ""
        beyond = str(sum(ratio > FACTOR for ratio in ratios)) if raced else ""
        total = seconds(sum(one["seconds"] for one in ones))
        lines.append([table, shape, said, str(len(ones)), str(proven), share, total, str(len(raced)), worst, beyond])
    titles = ["table", "shape", "made by", "fits", "certified", "share", "seconds", "raced", "worst ratio"]
    return grid([*titles, f"beyond {FACTOR:g}"], lines)


def uncertified(ones: list[dict]) -> str:
    titles = ["table", "columns", "loss", "setting", "relative gap", "seconds", "reason", "solver"]
    lines = []
    for one in ones:
        gap = f"{one['gap']:.1e}" if one.get("gap") is not None else ""
        others = ", ".join(f"{name} {seconds(took)}" for name, took in sorted(one.get("rivals", {}).items(), key=last))
        reason = one["status"] + (f" (certified by {others})" if others else "")
        start = [one["table"], one["columns"], one["loss"], one["setting"], gap, seconds(one["seconds"])]
        lines.append([*start, reason, one.get("solver", "").partition(":")[0]])
    return grid(titles, lines)


def slower(ones: list[dict]) -> str:
    lines = []
    for one in ones:
        name, least = min(one["rivals"].items(), key=last)
        start = [one["table"], one["columns"], one["loss"], one["setting"], seconds(one["seconds"]), seconds(least)]
        lines.append([*start, f"{ratio_of(one):.1f}", name, one["solver"].partition(":")[0]])
    titles = ["table", "columns", "loss", "setting", "auto, s", "best, s", "ratio", "best", "auto began with"]
    return grid(titles, lines)


def last(item: tuple) -> float:
    return item[1]


def ratio_of(one: dict) -> float:
    return one["seconds"] / min(one["rivals"].values())


@click.command()
@click.option("--data", "folder", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--rows", "most_rows", default=2000, show_default=True, help="Of a table; larger ones are sampled.")
@click.option("--only", default=None, help="Tables, with commas.")
@click.option("--skip", default="", help="Tables to leave out, with commas.")
@click.option("--losses", default=None, help="Losses, with commas.")
@click.option("--rivals", "with_rivals", is_flag=True, help="Every other solver on the same problem.")
@click.option("--limit", "most", default=120.0, show_default=True, help="Processor seconds of a fit.")
@click.option("--jobs", default=1, show_default=True, help="Tables at a time.")
@click.option("--results", default=None, type=click.Path(path_type=Path), help="Where each line is kept.")
@click.option("--output", type=click.Path(path_type=Path), help="A Markdown table of all in --results.")
def main(folder, most_rows, only, skip, losses, with_rivals, most, jobs, results, output) -> None:
    """How many fits of the automatic solver end certified."""
    from benchmarks.data_sets import default_cache

    results = results or default_cache() / f"reach-{most_rows}.jsonl"
    results.parent.mkdir(parents=True, exist_ok=True)
    asked = only.split(",") if only else reach_tables.names(folder)
    asked = [name for name in asked if name not in skip.split(",")]
    works = [(folder, name, most_rows, losses, with_rivals, most, results) for name in asked]
    if jobs == 1:
        for work in works:
            measure_table(work)
    else:
        with multiprocessing.get_context("spawn").Pool(jobs, maxtasksperchild=1) as pool:
            pool.map(measure_table, works, chunksize=1)
    text = report(read_results(results))
    if output is not None:
        output.write_text(text)
    click.echo(text)


if __name__ == "__main__":
    main()

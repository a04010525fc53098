"""python -m benchmarks.throughput --data FOLDER: megabytes a second of online learners, from text, first byte to last.

The benchmark writes each set as svmlight and as Vowpal Wabbit text, in 17 digits where a number needs them. Ours is
`empirisk stream` on either, Vowpal Wabbit reads the latter: wall seconds in one process after a first run that does
not count, the least of several, all of them in turn. Both parse ahead on a thread of their own.
"""

import math
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
from click.testing import CliRunner

from benchmarks import machine, table
from benchmarks.data_sets import cached_file, default_cache, load
from benchmarks.parsing import stream_speed
from benchmarks.peers import installed_version
from benchmarks.progressive import OPTIONS, write_rows
from benchmarks.publish import publish
from benchmarks.streams import STREAMS, stream
from empirisk.cli.main import main as empirisk

SETS = ("kddcup99", "covtype", "mnist")
LEARNERS = ("adagrad", "scale_free_betting", "mixture")
MOST_ROWS = {"covtype": 60_000}  # standardised, in 17 digits: 76 MB
FORMATS = {"svmlight": "svm", "vw": "vw"}
OF_VW = ", VW text"  # what is said of a learner that reads what Vowpal Wabbit does


def write_files(name: str, folder: Path, scratch: Path) -> dict[str, Path]:
    cache = default_cache()
    data = stream(name, folder, cache) if name in STREAMS else load(name, cached_file("binary", name, folder, cache))
    most = MOST_ROWS.get(name)
    X, y = data.rows("csr")[:most], data.y[:most]
    files = {form: scratch / f"{name}.{suffix}" for form, suffix in FORMATS.items()}
    write_rows(X, y, files["svmlight"], "")
    write_rows(X, y, files["vw"])
    return files


def with_ours(learner: str, file: Path) -> Callable[[], None]:
    arguments = ["stream", str(file), "--learner", learner, "--quiet", "--json"]

    def play() -> None:
        outcome = CliRunner().invoke(empirisk, arguments)
        if outcome.exit_code:
            raise click.ClickException(outcome.output)

    return play


def with_vw(file: Path) -> Callable[[], None]:
    import vowpalwabbit

    return lambda: vowpalwabbit.Workspace(f"{OPTIONS} -d {file}").finish()


def least_seconds(plays: dict[str, Callable[[], None]], repeats: int) -> dict[str, float]:
    """Wall seconds; one untimed run of each first, which compiles or loads what was compiled."""
    found = dict.fromkeys(plays, math.inf)
    for repeat in range(repeats + 1):
        for name, play in plays.items():
            start = time.perf_counter()
            play()
            if repeat:
                found[name] = min(found[name], time.perf_counter() - start)
    return found


def speeds_on(name: str, folder: Path, repeats: int) -> dict:
    with tempfile.TemporaryDirectory() as scratch:
        files = write_files(name, folder, Path(scratch))
        sizes = {form: file.stat().st_size / 1e6 for form, file in files.items()}
        plays = {"VW": with_vw(files["vw"])}
        plays |= {learner: with_ours(learner, files["svmlight"]) for learner in LEARNERS}
        plays |= {f"{learner}{OF_VW}": with_ours(learner, files["vw"]) for learner in LEARNERS}
        seconds = least_seconds(plays, repeats)
        parsed = {form: stream_speed(form, file, repeats) for form, file in files.items()}
    of_vw = {play for play in plays if play == "VW" or play.endswith(OF_VW)}
    speeds = {play: sizes["vw" if play in of_vw else "svmlight"] / spent for play, spent in seconds.items()}
    return {"data": name, "megabytes": sizes, "speeds": speeds, "parsed": parsed}


def markdown(result: dict) -> str:
    what = result["machine"]
    heading = (
        f"# Megabytes a second: online learning from text\n\n{what['cpu']}, Python {what['python']}, vowpalwabbit "
        f"{result['vowpalwabbit']} (`{OPTIONS}`). Wall time; in brackets times Vowpal Wabbit's, which reads the same "
        "rows as its own text.\n\n"
    )
    titles = ["data", "MB (svmlight, vw)", *result["sets"][0]["speeds"], "parsed alone, MB a CPU second (svmlight, vw)"]
    lines = []
    for row in result["sets"]:
        peer = row["speeds"]["VW"]
        cells = [f"{speed:.0f} ({speed / peer:.2f})" for speed in row["speeds"].values()]
        sizes, parsed = (", ".join(f"{x:.0f}" for x in row[name].values()) for name in ("megabytes", "parsed"))
        lines.append([row["data"], sizes, *cells, parsed])
    shares = {
        play: np.exp(np.mean([np.log(row["speeds"][play] / row["speeds"]["VW"]) for row in result["sets"]]))
        for play in result["sets"][0]["speeds"]
    }
    lines.append(["geometric mean", "", *(f"{share:.2f}" for share in shares.values()), ""])
    return heading + table.grid(titles, lines) + "\n"


@click.command()
@click.option("--data", "folder", required=True, type=click.Path(path_type=Path), help="Folder of data sets.")
@click.option("--only", multiple=True, help="Data sets by name; all of them without.")
@click.option("--repeats", default=3, show_default=True)
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(folder, only, repeats, json_path):
    """Measure megabytes a second, ours and Vowpal Wabbit's."""
    result = {"machine": machine.description(), "vowpalwabbit": installed_version("vowpalwabbit"), "sets": []}
    for name in only or SETS:
        row = speeds_on(name, folder, repeats)
        result["sets"].append(row)
        click.echo(f"{name}: " + ", ".join(f"{k} {v:.0f}" for k, v in row["speeds"].items()), err=True)
    publish(result, markdown, json_path)


if __name__ == "__main__":
    main()

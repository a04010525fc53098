"""python -m benchmarks.stream_memory: the peak memory of `empirisk stream` on short and long pipes.

Rows are made once and sent again and again, so that the columns stay the same. The peak is that of memory of the
process's own, looked at every few milliseconds: pages of mapped files, which the system takes back when it needs them,
are not in it. Linux only.
"""

import subprocess
import sys
import threading
import time
from pathlib import Path

import click
import numpy as np

from benchmarks import machine, table
from benchmarks.publish import publish

ROWS = 100_000  # of the text that is repeated
INTERVAL = 0.01  # seconds
RUNS = {
    "mixture": [],
    "adagrad": ["--learner", "adagrad"],
    "adagrad --regret": ["--learner", "adagrad", "--regret", "--against", "l2_ball:radius=10"],
}


def text_of(n_rows: int) -> bytes:
    rng = np.random.default_rng(0)
    columns = np.sort(rng.permuted(np.tile(np.arange(1, 41), (n_rows, 1)), axis=1)[:, :5], axis=1)
    values = rng.normal(size=(n_rows, 5))
    labels = np.where(values.sum(axis=1) + rng.normal(size=n_rows) > 0.0, 1, -1)
    rows = zip(labels.tolist(), columns.tolist(), values.tolist(), strict=True)
    lines = (f"{y} " + " ".join(f"{j}:{x:.3g}" for j, x in zip(js, xs, strict=True)) for y, js, xs in rows)
    return ("\n".join(lines) + "\n").encode()


def own_memory(pid: int) -> float:
    """In MB; 0 once the process has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1e3 for line in status.splitlines() if line.startswith("RssAnon")), 0.0)


def peak_of(options: list[str], text: bytes, repeats: int) -> float:
    code = "from empirisk.cli.entry import run; run()"
    words = [sys.executable, "-c", code, "stream", "-", "--quiet", "--json", *options]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:

        def send() -> None:
            for _ in range(repeats):
                process.stdin.write(text)
            process.stdin.close()

        sender = threading.Thread(target=send)
        sender.start()
        peak = 0.0
        while process.poll() is None:
            peak = max(peak, own_memory(process.pid))
            time.sleep(INTERVAL)
        sender.join()
    if process.returncode:
        raise click.ClickException(f"stream ended with {process.returncode}")
    return peak


def markdown(result: dict) -> str:
    sizes = result["rows"]
    titles = ["run", *(f"{n:,} rows" for n in sizes), "MB more", "bytes a row more"]
    lines = []
    for name, peaks in result["peaks"].items():
        more = peaks[-1] - peaks[0]
        lines.append(
            [name, *(f"{peak:.1f}" for peak in peaks), f"{more:.1f}", f"{1e6 * more / (sizes[-1] - sizes[0]):.1f}"]
        )
    what = result["machine"]
    heading = f"# Peak memory of a piped stream, in MB\n\n{what['cpu']}, Python {what['python']}.\n\n"
    return heading + table.grid(titles, lines) + "\n"


@click.command()
@click.option("--rows", default=10_000_000, show_default=True, help="Of the long pipe, in hundred thousands.")
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(rows, json_path):
    """Measure the peak memory of runs over a pipe of 100,000 rows, and over one of many more."""
    text, sizes = text_of(ROWS), [ROWS, rows // ROWS * ROWS]
    peaks = {}
    for name, options in RUNS.items():
        peak_of(options, text, 1)  # compiles
        peaks[name] = [peak_of(options, text, size // ROWS) for size in sizes]
        click.echo(f"{name}: " + ", ".join(f"{peak:.1f}" for peak in peaks[name]), err=True)
    publish({"machine": machine.description(), "rows": sizes, "peaks": peaks}, markdown, json_path)


if __name__ == "__main__":
    main()

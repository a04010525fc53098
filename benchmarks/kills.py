"""python -m benchmarks.kills: runs over a stream that are cut or killed at random moments, and go on.

A cut is a run over the first bytes of the stream, up to the end of a line: of a file, of a pipe or of a gzip archive;
the rest is learned with `--resume --same-stream`. A kill is SIGKILL while `empirisk stream --every` runs; it goes on
with `--resume --same-stream`, or from the beginning where nothing was saved. Each time the model file must have the
sha256 of a run that was left alone.
"""

import gzip
import hashlib
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click
import numpy as np

LEARNERS = (
    ("mixture",),
    ("adagrad", "--l1", "1e-3", "--l2", "1e-3"),
    ("gradient_descent", "--l2", "1e-3"),
    ("scale_free_betting",),
)
N_ROWS, N_COLUMNS, N_ENTRIES = 20_000, 1000, 8
KILLED_ROWS = 30 * N_ROWS


def rows(count: int, seed: int) -> bytes:
    draws = np.random.default_rng(seed)
    weights, lines = draws.normal(size=N_COLUMNS), []
    for _ in range(count):
        columns = np.unique(draws.integers(N_COLUMNS, size=N_ENTRIES))
        values = draws.normal(size=columns.size)
        label = 1 if values @ weights[columns] + draws.normal() > 0.0 else -1
        entries = " ".join(f"{j}:{x:.6g}" for j, x in zip(columns, values, strict=True))
        lines.append(f"{label} {entries}\n")
    return "".join(lines).encode()


def command(source: str, model: Path, learner: tuple[str, ...], *more: str) -> list[str]:
    call = [sys.executable, "-c", "from empirisk.cli.entry import run; run()", "stream", source, "--save", str(model)]
    return [*call, "--quiet", *more, "--learner", *learner]


def digest(model: Path) -> str:
    return hashlib.sha256(model.read_bytes()).hexdigest()


def run(source: str, model: Path, learner: tuple[str, ...], *more: str, given: bytes | None = None) -> None:
    subprocess.run(command(source, model, learner, *more), input=given, check=True, capture_output=True)


def same_after_cut(folder: Path, text: bytes, kind: str, learner: tuple[str, ...], whole: str) -> bool:
    """Whether a run over the first lines that goes on over all of them ends as one that went through."""
    model, part, full = folder / "cut", folder / "part", folder / "full"
    model.unlink(missing_ok=True)
    start = text[: text.index(b"\n", random.randrange(len(text) - 200)) + 1]
    if kind == "pipe":
        run("-", model, learner, given=start)
        run("-", model, learner, "--resume", str(model), "--same-stream", given=text)
    else:
        pack = gzip.compress if kind == "gz" else bytes
        part.write_bytes(pack(start))
        full.write_bytes(pack(text))
        run(str(part), model, learner)
        run(str(full), model, learner, "--resume", str(model), "--same-stream")
    return digest(model) == whole


def same_after_kill(
    source: Path, model: Path, learner: tuple[str, ...], whole: str, seconds: float
) -> tuple[bool, bool]:
    """Whether it ends as one that was left alone, and whether anything had been saved when it was killed."""
    model.unlink(missing_ok=True)
    process = subprocess.Popen(
        command(str(source), model, learner, "--every", "5000"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(seconds)
    process.kill()
    process.wait()
    was_saved = model.exists()
    resume = ("--resume", str(model), "--same-stream") if was_saved else ()
    run(str(source), model, learner, "--every", "5000", *resume)
    return digest(model) == whole, was_saved


@click.command()
@click.option("--cuts", default=50, show_default=True, help="Of each kind of source, the learners in turn.")
@click.option("--kills", default=50, show_default=True)
@click.option("--seed", default=0, show_default=True)
def main(cuts, kills, seed):
    """Cut and kill runs over streams."""
    random.seed(seed)
    text = rows(N_ROWS, seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        source = folder / "rows.svm"
        source.write_bytes(text)
        wholes = {}
        for learner in LEARNERS:
            run(str(source), folder / "whole", learner)
            wholes[learner] = digest(folder / "whole")
        for kind in ("file", "pipe", "gz"):
            same = 0
            for k in range(cuts):
                learner = LEARNERS[k % len(LEARNERS)]
                same += same_after_cut(folder, text, kind, learner, wholes[learner])
            click.echo(f"{kind}: {same} of {cuts} cuts end with the bytes of the whole run")
        source.write_bytes(text * (KILLED_ROWS // N_ROWS))
        same = saved = 0
        spans = {}
        for k in range(kills):
            learner = LEARNERS[k % len(LEARNERS)]
            if learner not in spans:
                start = time.perf_counter()
                run(str(source), folder / "whole", learner, "--every", "5000")
                spans[learner], wholes[learner] = time.perf_counter() - start, digest(folder / "whole")
            is_same, was_saved = same_after_kill(
                source, folder / "killed", learner, wholes[learner], random.random() * spans[learner]
            )
            same, saved = same + is_same, saved + was_saved
        click.echo(f"{same} of {kills} kills end with the bytes of the whole run; {saved} had saved something")


if __name__ == "__main__":
    main()

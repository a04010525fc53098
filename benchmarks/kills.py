"""python -m benchmarks.kills: runs over a stream that are cut or killed at random moments, and go on.

A cut is a run over the first bytes of the stream, up to the end of a line: of a file, of a pipe or of a gzip archive;
the rest is learned with `--resume --same-stream`. A kill is SIGKILL while `empirisk stream --every` runs; it goes on
with `--resume --same-stream`, or from the beginning where nothing was saved. Each time the model file must have the
sha256 of a run that was left alone. Starting Python takes longer than such a run: the command is called in this
process, and what is killed is a fork of it, which has all code loaded and compiled, so that the signal meets the run.
"""

import contextlib
import gzip
import hashlib
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np

from empirisk.cli.main import main as empirisk

LEARNERS = (
    ("mixture",),
    ("adagrad", "--l1", "1e-3", "--l2", "1e-3"),
    ("gradient_descent", "--l2", "1e-3"),
    ("scale_free_betting",),
)
N_ROWS, N_COLUMNS, N_ENTRIES = 20_000, 1000, 8
MANY_TIMES = 5  # the rows, for runs that are killed
EVERY = ("--every", "2000")


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


def digest(model: Path) -> str:
    return hashlib.sha256(model.read_bytes()).hexdigest()


def run(source: object, model: Path, learner: tuple[str, ...], *more: str) -> None:
    call = ["stream", str(source), "--save", str(model), "--quiet", *more, "--learner", *learner]
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        code = empirisk(call, prog_name="empirisk", standalone_mode=False)
    if code:
        raise RuntimeError(f"exit code {code}: {' '.join(call)}")


def resumed(model: Path) -> tuple[str, ...]:
    return ("--resume", str(model), "--same-stream")


@contextlib.contextmanager
def piped(text: bytes) -> Iterator[None]:
    """Standard input is a pipe that holds the text."""
    reader, writer = os.pipe()

    def feed() -> None:
        with os.fdopen(writer, "wb") as sink:
            sink.write(text)

    usual, feeder = sys.stdin, threading.Thread(target=feed)
    with os.fdopen(reader) as sys.stdin:
        feeder.start()
        try:
            yield
        finally:
            sys.stdin = usual
    feeder.join()


def same_after_cut(folder: Path, text: bytes, kind: str, learner: tuple[str, ...], whole: str) -> bool:
    """Whether a run over the first lines that goes on over all of them ends as one that went through."""
    model, source = folder / "cut", folder / f"rows.{kind}"
    model.unlink(missing_ok=True)
    start = text[: text.index(b"\n", random.randrange(len(text) - 200)) + 1]
    for part, more in ((start, ()), (text, resumed(model))):
        if kind == "pipe":
            with piped(part):
                run("-", model, learner, *more)
        else:
            source.write_bytes(gzip.compress(part, 1) if kind == "gz" else part)
            run(source, model, learner, *more)
    return digest(model) == whole


def same_after_kill(
    source: Path, model: Path, learner: tuple[str, ...], whole: str, seconds: float
) -> tuple[bool, bool, bool]:
    """Whether it ends as one that was left alone, was running when it was killed, and had saved anything."""
    model.unlink(missing_ok=True)
    process = multiprocessing.get_context("fork").Process(target=run, args=(source, model, learner, *EVERY))
    process.start()
    time.sleep(seconds)
    process.kill()
    process.join()
    was_saved = model.exists()
    run(source, model, learner, *EVERY, *(resumed(model) if was_saved else ()))
    return digest(model) == whole, process.exitcode == -signal.SIGKILL, was_saved


@click.command()
@click.option("--cuts", default=50, show_default=True, help="Of each kind of source, for each learner.")
@click.option("--kills", default=50, show_default=True, help="The learners in turn.")
@click.option("--minutes", default=10.0, show_default=True, help="For cuts, and again for kills; then there are fewer.")
@click.option("--seed", default=0, show_default=True)
def main(cuts, kills, minutes, seed):
    """Cut and kill runs over streams."""
    random.seed(seed)
    text = rows(N_ROWS, seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        source, model = folder / "rows.svm", folder / "model"
        source.write_bytes(text)
        wholes, counts = {}, dict.fromkeys(("file", "pipe", "gz"), (0, 0))
        for learner in LEARNERS:
            run(source, model, learner)
            wholes[learner] = digest(model)
        end = time.monotonic() + 60.0 * minutes
        for _ in range(cuts):
            for kind, (same, made) in counts.items():
                if time.monotonic() < end:
                    found = [same_after_cut(folder, text, kind, *each) for each in wholes.items()]
                    counts[kind] = same + sum(found), made + len(found)
        for kind, (same, made) in counts.items():
            if made:
                click.echo(f"{kind}: {same} of {made} cuts end with the bytes of the whole run")
        source.write_bytes(text * MANY_TIMES)
        spans, found = {}, []
        for learner in LEARNERS:
            start = time.perf_counter()
            run(source, model, learner, *EVERY)
            spans[learner], wholes[learner] = time.perf_counter() - start, digest(model)
        end = time.monotonic() + 60.0 * minutes
        for k in range(kills):
            learner = LEARNERS[k % len(LEARNERS)]
            if time.monotonic() < end:
                seconds = random.random() * spans[learner]
                found.append(same_after_kill(source, folder / "killed", learner, wholes[learner], seconds))
        same, running, saved = (sum(column) for column in zip(*found, strict=True)) if found else (0, 0, 0)
        click.echo(f"{same} of {len(found)} kills end with the bytes of the whole run; ", nl=False)
        click.echo(f"{running} met a run that was not over, {saved} one that had saved something")


if __name__ == "__main__":
    main()

"""empirisk warm-up: compile what the usual problems need, before anybody waits for it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from empirisk.cli.errors import InputOutput, Usage
from empirisk.cli.help import Command
from empirisk.cli.options import json_option, quiet_option
from empirisk.cli.output import emit_json, emit_table
from empirisk.cli.progress import progress
from empirisk.progress import Event, duration
from empirisk.stopwatch import Stopwatch

if TYPE_CHECKING:
    from empirisk.warm_up import Warmed

ROWS = {"dense": ("dense",), "sparse": ("sparse",), "both": ("dense", "sparse")}


def kinds(text: Any) -> tuple[str, ...]:
    """Names with commas between them."""
    found = tuple(dict.fromkeys(filter(None, (part.strip() for part in text.split(",")))))
    if not found:
        raise click.BadParameter("it names no kind.")
    return found


@click.command(
    "warm-up",
    cls=Command,
    examples=(
        "warm-up",
        "warm-up --only logistic,softmax,files --rows dense",
        "warm-up --processes 1 --json",
    ),
)
@click.option(
    "--only",
    type=kinds,
    metavar="KINDS",
    help="These, with commas between them, any loss is one.  [default: usual]",
)
@click.option("--rows", type=click.Choice(list(ROWS)), default="both", show_default=True, help="Kinds of rows.")
@click.option("--processes", type=click.IntRange(min=1), help="That compile at the same time.  [default: all cores]")
@json_option
@quiet_option
def command(only: tuple[str, ...] | None, rows: str, processes: int | None, as_json: bool, quiet: bool) -> int:
    """Compile ahead of time what the usual kinds of problems need, and keep it, so that no first use has to wait.

    The kinds are losses, and softmax, one_vs_rest, separate, perceptron, margin, minimize-errors, files. What is kept
    already is not compiled again. The folder is that of NUMBA_CACHE_DIR, where that is set.
    """
    from empirisk.code_folders import cache_folder
    from empirisk.compiled import is_interpreted

    if is_interpreted():
        raise Usage("nothing is compiled while NUMBA_DISABLE_JIT is set")
    folder = cache_folder()
    if folder is None:
        raise InputOutput("no folder for machine code can be written to; let NUMBA_CACHE_DIR name one that can")
    watch = Stopwatch()
    found = _warmed(only, ROWS[rows], processes, quiet)
    kernels, compile_seconds = sum(one.kernels for one in found), sum(one.compile_seconds for one in found)
    facts = {
        "kinds": [one._asdict() for one in found],
        "rows": list(ROWS[rows]),
        "kernels": kernels,
        "compile_seconds": compile_seconds,
        "seconds": watch.seconds(),
        "folder": str(folder),
    }
    if as_json:
        emit_json(facts)
    else:
        said = f"{kernels} kernels; {duration(compile_seconds)} of compiling, done in {duration(watch.seconds())}"
        emit_table(
            [
                ("Kinds", f"{', '.join(one.kind for one in found)}; on {' and '.join(ROWS[rows])} rows"),
                ("Compiled", said if kernels else "nothing: all of it was kept already"),
                ("Kept", f"under {folder}"),
            ]
        )
    return 0


def _warmed(only: tuple[str, ...] | None, rows: tuple[str, ...], processes: int | None, quiet: bool) -> list[Warmed]:
    """What each kind took, in the order in which they were asked for."""
    from concurrent.futures.process import BrokenProcessPool

    from empirisk.warm_up import USUAL, check_kinds, warm_up

    asked = only or USUAL
    try:
        check_kinds(asked)
    except ValueError as error:
        raise Usage(f"--only: {error}") from None
    found: list[Warmed] = []
    with progress(quiet, "warm-up") as draw:
        watch = Stopwatch()
        try:
            for one in warm_up(asked, rows, processes):
                found.append(one)
                if draw is not None:
                    draw(_event(len(found), len(asked), watch.seconds()))
        except BrokenProcessPool:
            said = "a process that compiled was ended, perhaps for want of memory"
            raise InputOutput(f"{said}; --processes 1 needs the least, and what was compiled is kept") from None
    return sorted(found, key=lambda one: asked.index(one.kind))


def _event(done: int, of: int, seconds: float) -> Event:
    left = seconds * (of - done) / done if done else math.nan
    return Event("warm-up", done / of, {"kinds": float(done), "of": float(of)}, seconds, left)

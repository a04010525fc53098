"""The command line, run in this process, and small files to run it on."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from empirisk.cli.main import main
from tests.cli.same_numbers import FILES

CODE = "from empirisk.cli.entry import run; run()"
# Small data: compiling would take longer than interpreting.
ENVIRONMENT = {**os.environ, "NUMBA_DISABLE_JIT": "1"}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EMPIRISK_TRACEBACK", "1")  # a bug shows as what it is


@pytest.fixture
def run() -> Callable[..., Result]:
    def call(*arguments: Any, input: str | bytes | None = None) -> Result:
        result = CliRunner().invoke(main, [str(a) for a in arguments], input=input)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return call


@pytest.fixture
def process() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts the command line in a process of its own; what is left of it ends with the test."""
    with contextlib.ExitStack() as started:

        def start(*arguments: Any, **streams: Any) -> subprocess.Popen[str]:
            child = subprocess.Popen(
                [sys.executable, "-W", "error", "-c", CODE, *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=streams.get("stdout", subprocess.PIPE),
                stderr=streams.get("stderr", subprocess.PIPE),
                env=ENVIRONMENT,
                text=True,
            )
            started.enter_context(child)
            started.callback(child.kill)
            return child

        yield start


@pytest.fixture
def interrupted() -> Callable[[subprocess.Popen[str], str], tuple[str, str]]:
    """Interrupts a process that shows its progress, once a line has this word; what it printed from then on."""

    def interrupt(child: subprocess.Popen[str], word: str) -> tuple[str, str]:
        line = ""
        while word not in line:
            line = child.stderr.readline()
            assert line, "it ended before it was interrupted"
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        return child.communicate(timeout=60)

    return interrupt


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str, str], Path]:
    """Writes a file with this name and text."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.fixture
def table(written: Callable[[str, str], Path]) -> Path:
    """Text, numbers, a label in words and weights."""
    rng = np.random.default_rng(3)
    lines = ["color,size,weight,label"]
    for i in range(30):
        color, size = ("red", "green", "blue")[i % 3], float(rng.normal())
        label = "yes" if size + (color == "red") + 0.5 * rng.normal() > 0.3 else "no"
        lines.append(f"{color},{size!r},{i % 4},{label}")
    return written("table.csv", "\n".join(lines) + "\n")


@pytest.fixture
def same_numbers(tmp_path: Path) -> None:
    """The same numbers in every format, in files named after it."""
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)


@pytest.fixture
def rows(written: Callable[[str, str], Path]) -> Path:
    """svmlight rows with labels -1 and 1."""
    return written("rows.svm", "1 1:2 3:4\n-1 1:1\n1 2:2 3:1 # a comment\n-1 2:3\n1 1:1.5 3:2\n")


@pytest.fixture
def conflicts(written: Callable[[str, str], Path]) -> Path:
    """An exclusive or and a point with both labels: two errors, of which one is the cheaper of the two copies."""
    return written("t.csv", "a,b,s,label\n0,0,1,no\n1,1,1,no\n1,0,1,yes\n0,1,1,yes\n5,5,3,yes\n5,5,2,no\n")


@pytest.fixture
def houses(written: Callable[[str, str], Path]) -> Path:
    """Prices: a regression."""
    rng = np.random.default_rng(4)
    lines = ["area,rooms,price"]
    for _ in range(20):
        area, rooms = float(rng.uniform(50, 150)), int(rng.integers(1, 6))
        lines.append(f"{area!r},{rooms},{1000 * area + 5000 * rooms + float(rng.normal())!r}")
    return written("houses.csv", "\n".join(lines) + "\n")

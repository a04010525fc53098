"""The command line, run in this process, and small files to run it on."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from empirisk.cli.main import main

CODE = "from empirisk.cli.main import run; run()"
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
def table(tmp_path: Path) -> Path:
    """Text, numbers, a label in words and weights."""
    rng = np.random.default_rng(3)
    lines = ["color,size,weight,label"]
    for i in range(30):
        color, size = ("red", "green", "blue")[i % 3], float(rng.normal())
        label = "yes" if size + (color == "red") + 0.5 * rng.normal() > 0.3 else "no"
        lines.append(f"{color},{size!r},{i % 4},{label}")
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """svmlight rows with labels -1 and 1."""
    path = tmp_path / "rows.svm"
    path.write_text("1 1:2 3:4\n-1 1:1\n1 2:2 3:1 # a comment\n-1 2:3\n1 1:1.5 3:2\n")
    return path


@pytest.fixture
def houses(tmp_path: Path) -> Path:
    """Prices: a regression."""
    rng = np.random.default_rng(4)
    lines = ["area,rooms,price"]
    for _ in range(20):
        area, rooms = float(rng.uniform(50, 150)), int(rng.integers(1, 6))
        lines.append(f"{area!r},{rooms},{1000 * area + 5000 * rooms + float(rng.normal())!r}")
    path = tmp_path / "houses.csv"
    path.write_text("\n".join(lines) + "\n")
    return path

"""What only a process of its own can show: signals, pipes, streams and what is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import ENVIRONMENT


@pytest.fixture
def slow_table(tmp_path: Path) -> Path:
    """Enough rows for a fit of minutes, interpreted."""
    rng = np.random.default_rng(0)
    path = tmp_path / "slow.svm"
    path.write_text("".join(f"{i % 2} 1:{a:.3f} 2:{b:.3f}\n" for i, (a, b) in enumerate(rng.normal(size=(3000, 2)))))
    return path


def test_an_interrupt_in_the_middle_of_a_fit(process, interrupted, slow_table, tmp_path):
    (tmp_path / "m").write_text("old")
    options = ["--loss", "hinge", "--tol", "1e-15", "--max-passes", "1000000"]
    started = process("fit", slow_table, "-o", "m", *options)
    stdout, stderr = interrupted(started, "pass")
    assert started.returncode == 130
    assert stdout == ""
    assert stderr.splitlines()[-1] == "Error: interrupted"
    assert "Traceback" not in stderr
    assert (tmp_path / "m").read_text() == "old"
    assert {p.name for p in tmp_path.iterdir()} == {"m", "slow.svm"}


def test_a_closed_pipe_ends_quietly(run, process, rows, tmp_path):
    assert run("fit", rows, "-o", "m").exit_code == 0
    (tmp_path / "many.svm").write_text("1 1:2\n" * 20_000)
    started = process("predict", "m", "many.svm", "--scores")  # more than a pipe holds
    assert started.stdout.readline() == "label,score\n"
    started.stdout.close()
    assert started.stderr.read() == ""
    assert started.wait(timeout=60) == 0


def test_a_closed_pipe_does_not_change_the_verdict(run, process, rows):
    assert run("fit", rows, "-o", "m").exit_code == 0
    for text, code in ((rows.read_text(), 0), (rows.read_text().replace("1:2", "1:7"), 1)):
        rows.write_text(text)
        started = process("verify", "m", rows)
        started.stdout.close()
        assert started.stderr.read() == ""
        assert started.wait(timeout=60) == code


def test_a_full_standard_output(run, process, rows):
    assert run("fit", rows, "-o", "m").exit_code == 0
    with open("/dev/full", "w", encoding="utf-8") as full:
        started = process("predict", "m", rows, stdout=full)
        _, stderr = started.communicate(timeout=60)
    assert started.returncode == 4
    assert stderr == "Error: standard output: No space left on device\n"


def test_results_and_messages_are_apart(process, table):
    stdout, stderr = process("fit", table, "-o", "m").communicate(timeout=60)
    assert stdout.startswith("Data ")
    assert stdout.endswith(f"empirisk verify m {table}\n")
    lines = stderr.splitlines()
    assert lines[0].startswith(f"Read 30 rows and 5 features from {table} in ")
    assert lines[1].startswith("Task: ")
    assert lines[2].startswith("fit 100%: pass ")
    assert len(lines) <= 5


def test_neither_fit_nor_predict_loads_scikit_learn(table):
    code = """
import sys
from empirisk.cli.main import main
for arguments in (['fit', 'table.csv', '-o', 'm'], ['predict', 'm', 'table.csv'], ['verify', 'm', 'table.csv']):
    try:
        main(arguments)
    except SystemExit as end:
        assert end.code == 0
print(*{m.partition('.')[0] for m in sys.modules})
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=ENVIRONMENT)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "numpy" in loaded
    assert not loaded & {"sklearn", "pandas", "matplotlib", "rich"}

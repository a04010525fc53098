"""What only a process of its own can show: signals, pipes, streams and what is imported."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import CODE, ENVIRONMENT


@pytest.fixture
def slow_table(tmp_path: Path) -> Path:
    """Enough rows for a fit of minutes, interpreted."""
    rng = np.random.default_rng(0)
    path = tmp_path / "slow.svm"
    path.write_text("".join(f"{i % 2} 1:{a:.3f} 2:{b:.3f}\n" for i, (a, b) in enumerate(rng.normal(size=(3000, 2)))))
    return path


def test_an_interrupt_in_the_middle_of_a_fit(process, interrupted, slow_table, tmp_path):
    (tmp_path / "m").write_text("old")
    options = ["--solver", "sgd", "--tol", "1e-15", "--max-passes", "1000000"]
    started = process("fit", slow_table, "-o", "m", *options)
    stdout, stderr = interrupted(started, "pass")
    assert started.returncode == 130
    assert stdout == ""
    said = "Error: interrupted, and nothing was written; with --keep, Ctrl-C writes the model that was reached"
    assert stderr.splitlines()[-1] == said
    assert "Traceback" not in stderr
    assert (tmp_path / "m").read_text() == "old"
    assert {p.name for p in tmp_path.iterdir()} == {"m", "slow.svm"}


def test_an_interrupt_keeps_what_was_reached_where_asked(run, process, interrupted, slow_table, tmp_path):
    options = ["--solver", "sgd", "--tol", "1e-15", "--max-passes", "1000000", "--keep", "--json", "--report", "p.html"]
    started = process("fit", slow_table, "-o", "m", *options)
    stdout, stderr = interrupted(started, "pass")
    assert started.returncode == 130
    found = json.loads(stdout)
    assert found["status"] == "stopped: interrupted before the gap was within the tolerance"
    assert found["certified"] is False
    assert 0.0 < found["gap"] < 1.0
    assert "the fit ends after this step and is written" in stderr
    assert stderr.splitlines()[-2].startswith("Interrupted, and not certified: ")
    assert "Traceback" not in stderr
    assert {p.name for p in tmp_path.iterdir()} == {"m", "p.html", "slow.svm"}
    assert "interrupted" in (tmp_path / "p.html").read_text()
    done = run("verify", "m", slow_table, "--json")
    assert done.exit_code == 1  # the certificate holds, and proves less than was asked
    assert json.loads(done.stdout)["holds"] is True


def test_an_interrupt_keeps_the_best_point_of_a_cross_validation(run, process, interrupted, slow_table, tmp_path):
    started = process("fit", slow_table, "-o", "m", "--l2", "cv", "--folds", "200", "--keep", "--json")
    stdout, stderr = interrupted(started, "fold")
    assert started.returncode == 130
    found = json.loads(stdout)
    assert found["status"] == "stopped: interrupted before the gap was within the tolerance"
    assert "Cross-validation: " in stderr
    assert "an interrupt ended the cross-validation." in stderr
    assert json.loads(run("verify", "m", slow_table, "--json").stdout)["holds"] is True


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


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """What a shell makes of a command, in which `empirisk` is the command line."""
    own = f"{shlex.quote(sys.executable)} -W error -c {shlex.quote(CODE)}"
    command = command.replace("empirisk", own, 1)
    return subprocess.run(command, shell=True, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_costs_only_what_would_have_been_said_there(closed, rows, tmp_path):
    done = shell(f"empirisk fit {rows} -o m --report page.html {closed}")
    assert done.returncode == 0
    assert bool(done.stdout) == (">&-" not in closed.split())
    assert bool(done.stderr) == ("2>&-" not in closed)
    assert (tmp_path / "m").read_bytes()[8:9] == b"{"  # the first stream to be opened would have taken its number
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")


def test_a_result_that_a_closed_stream_would_lose_is_an_error(run, rows):
    assert run("fit", rows, "-o", "m").exit_code == 0
    done = shell(f"empirisk predict m {rows} >&-")
    assert (done.returncode, done.stderr) == (4, "Error: standard output is closed; name a file with -o\n")


def test_no_file_is_read_and_written_at_once(rows, tmp_path):
    before = rows.read_bytes()
    for command in ("fit - --format svmlight -o rows.svm < rows.svm", "predict old rows.svm >> rows.svm"):
        done = shell(f"empirisk {command}")
        assert (done.returncode, done.stdout) == (2, "")
        assert "rows.svm would be both read and " in done.stderr
        assert done.stderr.count("\n") == 1
        assert rows.read_bytes() == before


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

"""empirisk warm-up; what it compiles is tested in `tests/test_warm_up.py`."""

from __future__ import annotations

from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from empirisk import code_folders, compiled, warm_up
from tests.cli.facts import facts

TOOK = {"logistic": (3, 1.5), "files": (2, 2.0)}


@pytest.fixture
def asked(monkeypatch):
    """What the processes would be asked for; the last kind is done first, and nothing is compiled."""
    calls = []

    def warmed(kinds, rows, processes):
        calls.append((kinds, rows, processes))
        for kind in reversed(kinds):
            yield warm_up.Warmed(kind, *TOOK.get(kind, (0, 0.0)))

    monkeypatch.setattr(compiled, "is_interpreted", lambda: False)
    monkeypatch.setattr(code_folders, "cache_folder", lambda: Path("/kept"))
    monkeypatch.setattr(warm_up, "warm_up", warmed)
    return calls


def test_a_table_in_the_order_asked_for(run, asked):
    done = run("warm-up", "--only", "logistic, files,logistic", "--rows", "dense", "--processes", 3)
    assert asked == [(("logistic", "files"), ("dense",), 3)]
    assert done.exit_code == 0
    kinds, kernels, kept = done.stdout.splitlines()
    assert kinds == "Kinds      logistic, files; on dense rows"
    assert kernels.startswith("Compiled   5 kernels; 3.5 s of compiling, done in ")
    assert kept == "Kept       under /kept"
    assert "warm-up 50%: kinds 1, of 2" in done.stderr


def test_the_usual_kinds_on_both_kinds_of_rows(run, asked):
    told = facts(run("warm-up", "--json", "--quiet"))
    assert asked == [(warm_up.USUAL, ("dense", "sparse"), None)]
    assert [one["kind"] for one in told["kinds"]] == list(warm_up.USUAL)
    assert told["kinds"][0] == {"kind": "logistic", "kernels": 3, "compile_seconds": 1.5}
    assert (told["kernels"], told["compile_seconds"], told["rows"]) == (5, 3.5, ["dense", "sparse"])
    assert told["folder"] == "/kept"
    assert told["seconds"] >= 0.0


def test_what_is_kept_already(run, asked):
    done = run("warm-up", "--only", "hinge", "--quiet")
    assert "Compiled   nothing: all of it was kept already\n" in done.stdout
    assert done.stderr == ""


def test_what_goes_wrong_is_one_sentence(run, asked, monkeypatch):
    near = run("warm-up", "--only", "hing")
    assert (near.exit_code, near.stderr) == (2, "Error: --only: no kind is called 'hing'; did you mean 'hinge'?\n")
    listed = run("warm-up", "--only", "qqq")
    assert listed.exit_code == 2
    assert "no kind is called 'qqq'; these are: logistic, squared, " in listed.stderr
    assert run("warm-up", "--only", "zero_one").exit_code == 2  # for evaluation alone
    empty = run("warm-up", "--only", " ,")
    assert empty.exit_code == 2
    assert "it names no kind" in empty.stderr
    assert asked == []

    def broken(*_):
        raise BrokenProcessPool

    monkeypatch.setattr(warm_up, "warm_up", broken)
    ended = run("warm-up", "--only", "hinge", "--quiet")
    assert ended.exit_code == 4
    assert "perhaps for want of memory; --processes 1 needs the least" in ended.stderr
    monkeypatch.setattr(code_folders, "cache_folder", lambda: None)
    nowhere = run("warm-up")
    assert nowhere.exit_code == 4
    assert "no folder for machine code can be written to; let NUMBA_CACHE_DIR name one that can" in nowhere.stderr


def test_nothing_is_compiled_where_all_is_interpreted(run, monkeypatch):
    monkeypatch.setattr(compiled, "is_interpreted", lambda: True)
    done = run("warm-up")
    assert (done.exit_code, done.stderr) == (2, "Error: nothing is compiled while NUMBA_DISABLE_JIT is set\n")

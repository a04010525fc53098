"""empirisk minimize-errors: the fewest errors on a file, with a certificate that can be checked."""

from __future__ import annotations

import functools
import json

import numpy as np
import pytest


@pytest.fixture
def minimize_errors(run):
    return functools.partial(run, "minimize-errors")


def test_a_table(minimize_errors, conflicts):
    done = minimize_errors(conflicts, "--weights", "s")
    assert done.exit_code == 0
    assert "Errors     3, 2 of 6 rows (33.33%)" in done.stdout
    assert "Bound      3, gap 0" in done.stdout
    assert "No plane makes fewer than 3 units of weight in error, and this one makes as many." in done.stdout
    assert "* a" in done.stdout
    assert "> 0 for 'yes', < 0 for 'no'" in done.stdout
    assert "Read 6 rows and 2 features" in done.stderr
    assert minimize_errors(conflicts, "--quiet", "--weights", "s").stderr == ""


def test_one_json_object(minimize_errors, conflicts):
    found = json.loads(minimize_errors(conflicts, "--json", "--weights", "s").stdout)
    assert (found["errors"], found["bound"], found["gap"], found["is_optimal"]) == (3.0, 3.0, 0.0, True)
    assert found["classes"] == ["no", "yes"]
    assert found["feature_names"] == ["a", "b"]
    assert len(found["weights"]) == 2


def test_rows_without_an_intercept(minimize_errors, rows):
    done = minimize_errors(rows, "--no-intercept", "--json")
    found = json.loads(done.stdout)
    assert found["intercept"] == 0.0
    assert found["feature_names"] is None
    assert done.exit_code == 0


def test_a_certificate_is_written(minimize_errors, conflicts, tmp_path):
    shown = minimize_errors(conflicts, "--weights", "s", "-o", "proof.json").stdout
    assert "Written    proof.json" in shown
    assert f"Verify     empirisk verify proof.json {conflicts} --weights s" in shown
    content = json.loads((tmp_path / "proof.json").read_text())
    assert (content["kind"], content["errors"]) == ("zero_one_optimality", 3.0)


def test_a_limit_of_zero_is_not_certified(minimize_errors, tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "a.npz", X=rng.standard_normal((40, 3)), y=np.where(rng.random(40) < 0.5, 0, 1))
    for limit in ("--time-limit", "--max-nodes"):
        done = minimize_errors(tmp_path / "a.npz", limit, "0", "--json")
        found = json.loads(done.stdout)
        assert done.exit_code == 1
        assert found["bound"] < found["errors"]
        assert not found["is_optimal"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,label\n1,yes\n2,yes\n", "only one class"),
        ("a,label\n1,x\n2,y\n3,z\n", "3 classes"),
        ("a,s,label\n1,0,x\n2,0,y\n", "sample_weight"),
    ],
)
def test_bad_data(minimize_errors, written, text, said):
    done = minimize_errors(written("bad.csv", text), *(["--weights", "s"] if ",s," in text else []))
    assert done.exit_code == 3
    assert said in done.stderr
    assert done.stdout == ""


def test_bad_options(minimize_errors, rows):
    assert minimize_errors(rows, "--time-limit", "-1").exit_code == 2
    nan = minimize_errors(rows, "--time-limit", "nan")
    assert nan.exit_code == 2
    assert "'nan' is not a number of seconds >= 0" in nan.stderr
    assert minimize_errors(rows, "--max-nodes", "-1").exit_code == 2
    assert minimize_errors(rows, "-o", "-").exit_code == 2
    assert minimize_errors(rows, "-o", rows).exit_code == 2
    assert minimize_errors(rows, "--check", "a.json").exit_code == 2


def test_an_interrupt_keeps_the_best(tmp_path, process, interrupted):
    """Interpreted, so that the search is still going on when the signal comes."""
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "a.npz", X=rng.standard_normal((150, 4)), y=np.where(rng.random(150) < 0.5, 0, 1))
    child = process("minimize-errors", "a.npz", "--json", "--time-limit", "100")
    out, _ = interrupted(child, "best")
    found = json.loads(out)
    assert child.returncode == 130
    assert found["status"] == "interrupted"
    assert found["errors"] < 75.0

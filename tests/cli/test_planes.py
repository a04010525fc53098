"""empirisk perceptron and empirisk margin: a model that predicts and verifies, or the lines that forbid one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import empirisk as er
from empirisk.certificates import from_sealed_json
from empirisk.separation.separate import Undecided
from empirisk.separation.watch import TIME

APART = "height,kind,label\n0,a,no\n1,b,no\n3,a,yes\n4,b,yes\n"
CROSSED = "a,b,label\n0,0,no\n1,1,no\n\n1,0,yes\n9,-9,yes\n0,1,yes\n"
COMMANDS = ["perceptron", "margin"]


@pytest.fixture
def apart(written):
    return written("apart.csv", APART)


@pytest.fixture
def crossed(written):
    return written("crossed.csv", CROSSED)


@pytest.mark.parametrize("command", [*COMMANDS, "minimize-errors"])
def test_a_model_that_predicts_and_verifies(command, run, apart):
    done = run(command, apart, "--model" if command == "minimize-errors" else "-o", "m")
    assert done.exit_code == 0
    assert f"Verify     empirisk verify m {apart}" in done.stdout
    assert "> 0 for 'yes', < 0 for 'no'" in done.stdout
    assert run("predict", "m", apart).stdout.split() == ["no", "no", "yes", "yes"]
    scores = run("predict", "m", apart, "--scores").stdout.splitlines()
    assert scores[0] == "label,score"
    assert float(scores[1].split(",")[1]) < 0.0
    refused = run("predict", "m", apart, "--probabilities")
    assert refused.exit_code == 2
    assert (
        refused.stderr
        == "Error: this model is a plane, which gives no probabilities: fit the loss 'logistic' for these\n"
    )
    checked = run("verify", "m", apart)
    assert checked.exit_code == 0
    assert "The certificate holds, and proves what was asked." in checked.stdout
    assert run("verify", "m", "-", input=APART).exit_code == 0
    apart.write_text("label,kind,height\n" + "\n".join(",".join(x.split(",")[::-1]) for x in APART.split()[1:]) + "\n")
    assert run("verify", "m", apart).exit_code == 0  # columns are known by name


@pytest.mark.parametrize("command", COMMANDS)
def test_other_data_other_weights_and_a_label_that_is_gone(command, run, apart):
    assert run(command, apart, "-o", "m").exit_code == 0
    model = er.load("m")
    er.save(model._replace(weights=np.nextafter(model.weights, 9.0)), "changed")
    done = run("verify", "changed", apart)
    assert done.exit_code == 1
    assert "The certificate speaks of other weights than these." in done.stdout
    apart.write_text(APART.replace("4,b", "5,b"))
    done = run("verify", "m", apart)
    assert done.exit_code == 1
    assert "The certificate does not hold on these data." in done.stdout
    apart.write_text(APART.replace("label", "answer"))
    assert run("verify", "m", apart).exit_code == 3
    assert run(command, apart).exit_code == 3


@pytest.mark.parametrize("command", COMMANDS)
def test_one_json_object(command, run, apart, crossed):
    done = run(command, apart, "--json", "-o", "m")
    found = json.loads(done.stdout)
    assert found["certified"] is True
    assert found["classes"] == ["no", "yes"]
    assert found["feature_names"] == ["height", "kind=a", "kind=b"]
    assert from_sealed_json(found["certificate"]).to_json() == er.load("m").certificate.to_json()
    assert (found["output"], found["verify"]) == ("m", f"empirisk verify m {apart}")
    np.testing.assert_array_equal(found["weights"], er.load("m").weights)
    found = json.loads(run(command, crossed, "--json").stdout)
    assert found["certified"] is False
    assert {point["line"] for point in found["points"]} <= {2, 3, 5, 6, 7}
    assert len(found["points"]) == 4
    Path("alone").write_text(json.dumps(found["certificate"]))  # what the JSON holds is a file that verifies
    assert run("verify", "alone", crossed).exit_code == 0


def test_no_plane_for_the_perceptron(run, crossed):
    done = run("perceptron", crossed, "-o", "m")
    assert done.exit_code == 1
    assert "Point      line 2, label no, weight 1" in done.stdout
    lacking = "it is about the data, and a plane that separates them was asked"
    assert f"The model was written all the same: its certificate can be verified, but {lacking}." in done.stderr
    assert len(run("predict", "m", crossed).stdout.split()) == 5
    checked = run("verify", "m", crossed)
    assert checked.exit_code == 1
    assert "Claim      Inseparable: no plane separates the 4 rows" in checked.stdout
    assert "it says nothing about how good this plane is" in checked.stdout
    assert f"Verdict    The certificate holds, but {lacking}." in checked.stdout
    found = json.loads(run("verify", "m", crossed, "--json").stdout)
    assert (found["holds"], found["certified"]) == (True, False)
    assert "does not hold" in run("verify", "m", "-", input=CROSSED.replace("0,1,yes", "0,2,yes")).stdout


def test_nothing_to_verify(run, crossed):
    assert run("perceptron", crossed, "--time-limit", 0, "-o", "m", "--order", "random").exit_code == 1
    checked = run("verify", "m", crossed)
    assert checked.exit_code == 1
    assert "Remark     How the search ended, of which the file has no proof: stopped at" in checked.stdout
    assert "There is nothing to verify." in checked.stdout
    found = json.loads(run("verify", "m", crossed, "--json").stdout)
    assert (found["holds"], found["certified"], found["claim"], found["certificate"]) == (False, False, None, None)


def test_no_gap(run, crossed, tmp_path):
    done = run("margin", crossed, "-o", "m")
    assert done.exit_code == 1
    assert "Point      line 2, label no, weight 1" in done.stdout
    assert done.stderr.endswith("There is no gap: no model was written.\n")
    assert not (tmp_path / "m").exists()
    done = run("margin", crossed, "--certificate", "c")
    assert done.exit_code == 1
    assert f"Written    c\nVerify     empirisk verify c {crossed}\n" in done.stdout
    assert run("verify", "c", crossed).exit_code == 0


def test_a_gap_with_its_certificate_alone(run, apart):
    done = run("margin", apart, "-o", "m", "--certificate", "c")
    assert (
        f"Model      m\nVerify     empirisk verify m {apart}\nWritten    c\nVerify     empirisk verify c {apart}\n"
        in (done.stdout)
    )
    assert run("verify", "c", apart).exit_code == 0
    assert run("margin", apart, "-o", "m", "--certificate", "m").exit_code == 2
    assert run("margin", apart, "--certificate", "-").exit_code == 2


def test_undecided_is_not_called_no_gap(run, apart, tmp_path, monkeypatch):
    late = Undecided(TIME, 0.0)
    monkeypatch.setattr("empirisk.separation.widest_gap.widest_gap_of_points", lambda *_, **__: late)
    done = run("margin", apart, "-o", "m", "--certificate", "c")
    assert done.exit_code == 1
    assert done.stdout.startswith("Verdict    Undecided")
    assert done.stderr.endswith("Whether there is a gap is not decided: no model was written.\n")
    assert not (tmp_path / "m").exists()
    assert not (tmp_path / "c").exists()
    assert json.loads(run("margin", apart, "--json").stdout)["certificate"] is None


@pytest.mark.parametrize("form", ["online", "averaged", "voted", "pocket", "batch", "gradient"])
def test_every_form(form, run, apart):
    step = ["--alpha", "0.5"] if form == "gradient" else []
    done = run("perceptron", apart, "--form", form, "--order", "random", "--seed", 1, *step, "-o", "m", "--quiet")
    code = 1 if form == "averaged" else 0  # the mean of the planes has an error
    assert done.exit_code == code
    assert done.stderr == ""
    said = "the last plane has every training point on its side, the mean of the planes has not"
    assert done.stdout.startswith(f"Status     {said if code else 'separated'}")
    assert ("Errors     1 of 4 rows" in done.stdout) == bool(code)
    assert ("Votes" in done.stdout) == (form == "voted")
    assert er.load("m").parameters["form"] == form
    checked = run("verify", "m", apart)
    assert checked.exit_code == code
    assert ("The certificate holds, and proves what was asked." in checked.stdout) == (code == 0)


def test_limits(run, apart):
    done = run("perceptron", apart, "--max-passes", 1, "-o", "m")
    assert done.exit_code == 1
    assert "Status     stopped at the pass limit" in done.stdout
    checked = run("verify", "m", apart)
    assert checked.exit_code == 1  # the mistakes are bounded, but a plane that separates was asked
    assert "The certificate holds, but a plane that separates was asked of the run, and its" in checked.stdout
    assert run("perceptron", apart, "--time-limit", 0).exit_code == 1
    assert run("margin", apart, "--no-intercept", "--tol", 1e-9).exit_code in (0, 1)


def test_rows_and_arrays(run, rows, tmp_path):
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [3.0, 0.5], [0.5, 3.0]]), np.array([0, 0, 1, 1])
    np.savez(tmp_path / "a.npz", X=X, y=y, sample_weight=np.ones(4))
    for command in COMMANDS:
        assert run(command, rows, "-o", "m").exit_code == 0
        assert run("verify", "m", rows).exit_code == 0
        done = run(command, "a.npz", "-o", "m")
        assert done.exit_code == 0
        assert "The weights of the examples are not used" in done.stderr
        assert run("verify", "m", "a.npz").exit_code == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_bad_usage_and_bad_data(command, run, apart, tmp_path):
    seeds = (["--seed", "-1"], ["--seed", "99999999999999999999"])
    for arguments in (["-o", "-"], ["-o", apart], *seeds, ["--time-limit", "nan"], ["--weights", "height"]):
        assert run(command, apart, *arguments).exit_code == 2, arguments
    assert run(command, "missing.csv").exit_code == 4
    assert run(command, apart, "-o", "no/such/folder").exit_code == 4
    for device in ("/dev/null", "/dev/full"):  # found out before the data are read
        done = run(command, "missing.csv", "-o", device)
        assert (done.exit_code, done.stderr) == (4, f"Error: {device}: Not a regular file\n")
    (tmp_path / "bad.csv").write_text("a,label\n1,x\n2,y\n3,z\n")
    done = run(command, "bad.csv")
    assert done.exit_code == 3
    assert "3 classes" in done.stderr


def test_options_of_one_command(run, apart):
    for arguments in (
        ["--alpha", "2"],
        ["--form", "gradient", "--alpha", "0"],
        ["--form", "gradient", "--epsilon", "nan"],
    ):
        assert run("perceptron", apart, *arguments).exit_code == 2, arguments
    for tol in ("2", "-1", "nan"):
        assert run("margin", apart, "--tol", tol).exit_code == 2


def test_minimize_errors_does_not_write_both_to_one_file(run, apart):
    done = run("minimize-errors", apart, "-o", "m", "--model", "m")
    assert done.exit_code == 2
    assert "m would be both read and overwritten" in done.stderr


def test_minimize_errors_says_how_to_verify_both_files(run, apart):
    done = run("minimize-errors", apart, "-o", "c", "--model", "m")
    assert f"Written    c\nVerify     empirisk verify c {apart}\n" in done.stdout
    assert f"Model      m\nVerify     empirisk verify m {apart}\n" in done.stdout
    found = json.loads(run("minimize-errors", apart, "-o", "c", "--model", "m", "--json").stdout)
    assert found["verify"] == f"empirisk verify c {apart}"
    assert found["verify_model"] == f"empirisk verify m {apart}"
    assert from_sealed_json(found["certificate"]).to_json() == er.load("c").to_json()


def test_an_interrupt_keeps_the_plane(tmp_path, process, interrupted):
    """Interpreted, so that the run is still going on when the signal comes."""
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "a.npz", X=rng.standard_normal((300, 4)), y=np.where(rng.random(300) < 0.5, 0, 1))
    child = process("perceptron", "a.npz", "--json", "--max-passes", "1000000", "--order", "random", "-o", "m")
    out, _ = interrupted(child, "pass")
    assert child.returncode == 130
    found = json.loads(out)
    assert found["status"] == "interrupted, some points still on the wrong side"
    assert found["sentence"].startswith(f"Online perceptron {found['status']}")
    assert er.load(tmp_path / "m").certificate is None


@pytest.mark.parametrize(("command", "said"), [("separate", "separate: rows 4"), ("margin", "widest_gap: rows 4")])
def test_searches_show_how_far_they_are(command, said, run, apart):
    assert said in run(command, apart).stderr
    assert run(command, apart, "--quiet").stderr == ""


def test_an_interrupt_ends_the_search_for_the_widest_gap(tmp_path, process, interrupted):
    """Interpreted, so that the search is still going on when the signal comes."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 30))
    np.savez(tmp_path / "a.npz", X=X, y=np.where(X.sum(axis=1) > 0.0, 0, 1))
    child = process("margin", "a.npz", "--json")
    out, _ = interrupted(child, "widest_gap")
    assert child.returncode == 130
    assert json.loads(out)["certified"] is False


def test_the_line_that_verifies_a_gap_asks_for_what_was_asked(run, apart):
    done = run("margin", apart, "--tol", "1e-17", "--certificate", "c", "--quiet")
    assert f"Verify     empirisk verify c {apart} --tol 1e-17\n" in done.stdout
    assert run("verify", "c", apart, "--tol", "1e-17").exit_code == done.exit_code

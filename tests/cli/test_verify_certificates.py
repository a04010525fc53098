"""empirisk verify on certificates alone: those of the commands and those that Python saved."""

from __future__ import annotations

import json

import numpy as np
import pytest

import empirisk as er
from empirisk.certificates.seal import seal_of, sealed_json


@pytest.fixture
def apart(written):
    return written("apart.csv", "a,b,label\n0,0,no\n1,0,no\n3,1,yes\n4,2,yes\n")


def test_both_verdicts_of_separate(run, conflicts, apart):
    for path in (conflicts, apart):
        assert run("separate", path, "-o", "proof").exit_code == 0
        done = run("verify", "proof", path)
        assert done.exit_code == 0
        assert "The certificate holds, and proves what was asked." in done.stdout
        found = json.loads(run("verify", "proof", path, "--json").stdout)
        assert found["holds"] is found["certified"] is True
        assert found["claim"] == er.load("proof").sentence()
        assert found["certificate"] == sealed_json(er.load("proof"))
        assert found["recomputed"]


def test_other_data_are_noticed(run, apart):
    assert run("separate", apart, "-o", "proof").exit_code == 0
    apart.write_text(apart.read_text().replace("4,2", "4,3"))
    done = run("verify", "proof", apart)
    assert done.exit_code == 1
    assert "The certificate speaks of other data" in done.stdout
    assert "The certificate does not hold on these data." in done.stdout
    apart.write_text(apart.read_text().replace("yes", "no"))
    done = run("verify", "proof", apart)
    assert done.exit_code == 1
    assert "The data cannot be those of the certificate: y has only one class" in done.stdout


def test_the_fewest_errors_with_weights(run, conflicts):
    assert run("minimize-errors", conflicts, "--weights", "s", "-o", "proof").exit_code == 0
    assert run("verify", "proof", conflicts, "--weights", "s").exit_code == 0
    assert run("verify", "proof", "-", "--weights", "s", input=conflicts.read_text()).exit_code == 0
    done = run("verify", "proof", conflicts)  # the weights are then a column of X
    assert done.exit_code == 3
    assert "expected 2 features as in the data of the certificate, found 3" in done.stderr


def test_a_certificate_that_leaves_a_gap_says_so(run, tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "a.npz", X=rng.standard_normal((40, 3)), y=np.where(rng.random(40) < 0.5, 0, 1))
    assert run("minimize-errors", "a.npz", "--max-nodes", "0", "-o", "gap").exit_code == 1
    done = run("verify", "gap", "a.npz")
    assert done.exit_code == 1
    assert "The certificate holds, but it does not prove that no plane has fewer errors." in done.stdout
    found = json.loads(run("verify", "gap", "a.npz", "--json").stdout)
    assert (found["holds"], found["certified"]) == (True, False)


def test_what_python_saved(run, apart):
    X, y = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 1.0], [4.0, 2.0]]), np.array(["no", "no", "yes", "yes"])
    for certificate in (er.widest_gap(X, y), er.perceptron(X, y).certificate, er.enclosing_ball(X)):
        er.save(certificate, "proof")
        done = run("verify", "proof", apart, "--label", "label")
        assert done.exit_code == 0, done.stdout
    assert run("verify", "proof", apart, "--label", "label", "--tol", "1e-300").exit_code == 1
    with pytest.raises(TypeError, match="got PerceptronRun: save its certificate"):
        er.save(er.perceptron(X, y), "proof")


def test_a_label_that_is_not_there(run, apart):
    assert run("separate", apart, "-o", "proof").exit_code == 0
    apart.write_text(apart.read_text().replace("label", "answer"))
    done = run("verify", "proof", apart)
    assert done.exit_code == 3
    assert "expected one label column" in done.stderr
    assert run("verify", "proof", apart, "--label", "answer").exit_code == 0


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"kind": "separation"}', '{"kind": "faith"}', "{" * 10**5, "a,b\n"])
def test_files_that_are_neither(run, apart, text):
    with open("proof", "w", encoding="utf-8") as stream:
        stream.write(text)
    done = run("verify", "proof", apart)
    assert done.exit_code == 3
    assert done.stdout == ""
    assert done.stderr.startswith("Error: proof is not ")
    assert done.stderr.count("\n") == 1
    assert run("verify", "missing", apart).exit_code == 4


def test_altered_certificates(run, conflicts):
    assert run("minimize-errors", conflicts, "--weights", "s", "-o", "proof").exit_code == 0
    with open("proof", encoding="utf-8") as stream:
        content = {**json.load(stream), "errors": 2.0, "bound": 2.0}
    for seal, code, said in (
        (content["seal"], 3, "its seal does not fit its fields"),
        (seal_of(content), 1, "The recomputed errors is 3.0, not 2.0."),
    ):
        with open("proof", "w", encoding="utf-8") as stream:
            json.dump({**content, "seal": seal}, stream)
        done = run("verify", "proof", conflicts, "--weights", "s")
        assert done.exit_code == code
        assert said in done.output


def test_a_certificate_does_not_predict(run, apart):
    assert run("separate", apart, "-o", "proof").exit_code == 0
    done = run("predict", "proof", apart)
    assert done.exit_code == 3
    assert done.stderr == "Error: proof holds a certificate, and no model that predicts\n"


def test_a_ball_is_about_every_column(run, tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 3))
    er.save(er.enclosing_ball(X), tmp_path / "ball.json")
    np.save(tmp_path / "X.npy", X)
    np.savez(tmp_path / "X.npz", X=X)
    np.savetxt(tmp_path / "X.csv", X, delimiter=",", header="a,b,y", comments="", fmt="%.17g")
    for name in ("X.npy", "X.npz", "X.csv"):
        done = run("verify", "ball.json", name)
        assert done.exit_code == 0, done.stdout
    labeled = np.column_stack([X, np.arange(20) % 2])
    np.save(tmp_path / "labeled.npy", labeled)
    np.savez(tmp_path / "labeled.npz", X=X, y=np.arange(20) % 2)
    np.savetxt(tmp_path / "labeled.csv", labeled, delimiter=",", header="a,b,c,kind", comments="", fmt="%.17g")
    assert run("verify", "ball.json", "labeled.npy", "--label", "-1").exit_code == 0
    assert run("verify", "ball.json", "labeled.csv", "--label", "kind").exit_code == 0
    assert run("verify", "ball.json", "labeled.npz").exit_code == 0
    done = run("verify", "ball.json", "labeled.npy")
    assert done.exit_code == 3
    assert "expected 3 features as in the data of the certificate, found 4" in done.stderr

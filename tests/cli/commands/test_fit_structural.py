"""empirisk fit --structural: a score card from a file."""

from __future__ import annotations

import json

import numpy as np
import pytest


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, (60, 2))
    lines = [f"{a},{b},{'up' if a + b > 0 else 'down'}" for a, b in X.tolist()]
    path = tmp_path / "points.csv"
    path.write_text("\n".join(["a,b,way", *lines]) + "\n")
    return str(path)


def test_a_card_with_its_proof(run, data, tmp_path):
    model = str(tmp_path / "model")
    done = run("fit", data, "-o", model, "--label", "way", "--structural")
    assert done.exit_code == 0
    assert "of a\n" in done.stdout
    assert "Predict up from" in done.stdout
    assert run("verify", model, data).exit_code == 0
    facts = json.loads(run("fit", data, "-o", model, "--label", "way", "--structural", "--json").stdout)
    assert facts["card"] in done.stdout
    assert facts["certified"]
    assert 0.0 < facts["future_error"] < 0.5


@pytest.mark.parametrize("other", [["--loss", "hinge"], ["--l2", "1"], ["--report", "page.html"], ["--holdout", "0.2"]])
def test_options_of_a_loss_have_no_part_in_it(run, data, tmp_path, other):
    done = run("fit", data, "-o", str(tmp_path / "model"), "--label", "way", "--structural", *other)
    assert done.exit_code == 2
    assert f"{other[0]} has no part in --structural" in done.stderr


def test_weights_and_one_class_are_refused(run, tmp_path):
    model = str(tmp_path / "model")
    (tmp_path / "heavy.csv").write_text("a,w,way\n1,1,up\n2,3,down\n")
    done = run("fit", str(tmp_path / "heavy.csv"), "-o", model, "--label", "way", "--structural", "--weights", "w")
    assert done.exit_code == 2
    assert "rows that count alike" in done.stderr
    (tmp_path / "one.csv").write_text("a,way\n1,up\n2,up\n")
    done = run("fit", str(tmp_path / "one.csv"), "-o", model, "--label", "way", "--structural")
    assert done.exit_code != 0
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "model").exists()

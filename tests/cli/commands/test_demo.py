"""empirisk demo: every command at work, offline, twice in a row."""

from __future__ import annotations

from pathlib import Path

import empirisk as er


def test_it_works_twice_and_what_it_wrote_verifies(run):
    for _ in range(2):
        done = run("demo", "--output", "some folder")
        assert done.exit_code == 0, done.stderr
        assert "$ empirisk fit 'some folder/breast_cancer.csv' -o 'some folder/model.empirisk'" in done.stdout
        assert "$ empirisk verify 'some folder/model.empirisk' 'some folder/breast_cancer.csv'" in done.stdout
        assert "The certificate holds" in done.stdout
    folder = Path("some folder")
    names = {"breast_cancer.csv", "model.empirisk", "predictions.csv", "report.html"}
    assert {path.name for path in folder.iterdir()} == names
    model = er.load(folder / "model.empirisk")
    assert model.certified
    assert model.classes.tolist() == ["benign", "malignant"]
    assert len((folder / "predictions.csv").read_text().splitlines()) == 570
    assert "empirisk fit" in (folder / "report.html").read_text(encoding="utf-8")
    assert run("verify", folder / "model.empirisk", folder / "breast_cancer.csv").exit_code == 0


def test_a_file_in_the_way(run):
    Path("demo").write_text("mine")
    done = run("demo")
    assert done.exit_code == 4
    assert done.stderr == "Error: demo: File exists\n"
    assert Path("demo").read_text() == "mine"

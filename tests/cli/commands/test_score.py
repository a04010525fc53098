"""empirisk score: numbers, pages, and data that do not fit the model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import empirisk as er
from empirisk.models.reading import read_for_model
from tests.report.pages import parse, words


@pytest.fixture
def model(run, table):
    assert run("fit", table, "-o", "model", "--weights", "weight", "--l2", "0.1").exit_code == 0
    return er.load("model")


@pytest.fixture
def new(written):
    rng = np.random.default_rng(8)
    lines = ["color,size,weight,label"]
    for i in range(25):
        lines.append(f"{('red', 'blue')[i % 2]},{rng.normal()!r},1,{('yes', 'no')[int(rng.integers(2))]}")
    return written("new.csv", "\n".join(lines) + "\n")


def test_the_json_is_what_python_says(run, model, new):
    told = json.loads(run("score", "model", new, "--json").stdout)
    examples = read_for_model(model, str(new), None, labeled=True)
    expected = json.loads(json.dumps(er.score(model, examples.matrix, examples.labels, examples.weights).to_json()))
    assert {name: told[name] for name in expected} == expected
    assert (told["model"], told["data"], told["fitted_on_these"]) == ("model", str(new), False)


def test_the_table_has_every_measure_with_its_interval(run, model, new):
    result = run("score", "model", new, "--level", "0.9")
    assert result.exit_code == 0
    for said in ("error ", "AUC ROC", "log loss", "90 % interval", "Clopper-Pearson", "DeLong", "label, predicted:"):
        assert said in result.stdout
    assert "infinite" not in result.stdout


def test_rows_of_the_fit_are_called_so(run, model, table):
    result = run("score", "model", table)
    assert "The model was fitted on these rows" in result.stderr
    assert run("score", "model", table, "--report", "seen.html").exit_code == 0
    assert "The model was fitted on these rows" in Path("seen.html").read_text(encoding="utf-8")
    assert "no interval: the rows have unequal weights" in result.stdout
    assert json.loads(run("score", "model", table, "--json").stdout)["fitted_on_these"]
    alone = json.loads(run("score", "model", table, "--json", "--unweighted").stdout)
    assert alone["rows"] == 30
    assert alone["error"]["interval"] is not None


def test_weights_that_are_not_there(run, model, written):
    few = written("few.csv", "color,size,label\nred,0.5,yes\nblue,-1,no\n")
    missing = run("score", "model", few)
    assert missing.exit_code == 3
    assert "expected the weights column 'weight'" in missing.stderr
    assert run("score", "model", few, "--unweighted").exit_code == 0
    both = run("score", "model", few, "--unweighted", "--weights", "size")
    assert both.exit_code == 2
    assert "give one of them" in both.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("color,size,weight,label\nred,1,1,yes\nblue,2,1,perhaps\n", "bad.csv:3: column 'label': expected a class of"),
        ("color,size,weight,label\nred,1,1,1\n", "expected a class of the model ('no', 'yes'), found 1"),
        ("color,size,weight,label\nred,1,1,\nblue,1,1,no\n", "found an empty cell"),
        ("color,size,weight,other\nred,1,1,yes\n", "expected the label column 'label'"),
        ("color,size,weight,label\ngray,1,1,yes\n", "expected a category of the fit"),
    ],
)
def test_data_that_do_not_fit_are_one_sentence(run, model, written, text, said):
    result = run("score", "model", written("bad.csv", text))
    assert result.exit_code == 3
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_labels_in_words_for_a_model_of_numbers_name_the_word(run, written):
    assert run("fit", written("t.csv", "x,y\n1,0\n2,1\n0,0\n3,1\n"), "-o", "m", "--l2", "0.1").exit_code == 0
    result = run("score", "m", written("bad.csv", "x,y\n1,0\n2,1\n3,other\n"))
    assert result.exit_code == 3
    assert "expected a class of the model (0, 1), found 'other'" in result.stderr
    assert result.stderr.count("bad.csv") == 1


def test_unknown_labels_of_svmlight_data_name_the_line(run, rows, written):
    assert run("fit", rows, "-o", "m", "--l2", "0.1").exit_code == 0
    result = run("score", "m", written("bad.svm", "1 1:2\n3 1:1\n"))
    assert result.exit_code == 3
    assert "bad.svm:2: expected a class of the model (-1, 1), found 3" in result.stderr
    assert result.stderr.count("bad.svm") == 1


def test_numbers_are_the_texts_that_the_classes_were_in_the_fit(run, written):
    train = written("t.csv", "x,label\n" + "".join(f"{i},{('1', '2', 'many')[i % 3]}\n" for i in range(30)))
    assert run("fit", train, "-o", "m", "--l2", "0.1", "--task", "classification").exit_code == 0
    told = json.loads(run("score", "m", written("n.csv", "x,label\n1,1\n2,2\n3,2\n"), "--json").stdout)
    assert [one["rows"] for one in told["per_class"]] == [1, 2, 0]


def test_a_regression_and_its_page(run, houses):
    assert run("fit", houses, "-o", "m", "--label", "price", "--standardize").exit_code == 0
    result = run("score", "m", houses, "--report", "page.html")
    assert result.exit_code == 0
    for said in ("RMSE", "MAE", "R^2", "pinball loss", "Student"):
        assert said in result.stdout
    with open("page.html", encoding="utf-8") as page:
        said = words(page.read())
    assert "Prediction against label" in said
    assert "Residual against prediction" in said


def test_the_page_has_the_pictures(run, model, new):
    assert run("score", "model", new, "--report", "page.html").exit_code == 0
    with open("page.html", encoding="utf-8") as page:
        tree = parse(page.read())
    named = [tag[1]["aria-label"] for tag in tree.tags if tag[0] == "svg"]
    assert named == [
        "Confusion matrix",
        "Calibration of the chances of yes",
        "ROC of yes",
        "Precision and recall of yes",
    ]


def test_a_plane_has_no_probabilities_and_says_so(run, rows):
    assert run("perceptron", rows, "-o", "plane").exit_code == 0
    result = run("score", "plane", rows, "--report", "page.html")
    assert result.exit_code == 0
    assert "gives no probabilities" in result.stdout
    with open("page.html", encoding="utf-8") as page:
        assert "No chances" in words(page.read())


def test_what_is_no_model_and_files_that_would_be_overwritten_are_refused(run, model, rows, new):
    run("separate", rows, "-o", "certificate")
    refused = run("score", "certificate", rows)
    assert refused.exit_code == 3
    assert "no model that predicts" in refused.stderr
    assert run("score", "model", new, "--report", "model").exit_code == 2
    assert run("score", "model", new, "--level", "95").exit_code == 2
    assert run("score", "model", "nothing.csv").exit_code == 4
    assert er.load("model") is not None


def test_scoring_loads_no_scikit_learn(model, new):
    code = (
        "import sys\nfrom click.testing import CliRunner\nfrom empirisk.cli.main import main\n"
        f"result = CliRunner().invoke(main, ['score', 'model', {str(new)!r}, '--report', 'page.html'])\n"
        "print(result.exit_code, 'sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0 False"


def test_rows_that_lack_a_value_are_counted_and_lines_are_those_of_the_file(run, written):
    lines = ["x,label"] + [f"{i % 7},{('no', 'yes')[i % 2]}" for i in range(20)]
    train = written("t.csv", "\n".join(lines) + "\n,yes\n")
    assert run("fit", train, "-o", "m", "--l2", "0.1", "--missing", "drop").exit_code == 0
    result = run("score", "m", written("n.csv", "x,label\n,yes\n1,no\n2,yes\n"), "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["rows"] == 2
    assert "Left out 1 of 3 rows, which lack a value." in result.stderr
    bad = run("score", "m", written("b.csv", "x,label\n,yes\n1,no\n2,perhaps\n"))
    assert bad.exit_code == 3
    assert "b.csv:4" in bad.stderr

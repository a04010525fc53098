"""empirisk predict: labels, scores, probabilities, and data that are not quite those of the fit."""

from __future__ import annotations

import csv
import io
import os

import numpy as np
import pytest

import empirisk as er
from empirisk.models import FitOptions, fit_linear


@pytest.fixture
def model(run, table):
    assert run("fit", table, "-o", "model", "--weights", "weight").exit_code == 0
    return er.load("model")


def test_one_label_a_line(run, table, model):
    done = run("predict", "model", table)
    assert done.exit_code == 0
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert len(lines) == 30
    assert set(lines) == {"yes", "no"}


def test_scores_and_probabilities_are_a_table(run, table, model):
    done = run("predict", "model", table, "--scores", "--probabilities")
    found = list(csv.DictReader(io.StringIO(done.stdout)))
    assert list(found[0]) == ["label", "score", "probability_no", "probability_yes"]
    labels = run("predict", "model", table).stdout.split()
    for row, label in zip(found, labels, strict=True):
        chance = 1.0 / (1.0 + np.exp(-float(row["score"])))
        np.testing.assert_allclose([float(row["probability_no"]), float(row["probability_yes"])], [1 - chance, chance])
        assert row["label"] == label == ("yes" if float(row["score"]) >= 0.0 else "no")
    assert run("predict", "model", table, "--scores").stdout.splitlines()[0] == "label,score"
    assert run("predict", "model", table, "--probabilities").stdout.startswith("label,probability_no,probability_yes\n")


def test_the_order_of_columns_does_not_matter_and_labels_may_lack(run, table, model):
    expected = run("predict", "model", table).stdout
    rows = [line.split(",") for line in table.read_text().splitlines()]
    for order in ([3, 2, 1, 0], [1, 0]):
        with open("other.csv", "w", encoding="utf-8") as stream:
            stream.writelines(",".join(row[i] for i in order) + "\n" for row in rows)
        done = run("predict", "model", "other.csv")
        assert done.stdout == expected


def test_output_to_a_file(run, table, model, tmp_path):
    expected = run("predict", "model", table).stdout
    (tmp_path / "out").write_text("old")
    done = run("predict", "model", table, "-o", "out")
    assert (done.exit_code, done.stdout) == (0, "")
    assert (tmp_path / "out").read_text() == expected
    assert run("predict", "model", table, "-o", "-").stdout == expected
    assert run("predict", "model", table, "-o", "/dev/stdout").stdout == expected
    assert run("predict", "model", table, "-o", os.devnull).exit_code == 0
    assert {p.name for p in tmp_path.iterdir()} == {"out", "model", "table.csv"}


def test_standard_input(run, table, model):
    assert run("predict", "model", "-", input=table.read_bytes()).stdout == run("predict", "model", table).stdout


def test_missing_and_extra_columns(run, model, tmp_path):
    (tmp_path / "d.csv").write_text("color,weight\nred,1\n")
    done = run("predict", "model", "d.csv")
    assert done.exit_code == 3
    said = "Error: d.csv:1: expected the column 'size' of the fit, found none of this name"
    assert done.stderr == f"{said}; the columns are 'color', 'weight'\n"
    (tmp_path / "d.csv").write_text("color,size,length\nred,1,2\n")
    done = run("predict", "model", "d.csv")
    assert done.exit_code == 3
    said = "Error: d.csv:1: expected only the columns of the fit, found also the column 'length'"
    assert done.stderr == f"{said}; --ignore-new leaves out what is new\n"
    assert run("predict", "model", "d.csv", "--ignore-new").stdout == "yes\n"


def test_unknown_categories(run, model, tmp_path):
    (tmp_path / "d.csv").write_text("color,size\nred,1\npink,2\n")
    done = run("predict", "model", "d.csv")
    assert done.exit_code == 3
    said = "d.csv:3: column 'color': expected a category of the fit ('blue', 'green', 'red'), found 'pink'"
    assert done.stderr == f"Error: {said}; --unknown zero takes it for none of them\n"
    done = run("predict", "model", "d.csv", "--unknown", "zero", "--scores")
    score = float(done.stdout.splitlines()[2].split(",")[1])
    assert score == model.weights[3] * 2.0 + model.intercept


def test_narrower_rows_are_fine_and_wider_ones_are_not(run, rows, tmp_path):
    assert run("fit", rows, "-o", "m").exit_code == 0
    (tmp_path / "narrow.svm").write_text("0 1:5\n0\n")
    assert len(run("predict", "m", "narrow.svm").stdout.split()) == 2
    (tmp_path / "wide.svm").write_text("1 1:2\n1 4:1\n")
    done = run("predict", "m", "wide.svm")
    assert done.exit_code == 3
    assert done.stderr == "Error: wide.svm:2:3: expected at most 3 features, found index 4\n"
    assert len(run("predict", "m", "wide.svm", "--ignore-new").stdout.split()) == 2


def test_the_first_index_is_that_of_the_fit(run, rows, tmp_path):
    assert run("fit", rows, "-o", "one").exit_code == 0
    (tmp_path / "zero.svm").write_text("1 0:2 2:4\n-1 0:1\n1 1:2 2:1\n-1 1:3\n1 0:1.5 2:2\n")
    assert run("fit", "zero.svm", "-o", "zero").exit_code == 0
    (tmp_path / "row.svm").write_text("0 1:9\n")
    first, second = (run("predict", name, "row.svm", "--scores").stdout for name in ("one", "zero"))
    assert float(first.split(",")[-1]) == er.load("one").scores(np.array([[9.0, 0.0, 0.0]]))[0]
    assert float(second.split(",")[-1]) == er.load("zero").scores(np.array([[0.0, 9.0, 0.0]]))[0]
    done = run("predict", "one", "zero.svm")
    assert done.exit_code == 3
    assert "expected feature indices from 1 on, found index 0" in done.stderr


def test_a_regression_predicts_numbers_and_has_no_probabilities(run, houses):
    assert run("fit", houses, "-o", "m", "--label", "price").exit_code == 0
    values = [float(line) for line in run("predict", "m", houses).stdout.split()]
    assert len(values) == 20
    done = run("predict", "m", houses, "--probabilities")
    assert done.exit_code == 2
    assert done.stderr == "Error: this model is a regression: it has no probabilities\n"


def test_a_hinge_has_no_probabilities(run, rows):
    assert run("fit", rows, "-o", "m", "--loss", "hinge", "--l2", 0.1).exit_code == 0
    done = run("predict", "m", rows, "--probabilities")
    assert done.exit_code == 2
    assert "the loss 'hinge' is not a likelihood" in done.stderr


def test_labels_that_need_quotes(run, tmp_path):
    (tmp_path / "d.csv").write_text('x,y\n1,"a,b"\n2,"say ""no"""\n')
    assert run("fit", "d.csv", "-o", "m").exit_code == 0
    assert list(csv.reader(io.StringIO(run("predict", "m", "d.csv").stdout))) == [["a,b"], ['say "no"']]


def test_many_categories_are_sparse_and_predict_the_same(run, tmp_path):
    lines = [f"c{i % 12},{'a' if i % 12 < 6 else 'b'}" for i in range(48)]
    (tmp_path / "d.csv").write_text("name,label\n" + "\n".join(lines) + "\n")
    assert run("fit", "d.csv", "-o", "m", "--l2", 0.01).exit_code == 0
    assert run("predict", "m", "d.csv").stdout.split() == [line.split(",")[1] for line in lines]
    assert run("verify", "m", "d.csv").exit_code == 0


def test_the_kinds_of_data_are_not_mixed_up(run, rows, table, model, tmp_path):
    done = run("predict", "model", rows)
    assert done.exit_code == 2
    assert "the model was fitted on csv data" in done.stderr
    table.rename(tmp_path / "table.dat")  # a name that says nothing
    assert run("predict", "model", "table.dat").exit_code == 0


def test_a_model_from_python(run, tmp_path):
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 5.0]]), np.array([0, 1, 0, 1])
    model = fit_linear(X, y, FitOptions(l2=0.1)).model
    er.save(model, "plain")
    er.save(model._replace(feature_names=("a", "b")), "named")
    expected = "".join(f"{label}\n" for label in model.predict(X))
    (tmp_path / "d.csv").write_text("b,a\n" + "".join(f"{x[1]},{x[0]}\n" for x in X))
    (tmp_path / "labeled.csv").write_text(
        "a,b,y\n" + "".join(f"{x[0]},{x[1]},{t}\n" for x, t in zip(X, y, strict=True))
    )
    (tmp_path / "d.svm").write_text("".join(f"{t} 1:{x[0]} 2:{x[1]}\n" for x, t in zip(X, y, strict=True)))
    assert run("predict", "named", "d.csv").stdout == expected
    assert run("predict", "plain", "d.svm").stdout == expected
    assert run("verify", "plain", "labeled.csv").exit_code == 0
    assert run("verify", "named", "labeled.csv", "--label", "y").exit_code == 0
    assert run("verify", "plain", "d.svm").exit_code == 0
    done = run("predict", "plain", "labeled.csv")
    assert done.exit_code == 3
    assert "expected 2 columns as in the fit, found 3" in done.stderr


def test_columns_of_the_data_are_kept_as_they_are_written(run, model, tmp_path):
    """Ids that float64 cannot hold, zeros in front, quotes and commas come back as they went in; features too."""
    ids = ["9007199254740993", "007", "1e3"]
    (tmp_path / "new.csv").write_text(
        "id,color,size,name,label\n"
        '9007199254740993,red,0.50,"a, b",no\n007,blue,-1,c,yes\n1e3,green,2,"say ""d""",yes\n'
    )
    result = run("predict", "model", "new.csv", "--keep", "id,name", "--keep", "size", "--probabilities")
    assert result.exit_code == 0, result.stderr
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [row["id"] for row in rows] == ids
    assert [row["name"] for row in rows] == ["a, b", "c", 'say "d"']
    assert [row["size"] for row in rows] == ["0.50", "-1", "2"]
    plain = run("predict", "model", "new.csv", "--ignore-new", "--probabilities").stdout
    for name in ("label", "probability_no", "probability_yes"):
        assert [row[name] for row in rows] == [row[name] for row in csv.DictReader(io.StringIO(plain))]


def test_a_kept_column_keeps_its_name_and_the_prediction_takes_another(run, table, model):
    result = run("predict", "model", table, "--keep", "label")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert list(rows[0]) == ["label", "predicted_label"]
    assert {row["label"] for row in rows} == {"yes", "no"}
    assert [row["predicted_label"] for row in rows] == run("predict", "model", table).stdout.split()


def test_the_numbers_of_rows_that_a_table_begins_with_can_be_kept(run, model, tmp_path):
    (tmp_path / "new.csv").write_text("Unnamed: 0,color,size\n17,red,0.5\n4,blue,-1\n")
    result = run("predict", "model", "new.csv", "--keep", "Unnamed: 0")
    assert result.exit_code == 0, result.stderr
    assert [line.split(",")[0] for line in result.stdout.splitlines()] == ["Unnamed: 0", "17", "4"]


def test_what_cannot_be_kept_is_one_sentence(run, rows, table, model):
    result = run("predict", "model", table, "--keep", "sizes")
    assert result.exit_code == 3
    assert "expected the column 'sizes' of --keep, found none of this name; did you mean 'size'?" in result.stderr
    assert run("fit", rows, "-o", "m", "--l2", "0.1").exit_code == 0
    result = run("predict", "m", rows, "--keep", "id")
    assert result.exit_code == 2
    assert "--keep names columns of a CSV table, and this file is read as svmlight" in result.stderr

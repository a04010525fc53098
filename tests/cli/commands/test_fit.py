"""empirisk fit: what it writes and prints, option by option."""

from __future__ import annotations

import json
import sys
import types

import numpy as np
import pytest

import empirisk as er
from empirisk.cli.class_weights import class_weight
from empirisk.models import verify
from tests.cli.facts import facts


def test_the_summary_says_everything_and_names_the_verify_command(run, table):
    done = run("fit", table, "-o", "model file", "--weights", "weight")
    assert done.exit_code == 0
    lines = dict(line.split(None, 1) for line in done.stdout.splitlines())
    assert set(lines) == {
        *(
            "Data",
            "Task",
            "Loss",
            "Objective",
            "Relative",
            "Status",
            "Solver",
            "Condition",
            "Passes",
            "Error",
            "Model",
            "Verify",
        )
    }
    assert lines["Data"] == f"{table}: 30 rows, 4 features"
    assert lines["Task"] == "classification, no or yes"
    assert lines["Loss"] == "logistic, l1 0, l2 0.0001, with intercept"
    assert lines["Status"] == "certified: the gap is within the tolerance"
    assert lines["Solver"].startswith("newton: ")
    assert lines["Model"] == "model file"
    assert lines["Verify"] == f"empirisk verify 'model file' {table}"
    assert "Task: classification, because the column 'label' holds text." in done.stderr
    model = er.load("model file")
    assert model.feature_names == ("color=blue", "color=green", "color=red", "size")
    assert (model.label_name, model.weights_name) == ("label", "weight")
    assert model.classes.tolist() == ["no", "yes"]


def test_json_is_one_object_and_quiet_is_quiet(run, table):
    done = run("fit", table, "-o", "m", "--json", "--quiet")
    assert done.stderr == ""
    found = facts(done)
    assert found["certified"] is True
    assert found["relative_gap"] <= found["tol"] == 1e-6
    assert 0.0 <= found["training_error"] < 0.5
    assert found["errors"] == round(30 * found["training_error"])
    assert found["future_error"]["kind"] == "vc_tail"
    assert found["future_error"]["value"] > found["training_error"]
    assert found["classes"] == ["no", "yes"]
    assert found["verify"] == f"empirisk verify m {table}"
    assert found["report"] is None


def test_the_condition_number_is_shown(run, table):
    done = run("fit", table, "-o", "m", "--l2", 0.1)
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("Condition"))
    found = facts(run("fit", table, "-o", "m", "--l2", 0.1, "--json"))
    assert f"L / mu = {found['condition_number']:.3g}, " in line
    assert facts(run("fit", table, "-o", "m", "--l2", 0.2, "--json"))["condition_number"] == pytest.approx(
        0.5 * found["condition_number"]
    )
    endless = run("fit", table, "-o", "m", "--l2", 0, "--l1", 0.1)
    assert "L / mu is infinite" in endless.stdout
    assert facts(run("fit", table, "-o", "m", "--loss", "hinge", "--json"))["condition_number"] == "inf"


def test_options_reach_the_model(run, table):
    done = run(
        *("fit", table, "-o", "m", "--loss", "squared_hinge:scale=2", "--l1", 0.01, "--l2", 0.1, "--no-intercept"),
        *("--solver", "sdca", "--tol", 1e-4, "--max-passes", 500, "--seed", 5, "--threads", 1, "--label", "label"),
        *("--task", "classification", "--class-weight", "balanced", "--standardize", "--format", "csv"),
    )
    assert done.exit_code == 0, done.stderr
    options = er.load("m").options
    assert type(options.loss) is er.SquaredHinge
    assert options.loss.scale == 2.0
    assert (options.l1, options.l2, options.fit_intercept, options.tol) == (0.01, 0.1, False, 1e-4)
    assert type(options.solver) is er.SDCA
    assert (options.max_passes, options.random_state, options.n_threads) == (500, 5, 1)
    assert (options.class_weight, options.standardize) == ("balanced", True)
    assert "of the standardised problem" in done.stdout
    assert "without intercept" in done.stdout
    assert done.stdout.endswith(f"empirisk verify m {table} --format csv\n")


def test_regression_by_the_labels(run, houses):
    found = facts(run("fit", houses, "-o", "m", "--label", "price", "--json", "--standardize"))
    assert (found["task"], found["loss"], found["classes"]) == ("regression", "squared", None)
    assert "holds 20 different numbers" in found["task_reason"]
    assert "training_error" not in found
    assert found["future_error"] is None
    assert found["root_mean_squared_error"] < 100.0
    assert "root mean square" in run("fit", houses, "-o", "m", "--label", "price").stdout


@pytest.mark.parametrize(
    ("labels", "options", "task", "because"),
    [
        ("a b", [], "classification", "the column 'y' holds text"),
        ("a b", ["--loss", "squared"], "classification", "the column 'y' holds text"),
        ("0 1", [], "classification", "the column 'y' holds 2 different numbers"),
        ("0 1", ["--loss", "squared"], "regression", "the loss squared was asked for; --task classification"),
        ("0 1", ["--loss", "squared", "--task", "classification"], "classification", "it was asked for"),
        ("0 1", ["--loss", "hinge"], "classification", "the loss hinge is for nothing else"),
        ("0 1", ["--task", "regression"], "regression", "it was asked for"),
        ("0 1 2", [], "regression", "the column 'y' holds 3 different numbers; --task classification overrides"),
    ],
)
def test_the_task_is_chosen_and_the_reason_told(labels, options, task, because, run, tmp_path):
    words = labels.split()
    (tmp_path / "d.csv").write_text("x,y\n" + "".join(f"{i % 5},{words[i % len(words)]}\n" for i in range(12)))
    done = run("fit", "d.csv", "-o", "m", "--l2", 0.1, *options)
    assert done.exit_code == 0, done.stderr
    assert f"Task: {task}, because {because}" in done.stderr
    assert er.load("m").options.task == task


def test_balanced_is_as_if_classes_weighed_the_same(run, table):
    plain = facts(run("fit", table, "-o", "a", "--json"))
    balanced = facts(run("fit", table, "-o", "b", "--json", "--class-weight", "balanced"))
    assert plain["objective"] != balanced["objective"]


def test_uncertified_is_one_and_the_model_is_there(run, table):
    done = run("fit", table, "-o", "m", "--max-passes", 1, "--solver", "lbfgs", "--tol", 1e-12)
    assert done.exit_code == 1
    assert "stopped at the pass limit" in done.stdout
    assert "Not certified: the relative gap is" in done.stderr
    assert "was written all the same" in done.stderr
    assert "What may help: raise --max-passes, standardise the columns (--standardize)" in done.stderr
    assert not er.load("m").certified
    done = run("fit", table, "-o", "m", "--max-passes", 1, "--solver", "lbfgs", "--tol", 1e-12, "--json", "--quiet")
    assert done.exit_code == 1
    assert done.stderr == ""
    assert json.loads(done.stdout)["certified"] is False


def test_a_time_limit_ends_with_the_best_point_so_far(run, table):
    done = run("fit", table, "-o", "m", "--time-limit", 0, "--json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert found["status"] == "stopped at the time limit before the gap was within the tolerance"
    assert found["gap"] > 0.0
    assert er.load("m").options.time_limit == 0.0
    assert facts(run("fit", table, "-o", "m", "--time-limit", "inf", "--keep", "--json"))["certified"]
    assert er.load("m").options.time_limit is None
    done = run("fit", table, "-o", "m", "--time-limit", 0, "--l2", "cv")
    assert done.exit_code == 2
    assert "--time-limit ended the cross-validation before the first of its fits was done" in done.stderr
    assert run("fit", table, "-o", "m", "--time-limit", "soon").exit_code == 2


def test_class_weights_by_label(run, table, tmp_path):
    run("fit", table, "-o", "m", "--class-weight", "yes=5, no=1")
    model = er.load("m")
    assert model.options.class_weight == {"yes": 5.0, "no": 1.0}
    run("fit", table, "-o", "plain", "--class-weight", "yes=1,no=1")
    run("fit", table, "-o", "same", "--class-weight", "no=.2")
    assert model.intercept > er.load("plain").intercept
    np.testing.assert_allclose(er.load("same").weights, model.weights, rtol=1e-3)  # ratios count
    assert run("verify", "m", table).exit_code == 0
    numbers = written_numbers(tmp_path)
    assert run("fit", numbers, "-o", "m", "--class-weight", "1.0=3,-1=2").exit_code == 0
    assert er.load("m").options.class_weight == {1: 3.0, -1: 2.0}


def written_numbers(folder):
    path = folder / "numbers.svm"
    path.write_text("1 1:2\n-1 1:1\n1 1:3\n-1 1:1.5\n")
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "yess=5",
            "--class-weight names 'yess', which is not a label; the labels are 'no', 'yes'; did you mean 'yes'?",
        ),
        ("5", "'5' is not a label and a positive number, as in 'yes=5,no=1'; or give balanced."),
        ("yes=0", "'yes=0' is not a label and a positive number"),
        ("yes=1,no", "'no' is not a label and a positive number"),
        ("yes=1,yes=2", "it names the label 'yes' twice"),
        ("yes=nan", "'yes=nan' is not a label and a positive number"),
        ("balance", "'balance' is not a label and a positive number"),
    ],
)
def test_class_weights_that_mean_nothing(text, said, run, table):
    done = run("fit", table, "-o", "m", "--class-weight", text)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())


def test_labels_with_commas_and_equal_signs():
    assert class_weight('"a,b=5",c=d=2') == {"a,b": 5.0, "c=d": 2.0}
    assert class_weight('"say ""no""=1.5"') == {'say "no"': 1.5}


def test_the_model_verifies_in_python(run, table):
    assert run("fit", table, "-o", "m", "--loss", "hinge", "--l2", 0.1).exit_code == 0
    model = er.load("m")
    from empirisk.data.csv import read_csv

    cells = read_csv(table)
    X = model.columns.encode(cells, ignore=["label"])
    assert verify(model, X, cells.columns[-1]).holds


def test_the_report_is_given_what_it_needs(run, table, houses, monkeypatch):
    calls = []
    fake = types.ModuleType("empirisk.report")
    fake.write_report = lambda path, **given: calls.append((path, given))
    monkeypatch.setitem(sys.modules, "empirisk.report", fake)
    done = run("fit", table, "-o", "m", "--report", "r.html")
    assert done.exit_code == 0
    assert "Report     r.html\n" in done.stdout
    assert run("fit", houses, "-o", "n", "--label", "price", "--report", "r.html").exit_code == 0
    (path, given), (_, regression) = calls
    assert path == "r.html"
    assert set(given) == {
        *("model", "solution", "margins", "feature_names", "command", "verify_command", "data_name", "n_rows"),
        *("seconds", "compile_seconds", "future_error"),
    }
    assert given["command"] == f"empirisk fit {table} -o m --report r.html"
    assert given["verify_command"] == f"empirisk verify m {table}"
    assert (given["data_name"], given["n_rows"]) == (str(table), 30)
    assert given["feature_names"] == given["model"].feature_names
    assert given["solution"].certified
    scores = regression["model"].scores
    assert given["margins"].shape == (30,)
    prices = np.array([float(line.split(",")[-1]) for line in houses.read_text().splitlines()[1:]])
    X = np.array([list(map(float, line.split(",")[:2])) for line in houses.read_text().splitlines()[1:]])
    np.testing.assert_allclose(regression["margins"], prices - scores(X))


def test_the_report_itself(run, table):
    assert run("fit", table, "-o", "m", "--report", "r.html").exit_code == 0
    with open("r.html", encoding="utf-8") as page:
        assert "empirisk verify m" in page.read()

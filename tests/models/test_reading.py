"""Files as a notebook reads them: sentences name parameters as Python does. The command line tests the formats."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from empirisk.data.errors import DataError
from empirisk.models import FitOptions
from empirisk.models.examples import fit_examples
from empirisk.models.reading import read_for_model, read_training
from empirisk.models.task import task_of
from empirisk.protocols import Unsupported


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("size,label,s\n1,no,1\n2,yes,2\n3,yes,1\n0,no,1\n")
    return str(path)


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "r.svm"
    path.write_text("1 1:2\n-1 2:1\n")
    return str(path)


def test_a_table_is_read_fitted_and_read_again_for_the_model(table):
    examples = read_training(table, None, None, "s")
    assert (examples.label_name, examples.weights_name, examples.feature_name(0)) == ("label", "s", "size")
    model, solution, problem = fit_examples(examples, FitOptions(l2=0.1))
    assert (model.columns, model.label_name, model.weights_name) == (examples.columns, "label", "s")
    assert model.feature_names == ("size",)
    assert problem.total_weight == 5.0 / 2.0  # scaled so that the largest weight is in [1, 2)
    assert solution.objective == model.certificate.objective
    again = read_for_model(model, table, None, labeled=True)
    np.testing.assert_array_equal(again.matrix, examples.matrix)
    np.testing.assert_array_equal(again.weights, examples.weights)


def test_features_without_a_name_are_counted_as_in_the_file(rows):
    assert read_training(rows, None, None, None).feature_name(0) == "feature 1"


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"format": "svmlight", "label": "y"}, Unsupported, r"label=\.\.\. names a column of a CSV table"),
        ({"format": "csv", "label": "nothing"}, DataError, "expected the label column 'nothing'"),
        ({"format": "csv", "label": None, "path": "r"}, DataError, r"name it with label=\.\.\."),
    ],
)
def test_requests_that_do_not_fit_the_file(table, rows, asked, error, said):
    path = rows if asked.pop("path", "") or asked["format"] == "svmlight" else table
    with pytest.raises(error, match=said):
        read_training(path, weights=None, **asked)


def test_another_format_than_that_of_the_fit(table, rows):
    model = fit_examples(read_training(table, None, None, "s"), FitOptions()).model
    with pytest.raises(Unsupported, match="format='csv' overrides"):
        read_for_model(model, rows, None)


def test_the_reason_of_a_task_names_the_parameter(tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n1,1\n2,2\n3,3\n")
    examples = read_training(str(tmp_path / "t.csv"), None, None, None)
    assert task_of(examples, None, None)[1].endswith("3 different numbers; task='classification' overrides")
    assert task_of(examples, None, None, "softmax") == ("classification", "multiclass='softmax' was asked for")


def test_reading_needs_no_command_line():
    code = "import sys, empirisk.models.reading, empirisk.models.facts; print('click' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

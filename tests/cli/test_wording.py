"""Sentences about parameters as sentences about options."""

from __future__ import annotations

import pytest

from empirisk.cli.wording import as_options


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("expected one label; name it with label=...", "expected one label; name it with --label"),
        ("csv it is; format='csv' overrides", "csv it is; --format csv overrides"),
        ("use multiclass='one_vs_rest'", "use --multiclass one_vs_rest"),
        ("folds must be at most 3", "--folds must be at most 3"),
        ("loss must be one of 'a' or a loss object such as Logistic(), got 'b'", "--loss must be one of 'a', got 'b'"),
        ("the label is one", "the label is one"),
    ],
)
def test_parameters_are_options(sentence, said):
    assert as_options(sentence, {"folds", "loss"}) == said

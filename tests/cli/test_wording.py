"""Sentences about parameters as sentences about options, and numbers that do not contradict each other."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.certificates import DualityGap
from empirisk.cli.output import headline_rows
from empirisk.cli.wording import as_options
from empirisk.texts import shown


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


@given(st.floats(allow_nan=False, min_value=-1e300, max_value=1e300), st.floats(0.0, 1e-3))
def test_of_two_numbers_the_larger_is_never_shown_as_the_smaller(x, share):
    above = x + abs(x) * share
    assert float(shown(x)) <= float(shown(above))
    assert float(shown(x)) == pytest.approx(x, rel=1e-5 if abs(x) >= 1e-4 else 5e-3)


def test_value_and_note_have_the_same_digits():
    gap = DualityGap(0.042619402, 0.0, 2e-9, 0.0, math.inf, 1.0)
    first = headline_rows(gap.words(1e-6).headline)[0]
    assert first == ("Objective", "reached 0.0426194, proven floor 0.0426194")
    gap = gap._replace(objective=1234567.25, gap=0.5)
    assert headline_rows(gap.words(1e-6).headline)[0][1] == "reached 1234567, proven floor 1234567"

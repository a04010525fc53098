"""Texts as tf-idf weights, against scikit-learn's, and dictionaries that somebody changed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from empirisk.data.errors import DataError
from empirisk.encodings import texts
from empirisk.encodings.cells import Cells
from empirisk.encodings.choices import ColumnChoices
from empirisk.encodings.texts import Text, fit_text, text_from_json
from empirisk.encodings.words import words_of

MESSAGES = (
    "Free entry: win a free prize!",
    "free prize, free entry",
    "Are you free tonight? you are",
    "",
    "Zürich größe, ΣΑΣ don't _under_score x",
    "zürich GRÖSSE größe you are",
)


def cells(*given: str, missing: list[bool] | None = None) -> Cells:
    return Cells("message", np.array(given, dtype=object), None if missing is None else np.array(missing), "t.csv")


def both(given, **asked):
    column = fit_text(cells(*given), ColumnChoices(**asked))
    shortest = (1, 2) if asked.get("pairs", True) else (1, 1)
    theirs = TfidfVectorizer(ngram_range=shortest, min_df=asked.get("min_count", 2))
    return column, column.encode(cells(*given), "error"), theirs, theirs.fit_transform(given)


@pytest.mark.parametrize("asked", [{}, {"pairs": False}, {"min_count": 1}])
def test_the_same_as_scikit_learn(asked):
    column, matrix, theirs, expected = both(MESSAGES, **asked)
    assert list(column.terms) == theirs.get_feature_names_out().tolist()
    np.testing.assert_allclose(matrix.toarray(), expected.toarray(), rtol=1e-12)
    assert matrix.has_sorted_indices
    new = ("free entry zürich", "nothing known", "prize free free prize")
    np.testing.assert_allclose(
        column.encode(cells(*new), "error").toarray(), theirs.transform(new).toarray(), rtol=1e-12
    )


@given(st.lists(st.text(alphabet="ab _é.\n\x1cß1", max_size=30), min_size=1, max_size=8))
def test_words_are_those_of_the_regular_expression(given):
    analyze = TfidfVectorizer().build_analyzer()
    words = words_of(given)
    found = [[] for _ in given]
    for text, code in zip(words.texts.tolist(), words.codes.tolist(), strict=True):
        found[text].append(words.distinct[code])
    assert found == [analyze(text) for text in given]


def test_names_and_the_shape_of_what_is_missing():
    column = fit_text(cells("aa bb", "aa bb", "?", missing=[False, False, True]), ColumnChoices(missing="indicator"))
    assert column.feature_names() == ("message: aa", "message: aa bb", "message: bb", "message is missing")
    matrix = column.encode(cells("aa", "NA", missing=[False, True]), "error").toarray()
    np.testing.assert_array_equal(matrix, [[1, 0, 0, 0], [0, 0, 0, 1]])
    assert not column.needs_values()


def test_texts_without_a_word_that_repeats():
    with pytest.raises(
        DataError, match=r"column 'message': expected words .* that are in 2 texts, found none; min_count="
    ):
        fit_text(cells("aa", "bb"), ColumnChoices())


def test_of_too_many_terms_those_in_most_texts_are_kept(monkeypatch):
    monkeypatch.setattr(texts, "MOST_TERMS", 2)
    column = fit_text(cells("aa bb cc", "aa bb", "aa"), ColumnChoices(min_count=1))
    assert (column.terms, column.counts) == (("aa", "aa bb"), (3, 2))


def test_numbers_are_words_too():
    column = fit_text(Cells("message", np.array([12.5, 12.5]), None, "t.csv"), ColumnChoices())
    assert column.terms == ("12",)


def test_lone_surrogates_are_no_words():
    assert words_of(["\ud800 ab"]).distinct == ["ab"]


GOOD = Text("message", ("aa", "bb"), (1, 2), 2).to_json()


def test_json():
    assert text_from_json("message", GOOD) == Text("message", ("aa", "bb"), (1, 2), 2)


@pytest.mark.parametrize(
    "forged",
    [
        *({"terms": terms} for terms in ([], ["bb", "aa"], ["aa", "aa"], ["aa"], "aabb", [1, 2])),
        *({"counts": counts} for counts in ([1, 3], [0, 1], [1], [1.0, 2.0], [True, 2], None)),
        *({"n_texts": n} for n in (0, 2.0, True, 2**60)),
        *({"has_flag": 1}, {"code": "x"}),
    ],
)
def test_forged_dictionaries(forged):
    with pytest.raises(ValueError, match=r"."):
        text_from_json("message", {**GOOD, **forged})

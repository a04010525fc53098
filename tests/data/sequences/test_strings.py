"""Distinct strings and their numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.data.sequences import Strings, as_cells

TEXTS = st.lists(st.text(alphabet="ab\0é→ ", max_size=3), max_size=40)


@given(TEXTS, TEXTS)
def test_numbers_are_those_of_a_dictionary(first, second):
    numbers = {text: number for number, text in enumerate(dict.fromkeys(first + second))}
    strings = Strings(first)
    assert strings.add(second).tolist() == [numbers[text] for text in second]
    assert strings.texts() == list(numbers)
    assert [strings[k] for k in range(len(strings))] == list(numbers)
    assert strings.find([*first, "new"]).tolist() == [*(numbers[text] for text in first), -1]


def test_it_grows_and_its_copy_does_not():
    strings = Strings()
    copied = strings.copy()
    texts = [f"a long text with the number {k}" for k in range(1500)]
    assert strings.add(texts).tolist() == list(range(1500))
    assert strings.find(texts).tolist() == list(range(1500))
    assert (len(copied), copied.find(["x"]).tolist()) == (0, [-1])


def test_arrays_there_and_back():
    strings = Strings(["a", "", "über", "a"])
    content, starts = strings.to_arrays()
    assert starts.dtype == np.uint8
    again = Strings.of_arrays(content, starts)
    assert again.texts() == ["a", "", "über"]
    assert again.hashes().tolist() == strings.hashes().tolist()
    for bad in ([0, 1, 1], [1, 1, 6], [0, 3, 1, 6], []):
        with pytest.raises(ValueError, match="strings"):
            Strings.of_arrays(content, np.array(bad))
    with pytest.raises(ValueError, match="twice"):
        Strings.of_arrays(np.array([97, 97], np.uint8), np.array([0, 1, 2]))


def test_the_hash_is_fnv():
    assert Strings(["foobar"]).hashes().tolist() == [0x85944171F73967E8]


def test_half_a_pair_is_written_out():
    content, begins, ends = as_cells(["\udc80", "a"])
    assert bytes(content) == b"\\udc80a"
    assert (begins.tolist(), ends.tolist()) == ([0, 6], [6, 7])

"""Equal runs of symbols have one number, and no file makes the search for them long."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.data.distinct_runs import NO_MARK, distinct_runs, number_runs

pytestmark = pytest.mark.interpreted


@given(st.lists(st.text("ab\U0001f600", max_size=4), max_size=20), st.sampled_from([np.uint8, np.uint32]))
def test_runs_are_numbered_in_order_of_appearance(runs, kind):
    symbols = [[ord(letter) % 256 if kind is np.uint8 else ord(letter) for letter in run] for run in runs]
    buffer = np.array([symbol for run in symbols for symbol in (10, *run)] + [10], kind)
    ends = np.cumsum([len(run) + 1 for run in runs], dtype=np.int64)
    starts = ends - np.array([len(run) for run in runs], np.int64)
    firsts, codes = distinct_runs(buffer, starts, ends)
    known = list(dict.fromkeys(runs))
    assert codes.tolist() == [known.index(run) for run in runs]
    assert firsts.tolist() == [runs.index(run) for run in known]


def test_a_mark_before_a_run_tells_it_from_others():
    buffer = np.frombuffer(b'\na"ab"ab', np.uint8)
    starts, ends = np.array([1, 3, 4, 6]), np.array([2, 4, 5, 7])  # a, marked a, b, marked a
    assert distinct_runs(buffer, starts, ends, ord('"'))[1].tolist() == [0, 1, 2, 1]
    assert distinct_runs(buffer, starts, ends)[1].tolist() == [0, 0, 1, 0]


class Counted(list):
    """A list that counts how often it is looked into."""

    looks = 0

    def __getitem__(self, place):
        self.looks += 1
        return super().__getitem__(place)


def looks_at_slots(cells, keys):
    """How often the hash table is looked into, to number these cells; and the slot of the first."""
    buffer = np.frombuffer(("\n" + "\n".join(cells) + "\n").encode(), np.uint8).astype(np.int64)
    ends = np.cumsum([len(cell) + 1 for cell in cells])
    starts = ends - [len(cell) for cell in cells]
    slots, codes, firsts = Counted([-1] * 512), np.empty(len(cells), np.int64), np.empty(len(cells), np.int64)
    number = getattr(number_runs, "py_func", number_runs)
    assert number(buffer, starts, ends, NO_MARK, keys, slots, codes, firsts) == len(set(cells))
    return slots.looks, slots.index(0)


def test_no_file_makes_runs_collide_for_every_key():
    """Cells that share a slot under one key, which nobody knows, are spread under another."""
    rng = np.random.default_rng(0)
    keys, others = np.array([2**28 + 12345, 2**28 + 98765]), np.array([2**28 + 54321, 2**28 + 6789])
    cells = ["".join(letters) for letters in rng.choice(list("abcdefgh"), (20_000, 8))]
    attack = sorted({cell for cell in cells if looks_at_slots([cell], keys)[1] == 7})
    assert len(attack) > 25
    assert looks_at_slots(attack, keys)[0] == len(attack) * (len(attack) + 1) // 2
    assert looks_at_slots(attack, others)[0] < 1.5 * len(attack)

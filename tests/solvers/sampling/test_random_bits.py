"""Generators as words: what is drawn from restored ones is the same, to the last bit."""

import numpy as np
import pytest

from empirisk.solvers.sampling.random_bits import generator_of, seeded, words_of


@pytest.mark.parametrize("draws", range(4))  # of half a word each: an odd number leaves one half
def test_a_generator_goes_on_where_it_was(draws):
    random = np.random.default_rng(7)
    random.integers(0, 1 << 32, draws, dtype=np.uint32)
    words = words_of(random)
    other, before = generator_of(words), words.copy()
    assert words.dtype == np.uint64
    assert words.shape == (6,)
    assert words[4] == draws % 2
    for _ in range(3):
        for one, two in ((random.permutation(11), other.permutation(11)), (random.random(5), other.random(5))):
            assert one.tobytes() == two.tobytes()
        np.testing.assert_array_equal(
            random.integers(0, 9, 3, dtype=np.uint32), other.integers(0, 9, 3, dtype=np.uint32)
        )
    np.testing.assert_array_equal(words, before)
    np.testing.assert_array_equal(words_of(random), words_of(other))


def test_that_of_a_seed_is_the_default_one():
    assert generator_of(seeded(3)).random(4).tobytes() == np.random.default_rng(3).random(4).tobytes()

import numpy as np
import pytest

from empirisk.bounds.pac_bayes.prior_rows import prior_rows

GOLDEN_0 = "0001111000010010101000111100011000001101010011111000001110001001"
GOLDEN_7 = "0010101101001010011011000101100000111000100111001011101011000100"


def test_first_rows_are_the_same_on_every_machine():
    assert "".join("01"[int(x)] for x in prior_rows(64)) == GOLDEN_0
    assert "".join("01"[int(x)] for x in prior_rows(64, seed=7)) == GOLDEN_7


@pytest.mark.compiled
def test_machine_code_draws_the_same():
    assert "".join("01"[int(x)] for x in prior_rows(64)) == GOLDEN_0


def test_longer_data_keep_the_rows_of_shorter():
    assert np.array_equal(prior_rows(1000)[:300], prior_rows(300))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_share_is_met_within_five_deviations(share):
    for seed in range(5):
        count = int(prior_rows(4000, seed, share).sum())
        assert abs(count - 4000 * share) < 5.0 * np.sqrt(4000 * share * (1.0 - share))


def test_seeds_draw_independently():
    both = prior_rows(4000, 1) & prior_rows(4000, 2)
    assert abs(int(both.sum()) - 1000) < 150


@pytest.mark.parametrize("arguments", [(0,), (10, -1), (10, 0, 0.0), (10, 0, 1.0), (10, 0, float("nan"))])
def test_refuses(arguments):
    with pytest.raises(ValueError, match="must be"):
        prior_rows(*arguments)

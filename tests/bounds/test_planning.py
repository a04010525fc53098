"""Plans: the textbook's numbers, and the rows at which the bounds themselves prove it."""

import pytest

from empirisk.bounds import accuracy, binomial_upper, sample_size, vc_tail
from empirisk.bounds.vc import log_of


def test_textbook_numbers():
    """(ln 1000 + ln 20) / 0.1; 2 (ln 1000 + ln 40) / 0.01; 80 log2(130) for h = 1, 40 log2(40) below."""
    assert sample_size(0.1, 0.05, finite=1000).textbook == 100
    assert sample_size(0.1, 0.05, finite=1000, error=0.1).textbook == 2120
    assert sample_size(0.1, 0.05, h=1).textbook == 562
    assert sample_size(0.1, 0.05, h=1, error=0.1).textbook is None


@pytest.mark.parametrize("error", [0.0, 0.1])
@pytest.mark.parametrize("h", [1, 21])
def test_rows_prove_what_was_asked(h, error):
    plan = sample_size(0.1, 0.05, h=h, error=error)
    assert vc_tail(int(error * plan.n), plan.n, h) <= 0.1 + error
    assert accuracy(plan.n, 0.05, h=h, error=error) <= 0.1
    assert accuracy(plan.n - 1, 0.05, h=h, error=error) > 0.1
    assert plan.textbook is None or plan.n < plan.textbook
    assert plan.sentence().startswith(f"{plan.n} rows prove")


def test_a_finite_class_is_a_union_bound():
    plan = sample_size(0.05, 0.05, finite=1000)
    assert plan.n == 194  # ln(20000) / -ln(0.95), rounded up
    assert binomial_upper(0, plan.n, log_of(0.05 / 1000)) <= 0.05 < binomial_upper(0, plan.n - 1, log_of(0.05 / 1000))
    assert plan.n <= plan.textbook
    assert sample_size(0.05, 0.05, finite=2**2000).n < 40_000


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"epsilon": 0.1}, "give either h"),
        ({"epsilon": 0.1, "h": 2, "finite": 3}, "give either h"),
        ({"epsilon": 0.0, "h": 2}, "epsilon must be"),
        ({"epsilon": 0.5, "h": 2, "error": 0.5}, "below 1 to say anything"),
        ({"epsilon": 0.1, "h": 2, "error": -0.1}, "error must be"),
        ({"epsilon": 0.1, "h": 2, "error": 1.5}, "error must be"),
        ({"epsilon": 0.1, "h": 0}, "h must be"),
        ({"epsilon": 0.1, "h": 2, "delta": 2.0}, "delta must be"),
        ({"epsilon": 1e-9, "h": 2}, "more than 1000000000 rows"),
    ],
)
def test_refused(asked, said):
    with pytest.raises(ValueError, match=said):
        sample_size(**asked)

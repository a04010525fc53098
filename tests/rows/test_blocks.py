"""Row blocks: they cover the rows, depend on the data alone, and sums keep their bytes."""

import itertools

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.designs import as_design
from empirisk.rows.blocks import MOST_BLOCKS, available_threads, map_blocks, row_blocks


@pytest.mark.parametrize(("n", "d"), [(1, 1), (10, 3), (200_000, 4), (3000, 400), (70_000, 100)])
@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
def test_blocks_cover_the_rows_once(n, d, wrap):
    blocks = row_blocks(as_design(wrap(np.ones((n, d)))), d)
    assert blocks[0][0] == 0
    assert blocks[-1][1] == n
    assert all(a[1] == b[0] for a, b in itertools.pairwise(blocks))
    assert all(start < stop for start, stop in blocks)
    assert len(blocks) <= MOST_BLOCKS
    assert len(blocks) == 1 or len(blocks) * d * 8 <= n * d  # partial sums stay small beside the data


def test_wide_sums_mean_fewer_blocks():
    design = as_design(np.ones((20_000, 100)))
    assert len(row_blocks(design, 100)) > len(row_blocks(design, 300 * 300)) >= 1


def test_results_come_in_block_order():
    blocks = [(k, k + 1) for k in range(50)]
    for threads in (1, 2, 4):
        assert map_blocks(lambda block: block[0], blocks, threads) == list(range(50))
    assert available_threads() >= 1


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_ignore_what_the_caller_ignores(threads):
    """Here every warning is an error: a thread with settings of its own would raise."""
    with np.errstate(over="ignore"):
        assert map_blocks(lambda x: np.float64(x) / 1e-300, [1e300, -1e300], threads) == [np.inf, -np.inf]
    with pytest.raises(RuntimeWarning, match="overflow"):
        map_blocks(lambda x: np.float64(x) / 1e-300, [1e300, -1e300], threads)


@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("solver", ["newton", "lbfgs", "sdca"])
def test_the_same_bytes_for_any_number_of_threads(wrap, solver):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80_000, 12))
    y = np.where(X[:, 0] + rng.normal(size=80_000) > 0, 1.0, -1.0)
    assert len(er.EmpiricalRisk(wrap(X), y).blocks) > 1
    answers = []
    for threads in (1, 2, 4):
        problem = er.EmpiricalRisk(wrap(X), y, l2=1e-3, n_threads=threads)
        solution = er.minimize(problem, solver, max_passes=20)
        answers.append((solution.weights.tobytes(), solution.intercept, solution.certificate.to_json()))
    assert answers[0] == answers[1] == answers[2]

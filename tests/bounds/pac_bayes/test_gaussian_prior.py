"""Divergence and margins against rational arithmetic with the prior's own numbers."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse

from empirisk.bounds.augmented_rows import joined
from empirisk.bounds.pac_bayes import gaussian_prior as module
from empirisk.bounds.pac_bayes.gaussian_prior import gaussian_prior
from empirisk.designs import as_design


def rows_and_plane(seed, n=30, d=3, scales=(1.0, 1.0, 1.0)):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * np.asarray(scales)
    w0, w = rng.standard_normal((2, d)) / np.asarray(scales)
    return X, np.where(rng.random(n) < 0.5, -1.0, 1.0), w0, w + w0


def exact_square(matrix, vector):
    """||matrix vector||^2; a vector stands for a diagonal."""
    rows = np.diag(matrix) if matrix.ndim == 1 else matrix
    total = Fraction(0)
    for row in rows.tolist():
        total += sum(Fraction(a) * v for a, v in zip(row, vector, strict=True)) ** 2
    return total


def solved(matrix, vector):
    """matrix^-T vector, exactly, for a lower triangular matrix or a diagonal."""
    rows = (np.diag(matrix) if matrix.ndim == 1 else matrix).tolist()
    found = [Fraction(0)] * len(rows)
    for i in reversed(range(len(rows))):
        rest = vector[i] - sum(Fraction(rows[k][i]) * found[k] for k in range(i + 1, len(rows)))
        found[i] = rest / Fraction(rows[i][i])
    return found


@pytest.mark.parametrize("is_diagonal", [False, True])
@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("intercept", [0.3, None])
@pytest.mark.parametrize("scales", [(1.0, 1.0, 1.0), (1e6, 1.0, 1e-5)])
def test_bounds_are_on_the_safe_side_and_near(monkeypatch, is_diagonal, is_sparse, intercept, scales):
    if is_diagonal:
        monkeypatch.setattr(module, "MOST_COLUMNS", 1)
    X, y, w0, w = rows_and_plane(1, scales=scales)
    design = as_design(scipy.sparse.csr_matrix(X) if is_sparse else X)
    prior = gaussian_prior(design, joined(w0, intercept), intercept is not None, 1e-4)
    plane = joined(w, None if intercept is None else -0.2)
    powers = [Fraction(p) for p in prior.powers.tolist()]
    u = [(Fraction(a) - Fraction(b)) / p for a, b, p in zip(plane.tolist(), prior.center.tolist(), powers, strict=True)]
    divergence = Fraction(30, 2) * sum(x * x for x in solved(prior.inverse, u))
    found = prior.divergence(plane)
    assert Fraction(found) >= divergence
    assert found == pytest.approx(float(divergence), rel=1e-9)
    margins = prior.margins(design, y, plane)
    for i, row in enumerate(X.tolist()):
        z = [Fraction(x) for x in (row if intercept is None else [*row, 1.0])]
        score = Fraction(y[i]) * sum(Fraction(a) * x for a, x in zip(plane.tolist(), z, strict=True))
        square = exact_square(prior.inverse, [x * p for x, p in zip(z, powers, strict=True)]) / 30
        low = Fraction(margins[i])
        assert low * abs(low) * square <= score * abs(score)
        assert margins[i] == pytest.approx(float(score) / float(square) ** 0.5, rel=1e-7, abs=1e-9)


def test_covariance_is_the_inverse_curvature():
    X, _, w0, _ = rows_and_plane(2, n=50)
    prior = gaussian_prior(as_design(X), joined(w0, 0.1), True, 1e-3)
    Z = np.column_stack([X, np.ones(50)])
    p = 1.0 / (1.0 + np.exp(-(Z @ prior.center)))
    A = 1e-3 * np.eye(4) + (Z.T * (p * (1.0 - p))) @ Z / 50
    half = prior.inverse * prior.powers
    np.testing.assert_allclose(half.T @ half, np.linalg.inv(A), rtol=1e-9)


def test_a_row_that_no_plane_judges_has_no_margin():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    prior = gaussian_prior(as_design(X), np.ones(2), False, 0.1)
    assert prior.margins(as_design(X), np.ones(3), np.ones(2))[2] == -np.inf


@pytest.mark.parametrize("X", [np.full((4, 2), 1e200), np.zeros((4, 2))])
def test_a_curvature_that_cannot_be_inverted_is_refused(X):
    with pytest.raises(ValueError, match="scale the columns"):
        gaussian_prior(as_design(X), np.zeros(2), False, 0.0)


def test_a_plane_beyond_all_numbers_is_refused():
    X, _, w0, _ = rows_and_plane(4)
    prior = gaussian_prior(as_design(X), w0, False, 0.1)
    with pytest.raises(ValueError, match="infinitely far"):
        prior.divergence(np.full(3, 1e308))


def test_columns_that_depend_on_each_other_need_no_l2():
    X = np.random.default_rng(3).standard_normal((40, 2))
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    prior = gaussian_prior(as_design(X), np.append(np.ones(3), 0.0), True, 0.0)
    assert prior.defect < 1e-6

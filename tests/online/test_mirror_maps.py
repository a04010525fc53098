"""Laws of the mirror maps."""

from __future__ import annotations

import cvxpy
import numpy as np
import pytest

import empirisk as er
from empirisk.constraints import L1Ball, L2Ball, Simplex, as_constraint
from empirisk.mirror_maps import (
    MIRROR_MAPS,
    DiagonalQuadratic,
    Entropic,
    Euclidean,
    MatrixQuadratic,
    SignedEntropic,
    as_mirror_map,
)
from empirisk.mirror_maps.quadratic_models import minimize_quadratic
from empirisk.online import FollowTheRegularizedLeader, MirrorDescent, as_learner, learner_text
from empirisk.problems.penalty_and_constraint import join
from empirisk.protocols import Unsupported
from tests.online.games import rows

pytestmark = pytest.mark.interpreted
MATRIX = np.array([[2.0, 0.9, 0.0, 0.1], [0.9, 1.0, 0.3, 0.0], [0.0, 0.3, 5.0, -0.4], [0.1, 0.0, -0.4, 0.6]])
MAPS = [
    Euclidean(),
    Entropic(1.0),
    Entropic(3.0),
    SignedEntropic(1.0),
    SignedEntropic(2.5),
    DiagonalQuadratic([1.0, 0.2, 3.0, 10.0]).checked(),
    MatrixQuadratic(MATRIX).checked(),
]
IDS = [f"{type(mirror).__name__}-{k}" for k, mirror in enumerate(MAPS)]
every_map = pytest.mark.parametrize("mirror", MAPS, ids=IDS)
SETS = ["l2_ball:radius=0.8", "l1_ball:radius=0.8", "simplex", "box:low=-0.3,high=0.4"]


def points(mirror, count=20, d=4):
    rng = np.random.default_rng(0)
    found = rng.normal(size=(count, d))
    if isinstance(mirror, Entropic):
        found = np.exp(found)
        found *= mirror.radius / found.sum(axis=1, keepdims=True)
    if isinstance(mirror, SignedEntropic):
        found *= 0.9 * rng.random((count, 1)) * mirror.radius / abs(found).sum(axis=1, keepdims=True)
    return found


def gradient(mirror, w):
    out = np.empty(w.size)
    mirror.gradient(w, out)
    return out


@every_map
def test_divergence_is_that_of_the_value_and_curves(mirror):
    for u, w in zip(points(mirror), points(mirror)[::-1], strict=True):
        found = mirror.divergence(u, w)
        assert found == pytest.approx(mirror.value(u) - mirror.value(w) - gradient(mirror, w) @ (u - w), abs=1e-12)
        assert found >= 0.5 * mirror.modulus() * mirror.norm(u - w) ** 2 - 1e-12
        assert found > 0.0
        assert mirror.divergence(w, w) == pytest.approx(0.0, abs=1e-12)


@every_map
def test_the_gradient_is_that_of_the_value(mirror):
    for w in points(mirror)[:5]:
        for direction in np.eye(4) - 0.25:  # along the simplex
            step = 1e-5 * direction
            slope = (mirror.value(w + step) - mirror.value(w - step)) / 2e-5
            assert slope == pytest.approx(gradient(mirror, w) @ direction, rel=1e-5, abs=1e-6)


@every_map
def test_three_points(mirror):
    a, b, c = points(mirror)[:3]
    left = mirror.divergence(a, b) + mirror.divergence(b, c) - mirror.divergence(a, c)
    assert left == pytest.approx((gradient(mirror, c) - gradient(mirror, b)) @ (a - b), abs=1e-12)


@every_map
def test_inverse_undoes_the_gradient(mirror):
    for w in points(mirror):
        out, back = np.empty(w.size), np.empty(w.size)
        mirror.inverse(gradient(mirror, w), out)
        np.testing.assert_allclose(out, w, rtol=1e-10, atol=1e-14)
        mirror.inverse(gradient(mirror, out), back)
        np.testing.assert_allclose(back, out, rtol=1e-10, atol=1e-14)


@every_map
def test_the_norms_are_dual(mirror):
    """<v, w> <= norm dual_norm, and some w reaches it; rows have the same dual norm."""
    rng = np.random.default_rng(1)
    for v in rng.normal(size=(5, 4)):
        tried = rng.normal(size=(200, 4))
        assert all(v @ w <= mirror.norm(w) * mirror.dual_norm(v) + 1e-12 for w in tried)
        best = -np.eye(4)[np.argmax(abs(v))] * np.sign(-v[np.argmax(abs(v))])
        if isinstance(mirror, (DiagonalQuadratic, MatrixQuadratic, Euclidean)):
            best = np.empty(4)
            mirror.inverse(v, best)
        assert v @ best == pytest.approx(mirror.norm(best) * mirror.dual_norm(v), rel=1e-12)
        design = er.designs.as_design(v[None, :])
        assert mirror.dual_square(design, 0) == pytest.approx(mirror.dual_norm(v) ** 2, rel=1e-12)


@every_map
def test_no_point_beats_the_minimizer(mirror):
    omega = join(0.1, 0.2, None, "l2_ball", 4)
    if isinstance(mirror, Entropic):
        omega = join(0.1, 0.0, None, Simplex(mirror.radius), 4)
    if isinstance(mirror, SignedEntropic):
        omega = join(0.0, 0.0, None, L1Ball(mirror.radius), 4)
    v, best = np.array([0.3, -1.0, 0.2, 2.0]), np.empty(4)
    mirror.minimizer(v, 0.5, omega, best)

    def value(w):
        return v @ w + 0.5 * omega.value(w) + mirror.value(w)

    others = points(mirror)
    if not isinstance(mirror, (Entropic, SignedEntropic)):
        others = others / np.maximum(1.0, np.linalg.norm(others, axis=1, keepdims=True))
    assert all(value(best) <= value(w) + 1e-12 for w in (*others, *(0.99 * best + 0.01 * w for w in others)))


def sets_of(mirror):
    if isinstance(mirror, Entropic):
        return [Simplex(mirror.radius)]
    return [L1Ball(mirror.radius)] if isinstance(mirror, SignedEntropic) else [as_constraint(text) for text in SETS]


@every_map
def test_projections_shorten_every_divergence(mirror):
    """B(u, w) >= B(u, Pw) + B(Pw, w) for u of the set: so that no other point of it is closer."""
    for constraint in sets_of(mirror):
        for k, w in enumerate(points(mirror)):
            w, found = (2.0 * w if isinstance(mirror, Entropic) else w), np.empty(4)
            mirror.project(constraint, w, found)
            assert constraint.value(found) == 0.0
            for u in points(mirror)[k + 1 :]:
                constraint.prox(u, 1.0, u)
                apart = mirror.divergence(found, w)
                assert mirror.divergence(u, w) >= mirror.divergence(u, found) + apart - 1e-11 * (1.0 + apart)


@pytest.mark.parametrize("text", SETS)
def test_projections_are_those_of_a_conic_solver(text):
    constraint, x = as_constraint(text), cvxpy.Variable(4)
    allowed = {
        "L2Ball": [cvxpy.norm2(x) <= 0.8],
        "L1Ball": [cvxpy.norm1(x) <= 0.8],
        "Simplex": [x >= 0.0, cvxpy.sum(x) == 1.0],
        "Box": [x >= -0.3, x <= 0.4],
    }[type(constraint).__name__]
    for mirror, matrix in ((MAPS[-2], np.diag(MAPS[-2].diagonal)), (MAPS[-1], MATRIX)):
        w, found = np.array([1.0, -0.7, 0.4, 2.0]), np.empty(4)
        mirror.project(constraint, w, found)
        cvxpy.Problem(cvxpy.Minimize(cvxpy.quad_form(x - w, matrix)), allowed).solve(solver=cvxpy.CLARABEL)
        np.testing.assert_allclose(found, x.value, atol=3e-4)  # which is as close as it comes
        least = mirror.divergence(x.value, w)
        assert least - 1e-6 <= mirror.divergence(found, w) <= least + 1e-9


@pytest.mark.parametrize("seed", range(30))
def test_quadratics_of_any_scale_are_minimised_to_rounding(seed):
    """Moves along the gradient lead back, also where the matrix is singular."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 7))
    rank = int(rng.integers(1, d + 1)) if seed % 3 == 0 else d
    half = rng.normal(size=(rank, d)) * 10.0 ** rng.uniform(-2, 2, size=d)
    matrix, far = half.T @ half * 10.0 ** rng.uniform(-4, 4), 3.0 * rng.normal(size=d)
    for l1, l2, constraint in ((0.1, 0.2, "l2_ball"), (0.3, 0.1, None), *((0.0, 0.0, text) for text in SETS)):
        omega, w = join(l1, l2, None, constraint, d), far.copy()
        with np.errstate(all="ignore"):
            minimize_quadratic(matrix, -matrix @ far, 1.0, omega, w)
        h, back = np.diagonal(matrix) * d, np.empty(d)
        omega.prox_scaled(w - matrix @ (w - far) / h, h, back)
        size = np.linalg.norm(np.sqrt(h) * far)
        assert np.linalg.norm(np.sqrt(h) * (back - w)) <= 1e-9 * size


@pytest.mark.parametrize("text", [*SETS, "half_space"])
def test_a_column_that_is_next_to_nothing_in_the_matrix_is_projected_too(text):
    """The guess is far outside along it, and within rounding of the minimiser in the norm of the matrix."""
    constraint = er.constraints.HalfSpace([1.0, 1.0], 0.5) if text == "half_space" else text
    matrix, far = np.diag([1.0, 1e-34]), np.array([0.2, 5.0])
    omega, w = join(0.0, 0.0, None, constraint, 2), far.copy()
    minimize_quadratic(matrix, -matrix @ far, 1.0, omega, w)
    assert omega.value(w) == 0.0
    assert w[0] == pytest.approx(0.2, abs=1e-15)
    assert w[1] > 0.0  # on the boundary


def test_the_entropy_of_pairs_is_the_least():
    """By trying pairs, and on the edge of the ball."""
    mirror, w = SignedEntropic(2.0), np.array([0.4, -0.7])
    spare = (2.0 - abs(w).sum()) / 2.0
    tried = [(t * spare, (1.0 - t) * spare) for t in np.linspace(0.0, 1.0, 2001)]
    entropies = [
        Entropic(2.0).value(np.append(np.maximum(w, 0.0) + pair, np.maximum(-w, 0.0) + pair)) for pair in tried
    ]
    assert mirror.value(w) == pytest.approx(min(entropies), abs=1e-6)
    edge = np.array([1.5, -0.5])
    assert mirror.value(edge) == pytest.approx(mirror.value((1.0 - 1e-9) * edge), abs=1e-6)
    assert mirror.divergence(np.array([2.0, 0.0]), np.zeros(2)) == pytest.approx(2.0 * np.log(4.0))


def test_the_registry_has_a_law_for_each():
    assert {type(mirror) for mirror in MAPS} == set(MIRROR_MAPS.values())


@pytest.mark.parametrize("mirror", [*MAPS[:1], *MAPS[-2:]], ids=["euclidean", "diagonal", "matrix"])
@pytest.mark.parametrize("cls", [MirrorDescent, FollowTheRegularizedLeader])
def test_texts_are_read_back(cls, mirror):
    learner = cls(mirror_map=mirror, t=0.3)
    again = as_learner(learner_text(learner))
    assert learner_text(again) == learner_text(learner)
    for found, wanted in zip(as_mirror_map(again.mirror_map), mirror, strict=True):
        np.testing.assert_array_equal(found, wanted)
    X, y, _ = rows("random")
    run = er.online.learn(X, y, learner, constraint=L2Ball(0.7), fit_intercept=False)
    bound = run.regret(X, y)
    assert bound.holds
    assert bound.verify(bound.problem_of(X, y)).holds


@pytest.mark.parametrize(
    ("mirror", "words"),
    [
        ("flat", "mirror_map must be one of"),
        ("entropic(2)", "has no parameter '2'"),
        ("diagonal_quadratic", "mirror_map must be one of"),
        ("diagonal_quadratic(1;2", "mirror_map must be one of"),
        ("diagonal_quadratic(1;x)", "written with numbers"),
        ("diagonal_quadratic(1;-1)", "finite numbers > 0"),
        ("matrix_quadratic(1;2;3)", "positive definite"),
        ("matrix_quadratic(1;2;2;1)", "positive definite"),
        (DiagonalQuadratic([]), "finite numbers > 0"),
        (MatrixQuadratic([[1.0, 0.5], [0.0, 1.0]]), "positive definite"),
        (MatrixQuadratic("ab"), "positive definite"),
        (3, "mirror_map must be one of"),
    ],
    ids=str,
)
def test_maps_that_cannot_be(mirror, words):
    with pytest.raises(ValueError, match=words):
        as_learner(MirrorDescent(mirror_map=mirror))


def test_a_map_of_other_columns():
    X, y, _ = rows("random")
    with pytest.raises(Unsupported, match=r"for 2 column\(s\), and here there are 4"):
        er.online.learn(X, y, MirrorDescent(DiagonalQuadratic([1.0, 2.0])))

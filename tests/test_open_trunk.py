"""The trunk is open: a problem, a solver and a certificate of another kind, all of them in this file.

f(W) = <W, H W> / 2 - <C, W> over matrices W, with H positive definite: no rows, no loss, no intercept. Strong convexity
makes ||grad f(W)||^2 / (2 mu) a bound on f(W) - min f, mu being the least eigenvalue of H.
"""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import empirisk as er
from empirisk.capabilities import name_of
from empirisk.certificates import from_sealed_json, lightened, register, sealed_json
from empirisk.certificates.fields import check_names, number_of, number_text, text_of
from empirisk.certificates.registry import KINDS
from empirisk.certificates.verification import digest
from empirisk.protocols import Headline, Progress, Unsupported, Verification, Words
from empirisk.solution import Status

NUMBERS = ("objective", "gap", "scale")


class MatrixPoint(NamedTuple):
    """A matrix."""

    matrix: Any

    def arrays(self):
        return (self.matrix,)

    def copy(self):
        return MatrixPoint(self.matrix.copy())


class Descent(NamedTuple):
    """Steps of length 1 / ||H||; the state is the matrix and the number of steps."""

    @property
    def needs(self):
        return ()

    def init(self, problem, point):
        return point.matrix, 0

    def step(self, problem, state):
        matrix, steps = state
        return matrix - problem.gradient(matrix) / np.linalg.norm(problem.H, 2), steps + 1

    def point(self, state):
        return MatrixPoint(state[0])

    def progress(self, problem, state):
        return Progress(float(state[1]), problem.value(state[0]), problem.gap(state[0]))


class Quadratic:
    """f, which brings its own certificate and its own choice."""

    n_threads = 1

    def __init__(self, H, C):
        self.H, self.C = H, C

    def value(self, W):
        return float(0.5 * np.vdot(W, self.H @ W) - np.vdot(self.C, W))

    def gradient(self, W):
        return self.H @ W - self.C

    def gap(self, W):
        g = self.gradient(W)
        return float(np.vdot(g, g)) / (2.0 * float(np.linalg.eigvalsh(self.H)[0]))

    def description(self):
        return f"a quadratic function of {self.C.shape[0]} x {self.C.shape[1]} matrices"

    def with_threads(self, n_threads):
        return self

    def zero(self):
        return MatrixPoint(np.zeros(self.C.shape))

    def start(self, given):
        matrix = np.array(given, dtype=np.float64)
        if matrix.shape != self.C.shape:
            raise ValueError(f"start must be a matrix of the shape {self.C.shape}")
        return MatrixPoint(matrix)

    def certify(self, point, tol):
        return MatrixGap(self.value(point.matrix), self.gap(point.matrix), abs(self.value(point.matrix)) + 1.0)

    def choose(self, solver, seed):
        if isinstance(solver, Descent):
            return solver, f"{name_of(solver)}: as asked."
        if solver != "auto":
            raise Unsupported(f"solver {solver!r} is for other problems; the one that can: descent")
        return Descent(), "descent: there is no other."


@register
class MatrixGap(NamedTuple):
    """f(W) is within `gap` of the minimum."""

    objective: float
    gap: float
    scale: float
    subject: str = ""

    @property
    def relative_gap(self):
        return self.gap / self.scale

    def is_within(self, tol):
        return math.isfinite(self.gap) and self.gap <= tol * self.scale

    def is_rounding_only(self):
        return False

    def about(self, point):
        return self._replace(subject=digest(point))

    def with_evidence(self, point):
        return point

    def verify(self, problem, point):
        if self.subject != digest(point):
            return Verification(False, "It speaks of another matrix.")
        found = problem.certify(point, 0.0)
        holds = all(math.isclose(getattr(self, n), getattr(found, n), rel_tol=1e-9, abs_tol=1e-300) for n in NUMBERS)
        return Verification(holds, "Recomputed." if holds else "The numbers are others.", {"gap": found.gap})

    def sentence(self):
        return f"f is {self.objective:.6g}, within {self.gap:.3g} of its minimum."

    def words(self, tol):
        return Words(
            meaning="A strongly convex function cannot be far above its minimum where its slope is small.",
            headline=(Headline("Gap", self.gap),),
            checked="the value and the slope",
            shortfall="" if self.is_within(tol) else f"the gap is {self.gap:.3g}",
        )

    def to_json(self):
        return {
            "kind": name_of(self),
            **{name: number_text(getattr(self, name)) for name in NUMBERS},
            "subject": self.subject,
        }

    def arrays(self):
        return {}

    @classmethod
    def from_json(cls, data, arrays):
        check_names(cls, data, (*NUMBERS, "subject"), arrays, ())
        return cls(*(number_of(data, name) for name in NUMBERS), text_of(data, "subject"))


@pytest.fixture(scope="module", autouse=True)
def _registry():
    """This kind is known in this file alone."""
    KINDS[name_of(MatrixGap)] = MatrixGap
    yield
    del KINDS[name_of(MatrixGap)]


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(4, 4))
    return Quadratic(root @ root.T + np.eye(4), rng.normal(size=(4, 3)))


def test_it_is_minimised_certified_and_verified(problem):
    solution = er.minimize(problem, tol=1e-9)
    assert solution.certified
    assert solution.status is Status.CERTIFIED
    assert (solution.solver, solution.reason) == ("descent", "descent: there is no other.")
    np.testing.assert_allclose(solution.point.matrix, np.linalg.solve(problem.H, problem.C), atol=1e-3)
    least = problem.value(np.linalg.solve(problem.H, problem.C))
    rounding = 1e-14 * abs(least)
    assert -rounding <= solution.objective - least <= solution.certificate.gap + rounding
    assert er.verify(solution, problem).holds
    assert er.verify(solution.certificate, problem, solution.point) == er.verify(solution, problem)
    assert not er.verify(solution, problem, MatrixPoint(solution.point.matrix + 1e-9)).holds
    assert not er.verify(solution.certificate._replace(gap=0.0), problem, solution.point).holds
    assert lightened(problem, solution.certificate, solution.point, 1e-9) is solution.certificate


def test_verify_says_what_it_lacks(problem):
    solution = er.minimize(problem)
    with pytest.raises(Unsupported, match=r"a Solution is about its problem, .*: verify\(solution, problem\)"):
        er.verify(solution, problem.C)
    with pytest.raises(Unsupported, match=r"MatrixGap is about a problem, .*: verify\(MatrixGap, problem, point\)"):
        er.verify(solution.certificate, problem.C)
    for point in (None, problem.C, (problem.C, 0.0)):
        with pytest.raises(Unsupported, match="MatrixGap speaks of a point of the problem that is given beside it"):
            er.verify(solution.certificate, problem, point)
    for nothing in (object(), None, problem):
        with pytest.raises(Unsupported, match="certificate"):
            er.verify(nothing, problem)


def test_trace_callback_start_and_limits(problem):
    seen = []
    solution = er.minimize(problem, tol=1e-9, callback=lambda trace: seen.append(trace.last().gap))
    assert [check.gap for check in solution.trace.checks if math.isfinite(check.gap)] == seen
    assert seen[-1] <= solution.trace.target
    stopped = er.minimize(problem, tol=1e-9, callback=lambda trace: True)
    assert stopped.status is Status.CALLBACK
    limited = er.minimize(problem, tol=1e-12, max_passes=3)
    assert (limited.status, limited.passes, limited.certified) == (Status.PASS_LIMIT, 3.0, False)
    again = er.minimize(problem, tol=1e-8, start=solution.point.matrix, n_threads=2)
    assert again.passes == 0.0
    with pytest.raises(ValueError, match="matrix of the shape"):
        er.minimize(problem, start=np.zeros(3))
    with pytest.raises(Unsupported, match="the one that can: descent"):
        er.minimize(problem, "newton")


class Uphill(Descent):
    """Steps that are far too long."""

    def step(self, problem, state):
        return state[0] + 1e200 * (problem.gradient(state[0]) + 1.0), state[1] + 1


def test_overflow_goes_back_to_what_was_finite(problem):
    solution = er.minimize(problem, Uphill(), max_passes=50)
    assert solution.status is Status.OVERFLOW
    assert solution.reason == "uphill: as asked."
    assert np.all(np.isfinite(solution.point.matrix))
    assert math.isfinite(solution.objective)


def test_it_is_a_file_like_any_other(problem):
    solution = er.minimize(problem)
    written = json.loads(json.dumps(sealed_json(solution.certificate)))
    assert from_sealed_json(written) == solution.certificate
    with pytest.raises(ValueError, match="its seal does not fit"):
        from_sealed_json({**written, "gap": 0.0})


def test_what_is_no_problem_says_what_it_lacks():
    with pytest.raises(TypeError, match="no method choose"):
        er.minimize(object())

"""Whole fits: the same answer to the bit wherever rows live, or a sentence that says who can give one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.capabilities import missing
from empirisk.constraints import L2Ball
from empirisk.designs import as_design
from empirisk.losses import Logistic
from empirisk.models import FitOptions
from empirisk.models.validation.cross_validation import cross_validate
from empirisk.protocols import Unsupported
from empirisk.rows.in_memory import InMemory
from empirisk.solvers import SOLVERS
from empirisk.vector_losses import OneVersusRest, Softmax
from tests.laws.task_cases import MIXED, TARGETS, Setting, shrink
from tests.laws.test_tasks import Askew, bytes_of
from tests.rows.scattered import Scattered

pytestmark = [pytest.mark.interpreted, pytest.mark.usefixtures("small")]
RESIDENCES = {"threads": lambda X: Askew(X, 2), "scattered": lambda X: Scattered(X, 3)}

# What each solver that does without all rows at hand is run on; a new one adds its name and a problem.
ANYWHERE: dict[str, dict[str, Any]] = {
    "newton": {},
    "gradient_descent": {},
    "lbfgs": {},
    "fista": {"l1": 0.02},
    "projected_gradient": {"constraint": L2Ball(0.5)},
    "frank_wolfe": {"constraint": L2Ball(0.5)},
    "normal_equations": {"loss": "squared", "y": TARGETS},
    "composite_newton": {"l1": 0.02},
    "smoothed_newton": {"loss": "hinge"},
    "smoothed_fista": {"loss": "hinge", "l2": 1.0},
    "projected_subgradient": {"loss": "hinge", "constraint": L2Ball(0.5), "l2": 1.0},
}
OF_CLASSES = ("lbfgs", "fista", "newton", "auto")  # those that do so of all classes together
LOOSE = {"frank_wolfe": 1e-3, "projected_subgradient": 0.1, "gradient_descent": 1e-4, "smoothed_fista": 1e-2}
AT_HAND = sorted(name for name, solver in SOLVERS.items() if "rows in memory" in solver().needs)


@pytest.fixture
def small(monkeypatch):
    shrink(monkeypatch)


def in_memory(X: Any) -> InMemory:
    return InMemory(as_design(X), 1)


def answer(solution: Any) -> Any:
    found = solution.certificate
    return bytes_of([solution.weights, solution.intercept, found.to_json(), found.arrays(), solution.passes])


@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize("where", RESIDENCES)
@pytest.mark.parametrize("name", ANYWHERE)
def test_the_same_fit(name, where, is_sparse):
    fits = []
    for live in (in_memory, RESIDENCES[where]):
        problem = Setting(is_sparse, np.float64, True, True, live).one_score(**ANYWHERE[name])
        fits.append(er.minimize(problem, name, tol=LOOSE.get(name, 1e-6), max_passes=300))
    assert fits[0].certified, fits[0].status
    assert answer(fits[1]) == answer(fits[0])
    assert fits[1].certificate.verify(problem, fits[1].certificate.with_evidence(fits[1].point)).holds


@pytest.mark.parametrize("where", RESIDENCES)
@pytest.mark.parametrize("loss", [Softmax(), OneVersusRest(Logistic())], ids=["softmax", "one_vs_rest"])
@pytest.mark.parametrize("name", OF_CLASSES)
def test_the_same_fit_of_many_classes(name, loss, where):
    fits = [
        er.minimize(Setting(False, np.float64, True, True, live).classes(loss), name, tol=1e-4)
        for live in (in_memory, RESIDENCES[where])
    ]
    assert fits[0].certified, fits[0].status
    assert answer(fits[1]) == answer(fits[0])


@pytest.mark.parametrize(
    ("loss", "more"),
    [
        ("logistic", {}),
        ("logistic", {"l1": 0.02, "l2": 0.0}),
        ("logistic", {"constraint": L2Ball(0.5)}),
        ("squared", {}),
        ("squared", {"l1": 0.02}),
        ("hinge", {}),
        ("hinge", {"l1": 0.02}),
        ("hinge", {"l1": 0.02, "l2": 0.0}),
    ],
    ids=str,
)
def test_auto_takes_a_solver_that_can(loss, more):
    """In memory it may take another one, which is faster there."""
    y = TARGETS if loss == "squared" else MIXED
    solution = er.minimize(Setting(True, np.float64, False, True, Scattered).one_score(loss, y, **more))
    assert solution.certified, solution.status
    assert solution.solver not in AT_HAND


def test_every_solver_says_where_rows_may_be():
    assert sorted(ANYWHERE) == sorted(set(SOLVERS) - set(AT_HAND))


@pytest.mark.parametrize("name", AT_HAND)
def test_what_needs_all_rows_is_refused_with_those_that_do_without(name):
    problem = Setting(False, np.float64, False, True, Scattered).one_score("hinge", l1=0.01)
    with pytest.raises(Unsupported, match="needs all rows in memory") as refused:
        er.minimize(problem, name)
    named = str(refused.value).partition("Solvers that can: ")[2].removesuffix(".").split(", ")
    able = [solver for solver in SOLVERS if not missing(SOLVERS[solver](), problem)]
    assert named == able
    assert able
    assert not set(able) & set(AT_HAND)


@pytest.mark.parametrize("where", RESIDENCES)
def test_the_same_strengths_and_folds(where):
    found = []
    for live in (in_memory, RESIDENCES[where]):
        problem = Setting(False, np.float64, True, True, live).one_score("logistic")
        grid, folds = er.strength_grid(problem, "l2", n=3), np.arange(problem.rows.n_rows) % 2
        options = FitOptions(task="classification", loss="logistic", solver="newton", tol=1e-4)
        said = cross_validate(problem, options, np.zeros(1), grid, folds)
        steps = er.path(problem, grid, of="l2", solver="newton", tol=1e-4)
        found.append((grid.tobytes(), said.fold_losses.tobytes(), said.fold_errors.tobytes(), len(list(steps))))
    assert found[0] == found[1]

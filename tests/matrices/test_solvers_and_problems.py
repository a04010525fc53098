"""Every solver on every loss and design, with and without intercept and weights: certified at 1e-6, or refused."""

import itertools

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.capabilities import has_kinks, missing, offers
from empirisk.losses import LOSSES
from empirisk.protocols import Unsupported
from empirisk.solvers import SOLVERS
from tests.matrices.problems import FITTED, data

DESIGNS = {
    "dense64": lambda X: X,
    "dense32": lambda X: X.astype(np.float32),
    "csr64": scipy.sparse.csr_array,
    "csr32": lambda X: scipy.sparse.csr_array(X.astype(np.float32)),
}
KINKS = [loss for loss in FITTED if has_kinks(LOSSES[loss]())]
DUAL = ("dual_newton", "proximal_newton", "sdca", "accelerated_sdca", "smoothed_newton", "smoothed_fista")


def without(method):
    """The losses that do not offer it."""
    return [loss for loss in FITTED if not offers(LOSSES[loss](), method)]


# Pairs that no code here can do, with the words of the refusal.
REFUSED = {
    **{
        (solver, loss): "needs loss.second_derivative"
        for solver in ("newton", "coordinate_descent", "composite_newton")
        for loss in without("second_derivative")
    },
    **{(solver, loss): "needs loss.smoothness" for solver in ("saga", "svrg") for loss in without("smoothness")},
    **{(solver, loss): "needs loss.dual_step" for solver in DUAL for loss in without("dual_step")},
    **{
        (solver, loss): "needs a loss without kinks"
        for solver in ("lbfgs", "fista", "projected_gradient", "gradient_descent", "frank_wolfe")
        for loss in KINKS
    },
    **{("normal_equations", loss): "needs" for loss in FITTED if loss != "squared"},
    **{("linear_program", loss): "needs loss.pieces" for loss in without("pieces")},
}
# Precisions of methods that converge slowly by nature, everywhere or on one loss.
SLOW = {"sgd": 0.05, "projected_subgradient": 0.05, "adagrad": 0.05}


def penalty_for(solver):
    """What the solver needs of it."""
    if solver == "frank_wolfe":
        return {"l2": 1e-2, "constraint": er.L1Ball(0.5)}
    return {"l2": 0.0 if solver == "linear_program" else 1e-2}


def check(solver, loss, design, intercept, weighted):
    X, y, s = data(loss, n=60, d=4)
    s = s if weighted else None
    problem = er.EmpiricalRisk(
        DESIGNS[design](X), y, loss, sample_weight=s, fit_intercept=intercept, **penalty_for(solver)
    )
    if (solver, loss) in REFUSED:
        with pytest.raises(Unsupported, match=REFUSED[solver, loss]):
            er.minimize(problem, solver)
        return
    tol = SLOW.get(solver, SLOW.get((solver, loss), 1e-6))
    solution = er.minimize(problem, solver, tol=tol, max_passes=3000)
    assert solution.certified, (solution.status, solution.certificate.relative_gap)
    assert solution.certificate.relative_gap <= tol
    assert solution.certificate.verify(problem, solution.point).holds
    assert solution.reason


@pytest.mark.parametrize("weighted", [False, True], ids=["uniform", "weighted"])
@pytest.mark.parametrize("intercept", [False, True], ids=["through0", "intercept"])
@pytest.mark.parametrize("loss", FITTED)
@pytest.mark.parametrize("solver", ["auto", *SOLVERS])
def test_losses(solver, loss, intercept, weighted):
    check(solver, loss, "dense64", intercept, weighted)


def cells():
    """Solvers, losses and designs; every solver runs as machine code on rows and on numbers of both kinds.

    That takes two designs of the four; `auto` runs so on all of them, with one of the losses.
    """
    for solver, loss, design in itertools.product(["auto", *SOLVERS], ["logistic", "hinge"], DESIGNS):
        takes_both = (solver, "logistic") not in REFUSED and (solver, "hinge") not in REFUSED
        is_of_the_two = design in ("dense64", "csr32")
        is_compiled = is_of_the_two == (loss == "logistic") if takes_both else True
        is_compiled = is_compiled and (solver == "auto" or is_of_the_two)
        yield pytest.param(solver, loss, design, marks=pytest.mark.compiled if is_compiled else ())


@pytest.mark.parametrize(("solver", "loss", "design"), list(cells()))
def test_designs(solver, loss, design):
    check(solver, loss, design, True, True)


def test_the_table_of_refusals_is_complete():
    for solver, cls in SOLVERS.items():
        for loss in FITTED:
            X, y, _ = data(loss)
            problem = er.EmpiricalRisk(X, y, loss, **penalty_for(solver))
            assert bool(missing(cls(), problem)) == ((solver, loss) in REFUSED), (solver, loss)


@pytest.mark.parametrize("loss", ["logistic", "hinge", "absolute"])
@pytest.mark.parametrize("intercept", [False, True])
def test_elastic_net_certifies(loss, intercept):
    X, y, s = data(loss)
    problem = er.EmpiricalRisk(X, y, loss, l1=0.1, l2=1e-2, sample_weight=s, fit_intercept=intercept)
    solution = er.minimize(problem, tol=1e-6)
    assert solution.certified
    assert np.any(solution.weights == 0.0)
    for name in ("newton", "lbfgs", "proximal_newton"):
        with pytest.raises(Unsupported, match="needs"):
            er.minimize(problem, name)

"""States of solvers are data: pickled and restored after every step, a run ends with the same bytes.

A state is made of arrays, numbers, text, None, tuples and named tuples of these. It holds neither the problem nor what
was made of it: the run whose state is restored gets another copy of the problem for every call.
"""

import pickle

import numpy as np
import pytest

import empirisk as er
from empirisk.capabilities import missing, name_of, optional
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.several_targets import SeveralTargets
from empirisk.protocols import Unsupported
from empirisk.selection import choose
from empirisk.solvers import LBFGS, SGD, SOLVERS, DualNewton, Newton, ProximalNewton
from empirisk.solvers.handover import Handover
from empirisk.solvers.in_units import InUnits
from empirisk.solvers.many_classes import sdca as multiclass_sdca
from empirisk.solvers.many_classes.class_by_class import ClassByClass
from empirisk.solvers.relaxed import Relaxed
from empirisk.vector_losses import OneVersusRest, Softmax
from tests.matrices.problems import data

pytestmark = pytest.mark.interpreted

STEPS = 25  # at most, of one solver
NUMBERS = "biufc"  # kinds of arrays


def posed(loss, n=30, d=4, fit_intercept=True, **penalty):
    X, y, s = data(loss, n=n, d=d)
    return er.EmpiricalRisk(X, y, loss, sample_weight=s, fit_intercept=fit_intercept, **penalty)


def many_classes(loss, **penalty):
    X, _, s = data(n=30, d=3)
    labels = np.argmax(X + 0.5 * np.random.default_rng(1).normal(size=X.shape), axis=1)
    return MulticlassRisk(X, labels, 3, loss, sample_weight=s, **{"l2": 0.05, **penalty})


def targets(loss):
    X, y, _ = data(loss, n=30, d=3)
    return SeveralTargets(8.0 * X, np.column_stack([y, 3.0 * y[::-1]]), loss, l2=0.01)


ONE_SCORE = {
    "logistic": lambda: posed("logistic", l2=0.01),
    "logistic l1": lambda: posed("logistic", n=20, d=110, l1=0.05, l2=0.001, fit_intercept=False),
    "squared box": lambda: posed("squared", l1=0.05, l2=0.01, constraint=er.Box(-0.2, 0.3)),
    "huber ball": lambda: posed("huber", l2=0.01, constraint=er.L1Ball(0.5)),
    "hinge": lambda: posed("hinge", n=120, d=2, l2=0.003),
    "hinge l1": lambda: posed("hinge", l1=0.02, l2=0.02),
    "absolute": lambda: posed("absolute", l2=0.0),
    "quantile ball": lambda: posed("quantile", l2=0.01, constraint=er.L2Ball(0.3)),
}
SEVERAL = {
    "softmax": lambda: many_classes(Softmax(1.0)),
    "softmax l1": lambda: many_classes(Softmax(1.0), l1=0.02),
    "one against rest": lambda: many_classes(OneVersusRest(er.Hinge())),
    "one against rest l1": lambda: many_classes(OneVersusRest(er.Logistic()), l1=0.02),
    "targets": lambda: targets("squared"),
    "targets kinks": lambda: targets("absolute"),
}
AUTO = {
    "in units": lambda: posed("logistic", l2=1e-3),
    "in units of labels": lambda: er.EmpiricalRisk(100.0 * data("huber")[0], 9.0 * data("huber")[1], "huber", l2=0.1),
    "normal equations": lambda: posed("squared", l2=0.01),
}
# Parts of methods that the problems above do not lead to, with the steps that they take.
ON_THE_WAY = {
    "relaxed": (Relaxed(ProximalNewton()), ONE_SCORE["quantile ball"], STEPS),
    "after another": (InUnits(Handover((SGD(), Relaxed(LBFGS())))), ONE_SCORE["huber ball"], 3),
    "conjugate gradients": (Newton("conjugate_gradient"), ONE_SCORE["logistic"], STEPS),
    "wide": (Newton("conjugate_gradient"), lambda: posed("logistic", n=12, d=30, l2=1e-3), STEPS),
    "dual passes, then newton": (DualNewton(), lambda: posed("logistic", l2=1e-3), 60),
    "dual passes, then kinks": (DualNewton(), lambda: posed("absolute", l2=1e-3), 500),
    "a suffix": (SGD(average="suffix", batch=3), ONE_SCORE["hinge"], 9),
}
NAMED, ALL = {**ONE_SCORE, **SEVERAL}, {**ONE_SCORE, **SEVERAL, **AUTO}


def pieces(state, place="state"):
    """The leaves of nested tuples, each with its place."""
    if isinstance(state, tuple):
        names = getattr(state, "_fields", range(len(state)))
        for name, part in zip(names, state, strict=True):
            yield from pieces(part, f"{place}.{name}")
    else:
        yield place, state


def is_data(piece):
    """Whether it is an array of numbers, a number, a text or nothing: exactly, not of a class of its own."""
    if isinstance(piece, np.ndarray):
        return type(piece) is np.ndarray and piece.dtype.kind in NUMBERS
    return piece is None or type(piece) in (bool, int, float, complex, str) or isinstance(piece, np.generic)


def strange(state):
    """Pieces that are no data."""
    return [f"{place}: {type(piece).__name__}" for place, piece in pieces(state) if not is_data(piece)]


def content(state):
    """All bytes of a state."""
    return [(place, *in_bytes(piece)) for place, piece in pieces(state)]


def in_bytes(piece):
    if isinstance(piece, np.ndarray):
        return piece.dtype.str, piece.shape, piece.tobytes()
    return (type(piece).__name__, repr(piece))


def run(solver, problem, steps, passed_on):
    """The last state of each solver of a chain; `passed_on` gives what each call gets for problem and state."""
    ends, go_on = [], optional(solver, "further")
    state = solver.init(problem, problem.zero())
    while state is not None:
        for _ in range(steps):
            said = solver.progress(*passed_on(problem, state))
            if said.stalled or said.ending or abs(said.gap) <= 1e-13 * abs(said.objective):
                break
            state = solver.step(*passed_on(problem, state))
        ends.append(content((state, solver.progress(*passed_on(problem, state)), solver.point(state))))
        state = None if go_on is None else go_on(*passed_on(problem, state))
    return ends


def as_it_is(problem, state):
    return problem, state


def restored(problem, state):
    """Another copy of the problem, and of the state."""
    assert not strange(state)
    return problem.with_threads(1), pickle.loads(pickle.dumps(state))


def check(solver, problem, steps=STEPS):
    with np.errstate(all="ignore"):
        expected = run(solver, problem, steps, as_it_is)
        assert run(solver, problem, steps, restored) == expected


@pytest.fixture(autouse=True)
def _several_ranges_of_classes(monkeypatch):
    monkeypatch.setattr(multiclass_sdca, "CLASSES_AT_A_TIME", 2)


@pytest.mark.parametrize("kind", NAMED)
@pytest.mark.parametrize("name", SOLVERS)
def test_a_restored_state_goes_on_with_the_same_bytes(name, kind):
    problem = NAMED[kind]()
    try:
        solver, _ = choose(problem, name)
    except Unsupported:
        return  # the matrices say which, and why
    check(solver, problem)


@pytest.mark.parametrize("kind", ALL)
def test_so_does_that_of_a_chain(kind):
    problem = ALL[kind]()
    check(choose(problem)[0], problem)


@pytest.mark.parametrize("case", ON_THE_WAY)
def test_so_do_those_of_later_parts(case):
    solver, make, steps = ON_THE_WAY[case]
    check(solver, make(), steps)


def test_these_parts_are_reached():
    parts = {"dual passes, then newton": Newton, "dual passes, then kinks": ProximalNewton}
    for case, part in parts.items():
        solver, make, steps = ON_THE_WAY[case]
        assert type(states(solver, make(), steps)[-1].part) is part
    working = states(ProximalNewton(), ONE_SCORE["hinge"](), STEPS)
    assert any(state.rows.chosen.size for state in working)


def states(solver, problem, steps):
    found = [solver.init(problem, problem.zero())]
    while len(found) <= steps:
        found.append(solver.step(problem, found[-1]))
    return found


def test_solvers_around_others_and_every_solver_are_among_these():
    kinds, taken = set(), set()
    for kind, make in ALL.items():
        problem = make()
        kinds |= set(map(type, around(choose(problem)[0])))
        taken |= {name for name, cls in SOLVERS.items() if kind in ONE_SCORE and not missing(cls(), problem)}
    assert {InUnits, Handover, ClassByClass} <= kinds
    assert taken == set(SOLVERS)
    problem = SEVERAL["softmax"]()
    assert name_of(choose(problem, "sdca")[0]) == "multiclass_sdca"


def around(solver):
    """The solver and those that it runs."""
    yield solver
    for part in solver:
        for inner in part if type(part) is tuple else [part]:
            if optional(inner, "step") is not None:
                yield from around(inner)


def test_what_is_no_data_is_told():
    problem = ONE_SCORE["logistic"]()
    parts = (problem, np.random.default_rng(0), [1.0], {}, print, er.Logistic, np.array([None]))
    assert len(strange((1.0, (np.zeros(2), parts)))) == len(parts)
    assert not strange((1, True, "a", None, np.float64(1.0), er.Logistic(), np.zeros((2, 2)), ()))

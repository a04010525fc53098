"""A true certificate of every kind, with the problem and the point that it speaks of, and what may be changed in it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import empirisk as er
from empirisk.bounds.compression.rebuilding import gap_compression, perceptron_compression, support_compression
from empirisk.bounds.integers.code import IntegerPlane
from empirisk.bounds.integers.planes import integer_bound
from empirisk.bounds.pac_bayes.prior_fit import pac_bayes_bound
from empirisk.separation.data_claim import data_fields
from empirisk.separation.points import points_of
from empirisk.vector_losses import OneVersusRest, Softmax
from tests.laws.case import Case, solved
from tests.laws.chain_cases import CHAIN_CASES
from tests.own_losses import Welsch


def alone(certificate: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Case:
    return Case(certificate, certificate.problem_of(X, y, sample_weight), None)


class Data(NamedTuple):
    """What the cases are about: rows, labels that a plane separates and such that none does, few rows, weights."""

    X: Any
    target: Any
    mixed: Any
    far: Any
    apart: Any
    classes: Any
    few: Any
    labels: Any
    s: Any
    even: Any  # mirrored about zero, with a column of zeros: planes with an intercept and a weight that hardly matter
    sides: Any
    redundant: Any  # columns that are combinations of others but for their rounding, which alone separates the turns
    turns: Any


@functools.cache
def data() -> Data:
    rng = np.random.default_rng(0)
    X, noise = rng.normal(size=(40, 3)), rng.normal(size=40)
    target = X @ [1.0, -1.0, 0.5] + 0.1 * noise
    mixed, apart = np.where(X[:, 0] + noise > 0.0, 1.0, -1.0), np.where(X[:, 0] > 0.0, 1.0, -1.0)
    far = X + apart[:, None] * [1.0, 0.0, 0.0]
    classes = np.argmax(X + rng.normal(size=X.shape), axis=1)
    s = rng.integers(1, 4, 20).astype(float)
    even = np.column_stack([far[:8, :2], np.zeros(8)])
    even, sides = np.vstack([even, -even]), np.append(apart[:8], -apart[:8])
    redundant = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.2], [1.0, 0.0, 0.1], [1.0, 1.0, 0.1 + 0.2]])
    turns = np.array([1.0, -1.0, -1.0, 1.0])
    return Data(X, target, mixed, far, apart, classes, X[:20, :2], mixed[:20], s, even, sides, redundant, turns)


def one_versus_rest(d: Data, loss: Any) -> Any:
    return er.MulticlassRisk(d.X, d.classes, 3, OneVersusRest(loss), l2=0.1)


def run(form: str, **asked: Any) -> Callable[[Data], Case]:
    """The bound of a perceptron's run."""
    return lambda d: alone(er.perceptron(d.far, d.apart, form=form, **asked).certificate, d.far, d.apart)


def game(learner: str, **asked: Any) -> Callable[[Data], Case]:
    """The regret of a learner's run."""
    return lambda d: alone(er.online.learn(d.X, d.mixed, learner, **asked).regret(d.X, d.mixed), d.X, d.mixed)


def fewest(**asked: Any) -> Callable[[Data], Case]:
    """The proof of the fewest errors."""
    return lambda d: alone(er.fewest_errors(d.few, d.labels, **asked).certificate, d.few, d.labels)


def by_a_hair(d: Data) -> er.FineSeparation:
    """A plane in two doubles a weight; a search may find one that needs a single one, by the way it rounds."""
    parts = np.array(
        [[-1.441151880758559e16, -2.8823037615171176e16, 1.4411518807585587e17, 1.0], [0.0, -2.0, 0.0, 0.0]]
    )
    points = points_of(d.redundant, d.turns, True)
    claim = er.FineSeparation(parts, 1.0, **data_fields(points))
    return claim._replace(margin=dict(claim.verify(points).numbers)["margin"])


def planes_bound(kind: str, labels: str, **choices: Any) -> Callable[[Data], Case]:
    """A bound on the future error of a plane, or of one plane a class."""

    def made(d: Data) -> Case:
        y = getattr(d, labels)
        weights = np.eye(3) if labels == "classes" else np.array([1.0, 0.25, 0.0])
        evidence = er.bounds.plane_evidence(weights, np.zeros(weights.ndim if weights.ndim == 1 else 3))
        return alone(er.bounds.risk_bound(kind, er.bounds.labelled_rows(d.X, y), 0.05, choices, evidence), d.X, y)

    return made


def integers_bound(d: Data) -> Case:
    """Of a plane with integer weights."""
    columns, values, exponents = np.array([[0, 1], [2, -1], [0, -3]])
    plane = IntegerPlane(d.X.shape[1], columns, values, exponents, 1)
    return alone(integer_bound(plane, er.bounds.labelled_rows(d.X, d.mixed)), d.X, d.mixed)


def class_bound(d: Data) -> Case:
    """Of a plane of the third class of a list: at most two weights, in any columns."""
    evidence = {
        **er.bounds.plane_evidence([1.0, 0.25, 0.0], 0.5),
        "allowed": np.ones(3, dtype=np.int64),
    }
    choices = {"place": 3, "most_nonzero": 2, "is_affine": True, "told_h": 0}
    rows = er.bounds.labelled_rows(d.X, d.mixed)
    return alone(er.bounds.risk_bound("structural", rows, 0.05, choices, evidence), d.X, d.mixed)


def losses_bound(kind: str, **choices: Any) -> Callable[[Data], Case]:
    """A bound on the expected loss, from losses alone."""

    def made(d: Data) -> Case:
        values = (d.mixed > 0.0) * 1.0 if kind == "test_errors" else np.minimum(np.abs(d.target), 3.0)
        return alone(er.bounds.risk_bound(kind, er.bounds.losses_of(values), 0.05, choices), values)

    return made


def prior_bound(of_draw: bool, **asked: Any) -> Callable[[Data], Case]:
    """A bound on the future error of a fit, with a prior from half of its rows."""

    def made(d: Data) -> Case:
        fit = er.minimize(er.EmpiricalRisk(d.X, d.mixed, asked.get("loss", "logistic"), l2=asked["l2"]))
        rows = er.bounds.labelled_rows(d.X, d.mixed)
        return alone(pac_bayes_bound(rows, fit.weights, fit.intercept, of_draw=of_draw, **asked), d.X, d.mixed)

    return made


def rebuilt_bound(rule: str) -> Callable[[Data], Case]:
    """A bound on the future error of a plane that some of its rows give."""

    def made(d: Data) -> Case:
        rows = er.bounds.labelled_rows(d.far, d.apart)
        if rule == "perceptron":
            found = perceptron_compression(rows, er.perceptron(d.far, d.apart))
        elif rule == "gap":
            found = gap_compression(rows, er.widest_gap(d.far, d.apart))
        else:
            fit = er.minimize(er.EmpiricalRisk(d.far, d.apart, "hinge", l2=0.1))
            found = support_compression(rows, fit.weights, fit.intercept, fit.certificate, l2=0.1)
        return alone(found, d.far, d.apart)

    return made


# By name, of which the first words are the kind.
CASES: dict[str, Callable[[Data], Case]] = {
    "duality_gap": lambda d: solved(er.EmpiricalRisk(d.X, d.mixed, l2=0.1)),
    "duality_gap, stored dual": lambda d: solved(
        er.EmpiricalRisk(d.X, d.mixed, "hinge", l2=0.1), solver="sdca", tol=1e-3
    ),
    "duality_gap, softmax": lambda d: solved(er.MulticlassRisk(d.X, d.classes, 3, Softmax(1.0), l2=0.1)),
    "duality_gap, l1": lambda d: solved(er.EmpiricalRisk(d.X, d.target, "squared", l1=0.1)),
    "duality_gap, no penalty": lambda d: solved(er.EmpiricalRisk(d.X, d.target, "squared", l2=0.0)),
    "duality_gap, no penalty, logistic": lambda d: solved(er.EmpiricalRisk(d.X, d.mixed, l2=0.0)),
    "duality_gap, hinge with l1": lambda d: solved(er.EmpiricalRisk(d.X, d.mixed, "hinge", l1=0.05, l2=0.0)),
    "duality_gap, ball": lambda d: solved(
        er.EmpiricalRisk(d.X, d.target, "absolute", l2=0.0, constraint=er.L2Ball(1.0))
    ),
    "duality_gap, no intercept": lambda d: solved(er.EmpiricalRisk(d.X, d.mixed, l2=0.1, fit_intercept=False)),
    "class_gaps": lambda d: solved(one_versus_rest(d, er.Hinge()), solver="sdca", tol=1e-3),
    "class_gaps, logistic": lambda d: solved(one_versus_rest(d, er.Logistic())),
    "stationarity": lambda d: solved(er.EmpiricalRisk(d.X, d.target, Welsch(), l2=0.1), tol=1e-3),
    "stationarity, to rounding": lambda d: solved(er.EmpiricalRisk(d.X, d.target, Welsch(), l2=0.1), tol=1e-15),
    "unattained_infimum": lambda d: solved(er.EmpiricalRisk(d.far, d.apart, l2=0.0)),
    "separation": lambda d: alone(er.separate(d.far, d.apart), d.far, d.apart),
    "separation, no intercept": lambda d: alone(er.separate(d.far, d.apart, fit_intercept=False), d.far, d.apart),
    "separation, even": lambda d: alone(er.separate(d.even, d.sides), d.even, d.sides),
    "fine_separation": lambda d: alone(by_a_hair(d), d.redundant, d.turns),
    "inseparability": lambda d: alone(er.separate(d.few, d.labels), d.few, d.labels),
    "inseparability, no intercept": lambda d: alone(er.separate(d.few, d.labels, fit_intercept=False), d.few, d.labels),
    "mistake_bound": run("online"),
    "mistake_bound, voted": run("voted"),
    "mistake_bound, batch": run("batch"),
    "mistake_bound, start": run("online", start=([1.0, 2.0, -3.0], 0.5), order="random", seed=3),
    "mistake_bound, gradient with a start": run("gradient", alpha=0.3, start=([1.0, 2.0, -3.0], 0.5)),
    "mistake_bound, right at once": run("online", start=([9.0, 0.0, 0.0], 0.0), order="random", seed=3),
    "mistake_bound, even": lambda d: alone(er.perceptron(d.even, d.sides).certificate, d.even, d.sides),
    "widest_gap": lambda d: alone(er.widest_gap(d.far, d.apart), d.far, d.apart),
    "widest_gap, augmented": lambda d: alone(er.widest_gap(d.far, d.apart, augmented=True), d.far, d.apart),
    "widest_gap, no intercept": lambda d: alone(er.widest_gap(d.far, d.apart, fit_intercept=False), d.far, d.apart),
    "widest_gap, even": lambda d: alone(er.widest_gap(d.even, d.sides), d.even, d.sides),
    "enclosing_ball": lambda d: alone(er.enclosing_ball(d.X), d.X),
    "enclosing_ball, even": lambda d: alone(er.enclosing_ball(d.even), d.even),
    "regret_bound": game("adagrad", l2=0.05),
    "regret_bound, penalty": game("gradient_descent:steps=inverse", l2=0.2, fit_intercept=False),
    "regret_bound, ball": game("gradient_descent", constraint="l2_ball:radius=2", fit_intercept=False),
    "regret_bound, start": game("adagrad", l1=0.02, start=([1.0, 2.0, -3.0], 0.5)),
    "regret_bound, beforehand": game(
        "gradient_descent:steps=inverse_sqrt,gradient=100", constraint="box:low=-1,high=1", fit_intercept=False
    ),
    "regret_bound, void": game("gradient_descent:steps=doubling,gradient=0.01", constraint="l2_ball:radius=2"),
    "regret_bound, once": game("ftrl_proximal:penalty=once", l1=0.3, l2=0.5),
    "regret_bound, no bound": game("gradient_descent", loss="hinge", l2=0.01),
    "risk_bound, vapnik": planes_bound("vapnik", "mixed", is_affine=False),
    "risk_bound, vc_tail": planes_bound("vc_tail", "mixed", is_affine=True),
    "risk_bound, vc_tail, three classes": planes_bound("vc_tail", "classes", is_affine=True),
    "risk_bound, vc_sparse": planes_bound("vc_sparse", "mixed", is_affine=True),
    "risk_bound, pac_bayes": prior_bound(False, l2=0.2),
    "risk_bound, pac_bayes_draw, hinge": prior_bound(True, l2=0.2, loss="hinge"),
    "risk_bound, pac_bayes_zero": planes_bound("pac_bayes_zero", "mixed", is_affine=True),
    "risk_bound, pac_bayes_zero_draw": planes_bound("pac_bayes_zero_draw", "mixed", is_affine=False),
    "risk_bound, margin": planes_bound("margin", "mixed", is_affine=True),
    "risk_bound, compression_perceptron": rebuilt_bound("perceptron"),
    "risk_bound, compression_gap": rebuilt_bound("gap"),
    "risk_bound, compression_support": rebuilt_bound("support"),
    "risk_bound, integers": integers_bound,
    "risk_bound, structural": class_bound,
    "risk_bound, test": planes_bound("test", "mixed"),
    "risk_bound, test, three classes": planes_bound("test", "classes"),
    "risk_bound, test_errors": losses_bound("test_errors"),
    "risk_bound, test_losses": losses_bound("test_losses", largest=3.0, seed=1),
    "risk_bound, progressive": losses_bound("progressive", largest=3.0),
    "zero_one_optimality": fewest(),
    "zero_one_optimality, no intercept": fewest(fit_intercept=False),
    "zero_one_optimality, packing": fewest(max_nodes=0),
    "zero_one_optimality, weighted": lambda d: alone(
        er.fewest_errors(d.few, d.labels, sample_weight=d.s).certificate, d.few, d.labels, d.s
    ),
    **CHAIN_CASES,
}

# Where a change leaves a true claim: (kind, name of the part, direction) -> why, whatever the data are. Each holds as
# long as the checker, which recomputes the claim and trusts no number of it, finds what is claimed.
WEAKER = {
    ("gap", "up"): "a larger gap is a weaker claim",
    ("gap", "infinite"): "the weakest claim: nothing",
    ("gap", "down"): "it is stated with twice its rounding, for checkers that round otherwise: less is proven too",
    ("rounding", "down"): "the checker computes its own; a smaller one claims no smaller gap",
    ("rounding", "up"): "the same, as long as the claimed gap is no less than it leaves",
    ("scale", "down"): "tolerances relative to a smaller number are stricter",
    ("radius", "down"): "to be optimal among fewer intercepts is a weaker claim",
    ("weights_radius", "down"): "to be optimal among fewer weights is a weaker claim",
}
# Evidence that may be another one: it is recomputed, and proves what is claimed or does not.
OTHERS = {
    ("separation", "intercept"): "a plane nearby that has the claimed numbers, to the checker's tolerance",
    ("separation", "weights"): "as for the intercept",
    ("mistake_bound", "intercept"): "of the plane that bounds R and B: as for that of a separation",
    ("mistake_bound", "plane.weights"): "as for the intercept",
    ("widest_gap", "intercept"): "of the plane: as for that of a separation",
    ("widest_gap", "plane.weights"): "as for the intercept",
    ("enclosing_ball", "center"): "a centre nearby around which the claimed radius holds all points",
    ("unattained_infimum", "direction"): "a direction with as many margins above zero, and none below",
    ("realization", "weights"): "weights nearby that have the claimed margin, exactly",
    ("zero_one_optimality", "intercept"): "a plane with the same errors",
    ("zero_one_optimality", "weights"): "a plane with the same errors",
    ("zero_one_optimality", "L"): "any invertible L under which the boxes of the tree prove the bound",
}
HARMLESS = {
    **{("duality_gap", *change): why for change, why in WEAKER.items()},
    **{
        ("chain_gap", *change): f"as for one score: {why}"
        for change, why in WEAKER.items()
        if "radius" not in change[0]
    },
    **{("class_gaps", *change): f"as for one class: {why}" for change, why in WEAKER.items()},
    **{("regret_bound", *change): f"of its gap: {why}" for change, why in WEAKER.items() if change[0] != "gap"},
    ("counted_frequencies", "gap", "up"): "a larger gap is a weaker claim",
    ("counted_frequencies", "gap", "infinite"): "the weakest claim: nothing",
    (
        "counted_frequencies",
        "gap",
        "down",
    ): "it is stated twice as large, for checkers whose logarithms round otherwise",
    ("counted_frequencies", "scale", "down"): "tolerances relative to a smaller number are stricter",
    ("stationarity", "gap", "up"): "a larger bound on the gradient is a weaker claim",
    ("stationarity", "gap", "down"): "it is stated with twice its rounding: less is proven too",
    ("stationarity", "gap", "infinite"): "the weakest claim: nothing",
    ("stationarity", "rounding", "up"): "it only tells when a run stops; the checker computes its own",
    ("stationarity", "rounding", "down"): "it only tells when a run stops; the checker computes its own",
    ("stationarity", "scale", "down"): "tolerances relative to a smaller number are stricter",
    ("mistake_bound", "visits", "down"): "an earlier end of a pass with as many mistakes ends a run too, run again",
    ("mistake_bound", "seed", "up"): "another order in which the run does the same, to the last bit",
    ("mistake_bound", "seed", "down"): "another order in which the run does the same, to the last bit",
    ("risk_bound", "l1", "up"): "of the prior's fit, which stays within the tolerance that a checker can see",
    **{(*part, change): why for part, why in OTHERS.items() for change in ("up", "down", "negative")},
}


@functools.cache
def case(name: str) -> Case:
    return CASES[name](data())


def kind_of(name: str) -> str:
    return name.partition(",")[0]

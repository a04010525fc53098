"""The options of a fit, and one sentence for each wrong one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import is_least_at_zero, name_of
from empirisk.constraints import as_constraint
from empirisk.losses import as_loss
from empirisk.parameters import (
    check_boolean,
    check_choice,
    check_count,
    check_positive,
    check_time_limit,
    is_number,
    is_whole,
)
from empirisk.protocols import Unsupported
from empirisk.regularizers import add_elastic_net, as_regularizer, l2_unless_given, strength
from empirisk.solvers import as_solver

CHOSEN = "cv"  # in place of a strength: by cross-validation
MULTICLASS = ("auto", "softmax", "one_vs_rest")


class FitOptions(NamedTuple):
    """How to fit: shared by the estimators and the command line."""

    task: str = "classification"
    loss: Any = None  # logistic for classification, squared for regression
    l1: Any = 0.0  # or "cv": chosen by cross-validation
    l2: Any = None  # 1e-4, but 0 beside a regularizer, which states the penalty; or "cv"
    fit_intercept: bool = True
    class_weight: Any = None
    solver: Any = "auto"
    tol: float = 1e-6
    max_passes: int = 1000
    random_state: Any = None
    n_threads: int | None = None
    standardize: bool = False
    constraint: Any = None
    regularizer: Any = None  # beside l1 and l2: a group lasso or the negative entropy; an elastic net is added to them
    multiclass: str = "auto"  # softmax for the logistic loss, one_vs_rest for the others
    folds: int = 5  # of the cross-validation
    n_strengths: int = 20  # that it tries
    time_limit: Any = None  # seconds of work, compiling left out, for all of it; None for no limit

    @property
    def tuned(self) -> tuple[str, ...]:
        """The strengths that are to be chosen by cross-validation."""
        return tuple(name for name in ("l1", "l2") if isinstance(getattr(self, name), str))

    def without_tuned(self) -> FitOptions:
        """The same with zeros for them."""
        zeros: dict[str, Any] = dict.fromkeys(self.tuned, 0.0)
        return self._replace(**zeros)

    def checked(self) -> FitOptions:
        """The same options, coerced; raises TypeError or ValueError that names the option and what it accepts."""
        seed = _seed(self.random_state)
        default = "logistic" if self.task == "classification" else "squared"
        loss = as_loss(default if self.loss is None else self.loss, self.task)
        constraint = as_constraint(self.constraint)
        if self.task == "classification":
            _check_is_not_solved_by_zero(loss, constraint)
        l1, l2, regularizer = self._penalty()
        return self._replace(
            loss=loss,
            l1=l1,
            l2=l2,
            fit_intercept=check_boolean("fit_intercept", self.fit_intercept),
            class_weight=_class_weight(self.class_weight),
            solver=_solver(self.solver, seed),
            tol=check_positive("tol", self.tol),
            max_passes=check_count("max_passes", self.max_passes),
            random_state=seed,
            n_threads=None if self.n_threads is None else check_count("n_threads", self.n_threads),
            standardize=check_boolean("standardize", self.standardize),
            constraint=constraint,
            regularizer=regularizer,
            multiclass=check_choice("multiclass", self.multiclass, MULTICLASS),
            folds=check_count("folds", self.folds, 2),
            n_strengths=check_count("n_strengths", self.n_strengths, 2),
            time_limit=_limit(check_time_limit(self.time_limit)),
        )

    def _penalty(self) -> tuple[Any, Any, Any]:
        """The strengths, numbers or "cv", and the further regularizer; an elastic net is added to the strengths."""
        asked = {"l1": self.l1, "l2": l2_unless_given(self.l2, self.regularizer)}
        given = {name: _strength(name, value) for name, value in asked.items()}
        numbers = {name: 0.0 if value == CHOSEN else value for name, value in given.items()}
        l1, l2, regularizer = add_elastic_net(**numbers, regularizer=self.regularizer)
        for name, total in (("l1", l1), ("l2", l2)):
            if given[name] == CHOSEN and total > 0.0:
                said = f"{name}='cv' chooses all of {name}, and regularizer=ElasticNet has {name} = {total:g}"
                raise Unsupported(f"{said}: give one of them")
            given[name] = CHOSEN if given[name] == CHOSEN else strength(name, total)
        return given["l1"], given["l2"], as_regularizer(regularizer)


def check_callback(name: str, value: Any) -> Any:
    """None or something to call with the progress."""
    if value is not None and not callable(value):
        raise TypeError(f"{name} must be None or a function of the progress, got {value!r}")
    return value


def _check_is_not_solved_by_zero(loss: Any, constraint: Any) -> None:
    """Refuse a loss that no score lowers below its value at zero: w = 0 is a minimiser, and a useless one."""
    if not is_least_at_zero(loss):
        return
    if constraint is None or constraint.value(np.zeros(1)) == 0.0:
        raise Unsupported(
            f"the loss {name_of(loss)!r} is least at w = 0 whatever the data are: take the loss 'hinge', run the "
            "perceptron, er.Perceptron, or give a constraint that excludes w = 0, such as 'simplex'"
        )


def _solver(spec: Any, seed: int) -> Any:
    """The name "auto" or a solver; one given by name samples with this seed, an object brings its own."""
    if isinstance(spec, str) and spec == "auto":
        return spec
    solver: Any = as_solver(spec)  # the built-in ones are named tuples
    return solver._replace(seed=seed) if isinstance(spec, str) and "seed" in solver._fields else solver


def _strength(name: str, value: Any) -> Any:
    """A number, or "cv" as it is."""
    if isinstance(value, str):
        if value != CHOSEN:
            raise TypeError(f"{name} must be a number >= 0 or {CHOSEN!r}, got {value!r}")
        return CHOSEN
    return strength(name, value)


def _limit(seconds: float) -> float | None:
    return seconds if math.isfinite(seconds) else None


def _class_weight(value: Any) -> Any:
    said = f"class_weight must be None, 'balanced' or a mapping from labels to numbers >= 0, got {value!r}"
    if value is None or (isinstance(value, str) and value == "balanced"):
        return value
    if isinstance(value, str):
        raise ValueError(said)
    if not isinstance(value, Mapping):
        raise TypeError(said)
    for weight in value.values():
        if not is_number(weight):
            raise TypeError(said)
        if not 0.0 <= float(weight) < math.inf:
            raise ValueError(said)
    return value


def _seed(value: Any) -> int:
    """The seed of sampled solvers: 0 for None, an integer as it is, drawn from NumPy's random objects."""
    said = f"random_state must be None, an integer >= 0 or a NumPy random generator, got {value!r}"
    if value is None:
        return 0
    if is_whole(value):
        if value < 0:
            raise ValueError(said)
        return int(value)
    if isinstance(value, np.random.RandomState):
        return int(value.randint(2**31))
    if isinstance(value, np.random.Generator):
        return int(value.integers(2**31))
    raise TypeError(said)

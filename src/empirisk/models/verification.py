"""Checking a certificate: one `verify` for models, estimators, answers and certificates, on data or on a problem."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import offers, optional
from empirisk.models.labels import other_classes
from empirisk.protocols import Certificate, Point, Unsupported, Verification
from empirisk.solution import Solution


@functools.singledispatch
def verify(found: Any, X: Any, y: Any = None, sample_weight: Any = None, loss: Any = None) -> Verification:
    """Recompute the certificate of what was found, and say whether it holds.

        verify(model, X, y, sample_weight)          a model, read from a file or not, or a fitted estimator
        verify(certificate, X, y, sample_weight)    one that says which problem it is about, or an answer that has one
        verify(solution, problem)                   what `minimize` gave
        verify(certificate, problem, point)         any certificate; the point may be inside

    With data the problem is built from them, and the verdict says so when they are others than those of the fit. What
    is about points alone (a ball) has no y. A model with a user's own loss that was read from a file needs the `loss`.

    A kind of model or answer registers how it is checked: `@verify.register`.
    """
    if hasattr(found, "model_"):
        return verify(found.model_, X, y, sample_weight, loss)
    if hasattr(found, "fit"):
        raise Unsupported(f"this {type(found).__name__} is not fitted yet: call fit first")
    certificate = certificate_of(found)
    if certificate is None:
        raise Unsupported(_without_certificate(found))
    if offers(X, "description"):
        return _verified_on_problem(certificate, X, y)
    if not offers(certificate, "problem_of"):
        kind = type(found).__name__
        if offers(certificate, "verify"):
            raise Unsupported(f"{kind} is about a problem, not about data alone: verify({kind}, problem, point)")
        raise Unsupported(f"{kind} has no certificate that says which problem it is about")
    return verified_by_itself(certificate, None, X, y, sample_weight)


@verify.register
def _(solution: Solution, X: Any = None, y: Any = None, sample_weight: Any = None, loss: Any = None) -> Verification:
    """With the problem in the place of the data, at the point of the solution or at another in the place of y."""
    if not offers(X, "description"):
        raise Unsupported("a Solution is about its problem, not about data alone: verify(solution, problem)")
    return _verified_on_problem(solution.certificate, X, solution.point if y is None else y)


def _verified_on_problem(certificate: Certificate, problem: Any, point: Point | None) -> Verification:
    """The verdict where the problem itself is given, and the point that the certificate does not hold."""
    name = type(certificate).__name__
    if not offers(certificate, "verify"):
        raise Unsupported(f"{name} is no certificate, and has none")
    if not (offers(point, "arrays") or (point is None and offers(certificate, "problem_of"))):
        raise Unsupported(f"{name} speaks of a point of the problem that is given beside it: {name}, problem, point")
    return certificate.verify(problem, point)


def _without_certificate(found: Any) -> str:
    """What to say of an answer that proves nothing, and where what was found instead is a proof of another thing."""
    kind, verdict = type(found).__name__, getattr(found, "verdict", None)
    said = f"this {kind} has no certificate to verify ({getattr(found, 'status', 'it proves nothing')})"
    return f"{said}; its verdict is one: verify(found.verdict, X, y)" if offers(verdict, "problem_of") else said


def verified_by_itself(certificate: Any, point: Point | None, X: Any, y: Any, sample_weight: Any) -> Verification:
    """The verdict on a certificate that says which problem it is about, and on whether `point` is what it speaks of."""
    try:
        problem = certificate.problem_of(X, y, sample_weight)
    except (TypeError, ValueError) as error:
        return cannot_be(error)
    verdict: Verification = certificate.verify(problem, point)
    return verdict


def check_data(X: Any, y: Any) -> None:
    """Refuse to verify a model on anything but data with labels."""
    if offers(X, "description"):
        raise Unsupported("a model is verified on data, from which its problem is built: verify(model, X, y)")
    if y is None:
        raise TypeError("verify needs y, the labels of the data")


def other_labels(classes: NDArray[Any], y: Any, sample_weight: Any) -> Verification | None:
    """The verdict on data whose labels are not the classes of the fit; None where they are."""
    stranger = other_classes(np.asarray(y), classes, sample_weight)
    if stranger is None:
        return None
    return Verification(False, f"These are not the data the model was fitted on: {stranger}.")


def cannot_be(error: Exception) -> Verification:
    """The verdict on data of which no problem of the certificate's kind can be made."""
    return Verification(False, f"The data cannot be those of the certificate: {error}.")


def certificate_of(found: Any) -> Any:
    """The certificate that a model or an answer holds, None where it has none; else what was given."""
    return getattr(found, "certificate", found)


def needs_labels(certificate: Certificate) -> bool:
    """Whether the data that it speaks of have labels: yes, unless it says otherwise."""
    own = optional(certificate, "needs_labels")
    return own is None or bool(own())

"""Checking a certificate on data: one `verify` for models, estimators, answers and certificates alone."""

from __future__ import annotations

import functools
from typing import Any

from empirisk.capabilities import optional
from empirisk.protocols import Point, Unsupported, Verification


@functools.singledispatch
def verify(model: Any, X: Any, y: Any = None, sample_weight: Any = None, loss: Any = None) -> Verification:
    """Rebuild the problem from these data and check the certificate; says so when the data are others.

    `model` is a model, read from a file or not, a fitted estimator, which holds one as `model_`, or a certificate that
    says by itself which problem it is about, or an answer that has one (that of a ball has no y).
    A model with a user's own loss that was read from a file needs the `loss` object.

    A kind of model registers how it is checked: `@verify.register`.
    """
    if hasattr(model, "model_"):
        return verify(model.model_, X, y, sample_weight, loss)
    certificate = certificate_of(model)
    problem_of = optional(certificate, "problem_of")
    if problem_of is None:
        raise Unsupported(f"{type(model).__name__} has no certificate that says which problem it is about")
    return verified_by_itself(certificate, None, X, y, sample_weight)


def verified_by_itself(certificate: Any, point: Point | None, X: Any, y: Any, sample_weight: Any) -> Verification:
    """The verdict on a certificate that says which problem it is about, and on whether `point` is what it speaks of."""
    try:
        problem = certificate.problem_of(X, y, sample_weight)
    except (TypeError, ValueError) as error:
        return cannot_be(error)
    verdict: Verification = certificate.verify(problem, point)
    return verdict


def cannot_be(error: Exception) -> Verification:
    """The verdict on data of which no problem of the certificate's kind can be made."""
    return Verification(False, f"The data cannot be those of the certificate: {error}.")


def certificate_of(found: Any) -> Any:
    """The certificate that a model or an answer holds, None where it has none; else what was given."""
    return getattr(found, "certificate", found)

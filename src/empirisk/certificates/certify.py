"""Which certificate a point gets: the problem's own, or the one that is registered for the problem's type.

    certify(problem, point, tol)      the certificate of the point; within `tol`, a cheaper one is enough
    refute(problem, point, ...)       a certificate that there is no minimiser, where one is found
    lightened(problem, ...)           a certificate that stores less, where it proves as much

A chapter registers its problems: `@certify.register`, with the type of the first argument as the annotation.
"""

from __future__ import annotations

import functools

from empirisk.capabilities import has_kinks, is_convex, optional
from empirisk.certificates.class_gaps import ClassGaps, class_gaps
from empirisk.certificates.duality_gap import DualityGap, duality_gap
from empirisk.certificates.moment_value import gap_from_moments
from empirisk.certificates.stationarity import Stationarity, stationarity
from empirisk.certificates.unattained import UnattainedInfimum, may_recede, receding_direction, separating_point
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.linear_risk import LinearRisk
from empirisk.problems.moments import Moments
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.several_targets import SeveralTargets
from empirisk.protocols import OptimalityCertificate, Point, Problem


@functools.singledispatch
def certify(problem: Problem, point: Point, tol: float = 0.0) -> OptimalityCertificate:
    """The certificate of a point; a cheaper one is enough where it is within `tol`."""
    own = optional(problem, "certify")
    if own is None:
        raise TypeError(f"{type(problem).__name__} has no certificate: give it a method certify(point, tol)")
    return own(point, tol)


@functools.singledispatch
def refute(problem: Problem, point: Point, objective: float, thorough: bool) -> OptimalityCertificate | None:
    """A certificate that the problem has no minimiser, or None; a thorough search may take as long as some steps."""
    own = optional(problem, "refute")
    return None if own is None else own(point, objective, thorough)


@certify.register
def _(problem: EmpiricalRisk, point: LinearPoint, tol: float = 0.0) -> DualityGap | Stationarity:
    """A duality gap, from the moments of the data where these prove enough; stationarity where it is not convex."""
    if not is_convex(problem.loss):
        return stationarity(problem, point)
    if isinstance(point.evidence, Moments):
        certificate = gap_from_moments(problem, point)
        if certificate is not None and certificate.is_within(tol):
            return certificate
    return duality_gap(problem, point)


@certify.register
def _(problem: MulticlassRisk, point: LinearPoint, tol: float = 0.0) -> DualityGap | ClassGaps:
    """The duality gap of each class, or of all together where the loss does not split."""
    return class_gaps(problem, point) if problem.loss.splits() else duality_gap(problem, point)


@certify.register
def _(problem: SeveralTargets, point: LinearPoint, tol: float = 0.0) -> ClassGaps:
    """The duality gap of each target."""
    return class_gaps(problem, point)


@refute.register
def _(problem: EmpiricalRisk, point: LinearPoint, objective: float, thorough: bool) -> UnattainedInfimum | None:
    """A direction along which the objective falls forever: the point's own, or one that is searched for."""
    if not may_recede(problem):
        return None
    return (receding_direction if thorough else separating_point)(problem, point, objective)


@functools.singledispatch
def lightened(problem: Problem, certificate: OptimalityCertificate, point: Point, tol: float) -> OptimalityCertificate:
    """The certificate without the evidence that it stores, where that proves as much; as it is, unless registered."""
    return certificate


@lightened.register(EmpiricalRisk)
@lightened.register(MulticlassRisk)
@lightened.register(SeveralTargets)
def _(problem: LinearRisk, certificate: OptimalityCertificate, point: LinearPoint, tol: float) -> OptimalityCertificate:
    """Without dual variables, where they follow from the scores: nothing but the point need be kept."""
    completed: LinearPoint = certificate.with_evidence(point)
    if completed.evidence is None or has_kinks(problem.loss):
        return certificate
    derived = certify(problem, point.copy())
    return derived.about(point) if derived.is_within(tol) or derived.gap <= certificate.gap else certificate

"""Bounds on the error of future rows, with what each assumes."""

from empirisk.bounds.growth import growth, growth_of_classes
from empirisk.bounds.kinds import KINDS
from empirisk.bounds.labelled_rows import LabelledRows, labelled_rows
from empirisk.bounds.losses import Losses, losses_of
from empirisk.bounds.planning import SampleSize, accuracy, sample_size
from empirisk.bounds.risk_bound import RiskBound, plane_evidence, risk_bound
from empirisk.bounds.shattering import Planes, Rectangles, Sines, labellings, shatters, vc_dimension
from empirisk.bounds.tables import Table, table
from empirisk.bounds.tails import (
    binomial_interval,
    binomial_lower,
    binomial_upper,
    hypergeometric_least_marked,
    hypergeometric_log_tail,
    kl,
    kl_lower,
    kl_upper,
    log_choose,
    log_xi,
)
from empirisk.bounds.vc import vapnik, vc_tail, vc_tail_of_classes, vc_tail_sparse

__all__ = [
    "KINDS",
    "LabelledRows",
    "Losses",
    "Planes",
    "Rectangles",
    "RiskBound",
    "SampleSize",
    "Sines",
    "Table",
    "accuracy",
    "binomial_interval",
    "binomial_lower",
    "binomial_upper",
    "growth",
    "growth_of_classes",
    "hypergeometric_least_marked",
    "hypergeometric_log_tail",
    "kl",
    "kl_lower",
    "kl_upper",
    "labelled_rows",
    "labellings",
    "log_choose",
    "log_xi",
    "losses_of",
    "plane_evidence",
    "risk_bound",
    "sample_size",
    "shatters",
    "table",
    "vapnik",
    "vc_dimension",
    "vc_tail",
    "vc_tail_of_classes",
    "vc_tail_sparse",
]

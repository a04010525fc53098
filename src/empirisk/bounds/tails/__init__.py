"""Tails of the binomial and the hypergeometric distribution, relative entropy, and their inverses, rounded outward."""

from empirisk.bounds.tails.binomial import binomial_interval, binomial_log_tail, binomial_lower, binomial_upper
from empirisk.bounds.tails.factorials import log_choose
from empirisk.bounds.tails.hypergeometric import hypergeometric_least_marked, hypergeometric_log_tail
from empirisk.bounds.tails.maurer import log_xi
from empirisk.bounds.tails.relative_entropy import kl, kl_lower, kl_upper

__all__ = [
    "binomial_interval",
    "binomial_log_tail",
    "binomial_lower",
    "binomial_upper",
    "hypergeometric_least_marked",
    "hypergeometric_log_tail",
    "kl",
    "kl_lower",
    "kl_upper",
    "log_choose",
    "log_xi",
]

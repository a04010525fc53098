"""The problems that solvers minimise, and full passes over their data."""

from empirisk.problems import multiclass_passes, one_score_passes  # they register their problems with `passes`

__all__ = ["multiclass_passes", "one_score_passes"]

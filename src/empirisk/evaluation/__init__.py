"""How good a model is on rows with labels: the usual numbers, each with an interval."""

from empirisk.evaluation.classification import ClassificationScore, ClassScore
from empirisk.evaluation.measures import Interval, Measure
from empirisk.evaluation.regression import RegressionScore
from empirisk.evaluation.score import score
from empirisk.evaluation.targets import TargetsScore

__all__ = ["ClassScore", "ClassificationScore", "Interval", "Measure", "RegressionScore", "TargetsScore", "score"]

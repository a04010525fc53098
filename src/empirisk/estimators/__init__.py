"""Scikit-learn classes: thin skins over `models`, with no mathematics of their own."""

from empirisk.estimators.chain_classifier import ChainClassifier
from empirisk.estimators.exact_classifier import ExactClassifier
from empirisk.estimators.linear_classifier import LinearClassifier
from empirisk.estimators.linear_regressor import LinearRegressor
from empirisk.estimators.max_margin_classifier import MaxMarginClassifier, NotSeparated
from empirisk.estimators.online_classifier import OnlineClassifier
from empirisk.estimators.online_regressor import OnlineRegressor
from empirisk.estimators.perceptron import Perceptron
from empirisk.estimators.structural_risk_minimizer import StructuralRiskMinimizer

__all__ = [
    "ChainClassifier",
    "ExactClassifier",
    "LinearClassifier",
    "LinearRegressor",
    "MaxMarginClassifier",
    "NotSeparated",
    "OnlineClassifier",
    "OnlineRegressor",
    "Perceptron",
    "StructuralRiskMinimizer",
]

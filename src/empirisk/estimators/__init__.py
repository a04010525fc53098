"""Scikit-learn classes: thin skins over `models`, with no mathematics of their own."""

from empirisk.estimators.linear_classifier import LinearClassifier
from empirisk.estimators.linear_regressor import LinearRegressor

__all__ = ["LinearClassifier", "LinearRegressor"]

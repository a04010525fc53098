"""What a fit means to a user, without scikit-learn: labels, weights, columns, and a fitted model that predicts."""

from empirisk.models.linear import Fit, LinearModel, fit_linear, verify
from empirisk.models.options import FitOptions

__all__ = ["Fit", "FitOptions", "LinearModel", "fit_linear", "verify"]

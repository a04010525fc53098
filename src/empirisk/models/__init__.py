"""What a fit means to a user, without scikit-learn: labels, weights, columns, and a fitted model that predicts."""

from empirisk.models.linear import LinearModel
from empirisk.models.linear_fit import Fit, fit_linear
from empirisk.models.options import FitOptions
from empirisk.models.verification import verify

__all__ = ["Fit", "FitOptions", "LinearModel", "fit_linear", "verify"]

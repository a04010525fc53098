"""One safe file for every model and every certificate: sealed by a digest; reading it runs no code."""

from empirisk.model_file.checks import ModelFileError
from empirisk.model_file.container import to_bytes
from empirisk.model_file.files import load, save

__all__ = ["ModelFileError", "load", "save", "to_bytes"]

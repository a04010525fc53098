"""One safe file for every model: arrays and JSON, sealed by a digest; reading it runs no code."""

from empirisk.model_file.container import ModelFileError, load, save, to_bytes

__all__ = ["ModelFileError", "load", "save", "to_bytes"]

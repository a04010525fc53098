"""Features of tokens: templates over columns, attributes by name, dense rows; learned once, applied to others."""

from empirisk.chains.features.built_in import BUILT_IN
from empirisk.chains.features.features import Features, learn_features
from empirisk.chains.features.template_files import as_templates, read_templates
from empirisk.chains.features.templates import Templates, parse_templates

__all__ = [
    "BUILT_IN",
    "Features",
    "Templates",
    "as_templates",
    "learn_features",
    "parse_templates",
    "read_templates",
]

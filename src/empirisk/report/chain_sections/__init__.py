"""The sections of the page about a model of sequences."""

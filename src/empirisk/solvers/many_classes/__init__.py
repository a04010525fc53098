"""Solvers that take all classes of a problem together, and the one that takes them class by class."""

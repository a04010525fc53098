"""Bounds of planes that a rule rebuilds from a few of the rows."""

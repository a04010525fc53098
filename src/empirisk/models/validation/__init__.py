"""Rows kept apart from a fit, and strengths that they choose."""

"""Bounds from margins: how far on the right side the rows are."""

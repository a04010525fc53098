"""Bounds on the error of future rows, with what each assumes."""

"""Structural risk minimisation: a nested list of classes, and the member of it whose guaranteed risk is least."""

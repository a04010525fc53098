"""Losses with kinks made smooth: envelopes around a dual point, and the proximal method on the dual."""

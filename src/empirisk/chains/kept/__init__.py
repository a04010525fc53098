"""Labelings that are kept with weights while margins are minimised, and the steps on them, as kernels."""

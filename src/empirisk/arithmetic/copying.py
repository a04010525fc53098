"""Copies inside of kernels: to compile an assignment between arrays takes as long as the rest of a kernel."""

from __future__ import annotations

from empirisk.compiled import kernel


@kernel
def copy_to(values, out):
    """Write a vector to another of the same size."""
    for j in range(values.size):
        out[j] = values[j]


@kernel
def fill(out, value):
    """Write one number everywhere."""
    for j in range(out.size):
        out[j] = value

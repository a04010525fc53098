"""Solvers of problems on chains, a file each."""

"""The problems that solvers minimise, and full passes over their data."""

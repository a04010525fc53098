"""Planes with integer weights that minimise their own guaranteed risk: their code, the search, and the score card."""

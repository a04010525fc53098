"""Searches for planes and conflicts, whose answers are candidates until a certificate proves them."""

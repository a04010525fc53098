"""Quadratic models of the objective with a penalty, their minimisers, and the steps made of them."""

"""Conflicts: smallest sets of points that no plane can separate, proposed by floating point and decided exactly.

A set of points z_i = y_i (x_i, 1) is one where positive multiples of all of them sum to zero, and of no part of them:
then no u has <u, z_i> > 0 for all of them, and without any one of them some u has.
"""

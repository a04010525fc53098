"""Conflicts: few points of which positive multiples sum to zero, proposed by floating point, decided exactly."""

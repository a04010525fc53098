"""Limits of floating point that several losses mind."""

LARGEST_EXPONENT = 709.0  # exp of more than 709.78 overflows, which Python's math.exp refuses
# Dual steps divide by q, which is 0 for a row without features: this much in its place sends them to the right end.
SMALLEST_CURVATURE = 1e-300

"""What rounding asks of the constraints: a slack for points on the boundary."""

SLACK = 1e-12  # a point outside by this much, relative to the size of the set, counts as inside

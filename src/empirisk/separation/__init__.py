"""Linear separators: a plane with all points on their sides, or the points that make one impossible."""

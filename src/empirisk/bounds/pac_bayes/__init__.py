"""Bounds from a prior over planes: of a random draw around a plane, and of the plane itself."""

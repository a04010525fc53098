"""Exact 0-1 minimisation: the plane with the fewest errors, and the proof that no other has fewer."""

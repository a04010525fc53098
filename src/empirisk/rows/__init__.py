"""Rows and passes over them: the blocks of a pass, and the fingerprint of the data."""

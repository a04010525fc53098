"""Runs over streams: how they begin, what they know of labels and columns, and their rows read again."""

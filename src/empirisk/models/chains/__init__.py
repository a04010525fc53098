"""Models of sequences: fitted, read from files, judged."""

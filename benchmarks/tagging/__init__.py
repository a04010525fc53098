"""The parts of `python -m benchmarks.chains`: data sets, both sides, and a file for each group of figures."""

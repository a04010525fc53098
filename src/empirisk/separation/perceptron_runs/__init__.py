"""Runs of the perceptron: the compiled loops, the sides they decide on, and the proof watched on a run."""

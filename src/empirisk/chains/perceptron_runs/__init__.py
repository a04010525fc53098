"""Runs of the structured perceptron: the compiled pass, and the loop that can be run again to the last bit."""

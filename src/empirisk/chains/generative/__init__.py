"""Chains whose weights are logarithms of relative frequencies: nothing is searched for, everything is counted."""

from empirisk.chains.generative.counted_frequencies import CountedFrequencies, counted_frequencies
from empirisk.chains.generative.joint_likelihood import JointLikelihood, generative_weights

__all__ = ["CountedFrequencies", "JointLikelihood", "counted_frequencies", "generative_weights"]

"""The commands of `empirisk tag`, a file each, and what they share."""

"""The commands, one file each; what they share is above."""

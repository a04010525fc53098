"""What `empirisk stream` is made of, beside the command itself."""

"""Programs for those who work on the package; none of it is installed."""

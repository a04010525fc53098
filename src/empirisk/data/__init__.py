"""Readers of data files: svmlight rows and CSV tables, every bad byte reported by file, line and column."""

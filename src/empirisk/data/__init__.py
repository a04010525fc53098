"""Readers of data files: svmlight rows, CSV tables, sequences of tokens; every bad byte is named by file, line, column."""

"""Readers of data files: svmlight rows, CSV tables, sequences of tokens; bad bytes are named by file, line, column."""

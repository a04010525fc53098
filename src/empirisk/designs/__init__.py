"""Rows of X behind one protocol: dense rows, compressed sparse rows, and rows of ones."""

from empirisk.designs.as_design import (
    as_design,
    check_exact_matrix,
    check_finite,
    largest_entry,
    matrix_of,
    n_entries,
    row_sizes,
    rows_between,
    rows_of,
)
from empirisk.designs.csr import CSR
from empirisk.designs.dense import Dense
from empirisk.designs.indicators import Indicators, indicators
from empirisk.designs.row_norm import row_norm

__all__ = [
    "CSR",
    "Dense",
    "Indicators",
    "as_design",
    "check_exact_matrix",
    "check_finite",
    "indicators",
    "largest_entry",
    "matrix_of",
    "n_entries",
    "row_norm",
    "row_sizes",
    "rows_between",
    "rows_of",
]

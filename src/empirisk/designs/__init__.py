"""Rows of X behind one protocol: dense and compressed sparse rows."""

from empirisk.designs.as_design import as_design, check_exact_matrix, check_finite, matrix_of, n_entries
from empirisk.designs.csr import CSR
from empirisk.designs.dense import Dense
from empirisk.designs.row_norm import row_norm

__all__ = ["CSR", "Dense", "as_design", "check_exact_matrix", "check_finite", "matrix_of", "n_entries", "row_norm"]

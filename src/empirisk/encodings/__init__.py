"""How the columns of a table become the columns of a matrix: one file a kind of column, stored with the model."""

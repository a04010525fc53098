"""Problems on some of their rows or columns, and what is safe to leave out."""

"""An active-set method for quadratic programs over rows: the widest gap and the smallest enclosing ball."""

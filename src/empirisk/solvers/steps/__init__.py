"""Steps that several solvers take: proximal and quasi-Newton ones, and line searches."""

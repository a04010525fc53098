"""The linear program whose value is positive exactly where the points can be separated.

    maximise t  where  <u, z_i> >= t for all i,  |u_j| <= 1

It is always feasible (u = 0, t = 0) and bounded. Where its value is positive, u is a separating plane; where it is
zero, the multipliers lambda of its rows are a conflict: sum_i lambda_i z_i = 0, lambda >= 0, sum_i lambda_i = 1 (by
duality the value is the least ||sum_i lambda_i z_i||_1 over such lambda). HiGHS solves it to a tolerance: its answers
are candidates, which the certificates judge. References: Mangasarian (1965); Huangfu and Hall (2018).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse

from empirisk.arithmetic.linear_programs import solve_linear_program
from empirisk.designs import matrix_of
from empirisk.protocols import Vector
from empirisk.separation.search.working_set import WorkingSet

TOLERANCE = 1e-10  # the least that HiGHS takes
SMALLEST = 1e-12  # multipliers below are rounding


class MarginProgram(NamedTuple):
    """The solution: the value t, the plane (w, b) of the working set, and a multiplier for each of its rows."""

    value: float
    w: Vector
    b: float
    multipliers: Vector


def solve_margin_program(chosen: WorkingSet, time_limit: float = math.inf) -> MarginProgram | None:
    """The program on these points; None where HiGHS does not end with a solution in time."""
    n, d = chosen.y.size, chosen.design.n_columns()
    has_intercept = chosen.lift > 0.0
    points = scipy.sparse.diags_array(-chosen.y) @ scipy.sparse.csr_array(matrix_of(chosen.design))
    parts = [points, *([-chosen.y[:, None]] if has_intercept else []), np.ones((n, 1))]
    width = d + has_intercept
    costs = np.append(np.zeros(width), -1.0)
    bounds = np.append(np.tile([-1.0, 1.0], (width, 1)), [[-np.inf, np.inf]], axis=0)
    options = {"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE}
    if math.isfinite(time_limit):
        options["time_limit"] = max(time_limit, 1e-3)
    matrix = scipy.sparse.hstack(parts, format="csc")
    found = solve_linear_program(
        costs, A_ub=matrix, b_ub=np.zeros(n), bounds=bounds, method="highs-ds", options=options
    )
    if found.status != 0 or found.ineqlin.marginals is None:
        return None
    multipliers = np.maximum(-found.ineqlin.marginals, 0.0)
    multipliers[multipliers < SMALLEST * max(1.0, multipliers.max(initial=0.0))] = 0.0
    b = float(found.x[d]) if has_intercept else 0.0
    return MarginProgram(float(found.x[width]), found.x[:d], b, multipliers)

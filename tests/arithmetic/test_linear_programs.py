"""Linear programs end, whatever their numbers."""

import numpy as np
import pytest

from empirisk.arithmetic.linear_programs import solve_linear_program


@pytest.mark.parametrize(("method", "is_solved"), [("highs-ipm", False), ("highs-ds", True)])
def test_a_program_that_circles_for_ever_ends(method, is_solved):
    """Costs of 5e9 beside zeros: the interior point method of HiGHS makes no step and never says so."""
    points = np.ones((3, 8))
    upper = np.vstack([np.eye(2), np.zeros(2)])
    matrix = np.hstack([points, upper, -upper])
    costs = np.append(np.zeros(10), [5249065580.0, 5249065590.0])
    bounds = [(0.0, 1.0)] * 8 + [(0.0, None)] * 4
    right = np.array([3.99999999, 3.99999999, 4.0])
    options = {"presolve": False, "primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9}
    found = solve_linear_program(costs, A_eq=matrix, b_eq=right, bounds=bounds, method=method, options=options)
    assert (found.status == 0) == is_solved
    assert found.status in (0, 1)

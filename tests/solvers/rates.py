"""How fast an objective falls."""

from empirisk.certificates import duality_gap


def left_after(problem, solver, best, passes):
    """How far above the minimum the objective is after each of these numbers of steps."""
    state = solver.init(problem, problem.zero())
    found = []
    for k in range(1, max(passes) + 1):
        state = solver.step(problem, state)
        if k in passes:
            found.append(duality_gap(problem, solver.point(state)).objective - best)
    return found

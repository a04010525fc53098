"""What follows from a problem is made once, and goes with it."""

import gc
import weakref

import numpy as np

import empirisk as er
from empirisk.solvers.derived_problems import made_once

calls = []


@made_once
def stronger(problem, l2):
    calls.append(l2)
    return problem.with_strengths(l2=l2)


def test_what_is_made_is_kept_as_long_as_the_problem():
    calls.clear()
    problem = er.EmpiricalRisk(np.eye(3), [1.0, -1.0, 1.0])
    first = stronger(problem, 0.5)
    assert stronger(problem, 0.5) is first
    assert stronger(problem, 0.25).regularizer.l2 == 0.25
    other = problem.with_threads(1)
    assert stronger(other, 0.5) is not first
    assert calls == [0.5, 0.25, 0.5]
    kept, made = weakref.ref(problem), weakref.ref(first)
    del problem, first
    gc.collect()
    assert kept() is None
    assert made() is None

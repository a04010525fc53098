"""The methods of a regularizer in machine code, beside the same methods interpreted."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.compiled import adopt, kernel
from empirisk.protocols import Vector


def assert_compiled_equals_interpreted(omega: Any, v: Vector, rtol: float, atol: float = 0.0) -> None:
    """Every method that kernels call, at v."""
    adopt(omega)
    compiled, interpreted = np.empty((3, v.size)), np.empty((3, v.size))
    found, expected = _measure(omega, v, compiled), _measure.py_func(omega, v, interpreted)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol)
    np.testing.assert_allclose(compiled, interpreted, rtol=rtol, atol=atol)


@kernel
def _measure(omega, v, out):
    omega.prox(v, 0.4, out[0])
    omega.maximizer(v, out[1])
    omega.nearest_dual(v, out[2])
    values = omega.value(v), omega.value(out[0])
    numbers = omega.strong_convexity(), omega.norm_bound(), omega.growth()
    return *values, omega.conjugate(v), omega.conjugate(out[2]), omega.dual_scale(v, 1e-9), *numbers

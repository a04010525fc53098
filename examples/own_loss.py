"""A loss of your own: robust regression in a class of five methods, certified and compiled like the built-in losses."""

import math
import time
from typing import NamedTuple

import numpy as np

import empirisk as er


class Huber(NamedTuple):
    """r^2 / 2 for residuals up to delta, delta (|r| - delta / 2) beyond."""

    delta: float = 1.0

    def value(self, z, y):
        r = abs(z - y)
        return 0.5 * r * r if r <= self.delta else self.delta * (r - 0.5 * self.delta)

    def derivative(self, z, y):
        return min(max(z - y, -self.delta), self.delta)

    def second_derivative(self, z, y):
        return 1.0 if abs(z - y) <= self.delta else 0.0

    def smoothness(self):
        return 1.0

    def conjugate(self, u, y):
        return 0.5 * u * u + u * y if abs(u) <= self.delta else math.inf


rng = np.random.default_rng(0)
X = rng.normal(size=(20_000, 20))
truth = rng.normal(size=20)
y = X @ truth + 3.0 + 0.1 * rng.normal(size=20_000)
y[::10] += 50.0 * rng.random(2_000)  # a tenth of the targets is far too large

for loss in ("squared", Huber(delta=0.5)):
    problem = er.EmpiricalRisk(X, y, loss, l2=1e-6)
    er.minimize(problem)  # compiles, unless an earlier run has
    began = time.perf_counter()
    solution = er.minimize(problem)
    seconds = time.perf_counter() - began
    error = np.linalg.norm(solution.weights - truth)
    name = type(problem.loss).__name__
    print(f"{name}: the weights are off by {error:.4f}, the intercept is {solution.intercept:.3f} (in truth 3)")
    print(f"  {solution.certificate.sentence()}")
    print(f"  {solution.solver}, {solution.passes:.0f} passes, {1e3 * seconds:.0f} ms")

print("\nA solver that needs more than the loss offers says so:")
try:
    er.minimize(er.EmpiricalRisk(X, y, Huber(), l2=1e-6), "sdca")
except ValueError as error:
    print(f"  {error}")

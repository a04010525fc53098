"""A loss of your own: too little stock costs four times as much as too much; value and derivative are all it takes."""

import time
from typing import NamedTuple

import numpy as np

import empirisk as er


class Stock(NamedTuple):
    """Half the squared error, times `ratio` where the prediction z falls short of the demand y."""

    ratio: float = 4.0

    def value(self, z, y):
        r = z - y
        return 0.5 * (self.ratio if r < 0.0 else 1.0) * r * r

    def derivative(self, z, y):
        r = z - y
        return (self.ratio if r < 0.0 else 1.0) * r


class WrongStock(NamedTuple):
    """The same with a slip: the derivative forgets the ratio."""

    ratio: float = 4.0

    def value(self, z, y):
        return 0.5 * (self.ratio if z < y else 1.0) * (z - y) ** 2

    def derivative(self, z, y):
        return z - y


er.check_loss(Stock())  # silent: every law holds
try:
    er.check_loss(WrongStock())
except ValueError as error:
    print(f"check_loss: {error}\n")

rng = np.random.default_rng(0)
X = rng.normal(size=(20_000, 20))
demand = X @ rng.normal(size=20) + 30.0 + 3.0 * rng.normal(size=20_000)


def cost(prediction):
    return np.mean([Stock().value(z, y) for z, y in zip(prediction, demand, strict=True)])


for loss in ("squared", Stock()):
    problem = er.EmpiricalRisk(X, demand, loss, l2=1e-6)
    er.minimize(problem)  # compiles, unless an earlier run has
    began = time.perf_counter()
    solution = er.minimize(problem)
    seconds = time.perf_counter() - began
    prediction = X @ solution.weights + solution.intercept
    short = np.mean(prediction < demand)
    print(f"{type(problem.loss).__name__}: costs {cost(prediction):.2f} a day, short on {short:.0%} of the days")
    print(f"  {solution.certificate.sentence()}")
    print(f"  {solution.solver}, {solution.passes:.0f} passes, {1e3 * seconds:.0f} ms")

model = er.LinearRegressor(loss=Stock(ratio=10.0), l2=1e-6).fit(X, demand)
print(f"\nWith a ratio of 10 the model is short on {np.mean(model.predict(X) < demand):.0%} of the days.")

print("\nA solver that needs more than the loss offers says so:")
try:
    er.minimize(er.EmpiricalRisk(X, demand, Stock(), l2=1e-6), "newton")
except ValueError as error:
    print(f"  {error}")

"""python -m benchmarks.regression: Huber, quantile and absolute, time to relative suboptimality 1e-3 and 1e-6."""

import click

from benchmarks import comparison, data_sets
from benchmarks.huber_scale import EPSILON, huber_scale
from benchmarks.objective import Objective

LOSSES = ("huber", "quantile:level=0.5", "quantile:level=0.9", "absolute")
REGRESSION = comparison.Comparison(
    title="Regression",
    task="regression",
    pairs=tuple((name, loss) for name in data_sets.READERS["regression"] for loss in LOSSES),
    references={"empirisk auto": {"tol": 1e-12}, "HiGHS dual, dual simplex": {"tol": 1e-9, "presolve": 0}},
    quick_problems="cpusmall",
)
NOTE = (
    "No penalty, with an intercept; columns standardised, targets as they are. HuberRegressor estimates a standard "
    "deviation s along with the weights: everybody's problem is the Huber loss with "
    f"delta = {EPSILON:g} s for the s of its minimum, which has the same minimising weights. "
    "Without a penalty our certificates hold within a radius, which they state"
)


def objective_of(data, loss: str) -> Objective:
    text = f"huber:delta={EPSILON * huber_scale(data.X, data.y)!r}" if loss == "huber" else loss
    return Objective(text, fit_intercept=True)


@click.command()
@comparison.options(REGRESSION)
def main(**options):
    """Measure ours and the peers' time to relative suboptimality 1e-3 and 1e-6."""
    comparison.run(REGRESSION, objective_of, NOTE, **options)


if __name__ == "__main__":
    main()

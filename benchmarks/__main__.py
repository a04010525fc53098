"""python -m benchmarks: two classes, time to relative suboptimality 1e-3 and 1e-6, ours against the peers."""

import click

from benchmarks import comparison, data_sets
from benchmarks.objective import Objective

BINARY = comparison.Comparison(
    title="Two classes",
    task="binary",
    pairs=tuple((name, loss) for name in data_sets.READERS["binary"] for loss in ("logistic", "squared_hinge")),
    references={
        "empirisk auto": {"tol": 1e-12},
        "scikit-learn newton-cholesky": {"tol": 1e-12, "max_iter": 1000},
        "liblinear-official -s 0 (primal)": {"e": 1e-8},
        "liblinear-official -s 2 (primal)": {"e": 1e-8},
    },
    quick_problems="a9a,ijcnn1",
)


@click.command()
@comparison.options(BINARY)
@click.option("--l2-times-n", default=1.0, show_default=True, help="l2 = this / n.")
def main(l2_times_n, **options):
    """Measure ours and the peers' time to relative suboptimality 1e-3 and 1e-6."""
    note = f"l2 = {l2_times_n:g}/n, no intercept"
    comparison.run(BINARY, lambda data, loss: Objective(loss, l2_times_n / data.n_rows), note, **options)


if __name__ == "__main__":
    main()

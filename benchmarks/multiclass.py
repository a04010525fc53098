"""python -m benchmarks.multiclass: softmax and one-versus-rest, time to relative suboptimality 1e-3 and 1e-6."""

import click

from benchmarks import comparison, data_sets
from benchmarks.objective import ONE_VERSUS_REST, Objective

MULTICLASS = comparison.Comparison(
    title="Many classes",
    task="multiclass",
    pairs=(
        *((name, "softmax") for name in data_sets.READERS["multiclass"]),
        ("sector", f"{ONE_VERSUS_REST}logistic"),
        ("sector", f"{ONE_VERSUS_REST}squared_hinge"),
    ),
    references={
        "empirisk auto": {"tol": 1e-9},
        "scikit-learn lbfgs": {"tol": 1e-8, "max_iter": 10_000, "threads": 2},
        "liblinear-official -s 0 (primal)": {"e": 1e-6},
        "liblinear-official -s 2 (primal)": {"e": 1e-6},
    },
    quick_problems="satimage,letter",
)


@click.command()
@comparison.options(MULTICLASS)
@click.option("--l2-times-n", default=1.0, show_default=True, help="l2 = this / n.")
def main(l2_times_n, **options):
    """Measure ours and the peers' time to relative suboptimality 1e-3 and 1e-6."""
    note = f"l2 = {l2_times_n:g}/n, no intercept; one-versus-rest is the sum over the classes; satimage is standardised"
    comparison.run(MULTICLASS, lambda data, loss: Objective(loss, l2_times_n / data.n_rows), note, **options)


if __name__ == "__main__":
    main()

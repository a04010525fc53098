"""The problems of the benchmark: which data under which objective, and the strict solves that fix their minimum."""

from dataclasses import dataclass

from benchmarks import data_sets
from benchmarks.data_sets import DataSet
from benchmarks.huber_scale import EPSILON, huber_scale
from benchmarks.objective import ONE_VERSUS_REST, Objective, largest_l1
from benchmarks.peers.solver import Setting


@dataclass(frozen=True)
class Problem:
    """A data set of a task (`data_sets.READERS`), a loss, and a penalty: "" is none, with a free intercept then."""

    task: str
    data: str
    loss: str
    penalty: str = ""
    # l2 = strength / n, or l1 = strength * the least l1 whose minimiser is zero.
    strength: float = 0.0

    @property
    def penalty_label(self) -> str:
        if self.penalty == "l2":
            return f"l2 = {self.strength:g}/n"
        return f"l1 = max/{1.0 / self.strength:g}" if self.penalty == "l1" else "none, intercept"

    @property
    def key(self) -> str:
        """Names the problem in the results."""
        return f"{self.task} {self.data}, {self.loss.replace('_', ' ')}, {self.penalty_label}"

    def objective(self, data: DataSet) -> Objective:
        l1 = self.strength * largest_l1(self.loss, data) if self.penalty == "l1" else 0.0
        l2 = self.strength / data.n_rows if self.penalty == "l2" else 0.0
        fit_intercept, loss = not self.penalty, self.loss
        if loss == "huber":
            # Everybody's problem is the one that HuberRegressor arrives at: see huber_scale.py.
            loss = f"huber:delta={EPSILON * huber_scale(data.X, data.y, l2, fit_intercept)!r}"
        return Objective(loss, l1, l2, fit_intercept)


SMOOTH = (1.0, 0.01)
HINGE = (1.0, 0.1)
L1 = (0.1, 0.01)
WIDE = ("news20", "dorothea", "reuters_tick")
TWO_CLASSES = tuple(data_sets.READERS["binary"])
REGRESSION = tuple(data_sets.READERS["standardised"])
QUANTILES = ("quantile:level=0.5", "quantile:level=0.9", "absolute")

PROBLEMS: tuple[Problem, ...] = (
    *(Problem("binary", name, "logistic", "l2", c) for name in TWO_CLASSES for c in SMOOTH),
    *(Problem("binary", name, "squared_hinge", "l2", c) for name in TWO_CLASSES for c in SMOOTH),
    *(Problem("binary", name, "hinge", "l2", c) for name in TWO_CLASSES for c in HINGE),
    *(Problem("binary", name, "logistic", "l1", c) for name in TWO_CLASSES for c in L1),
    *(Problem("binary", name, "squared_hinge", "l1", c) for name in WIDE for c in L1),
    *(Problem("binary", name, "squared", "l1", c) for name in WIDE for c in L1),
    *(Problem("standardised", name, "squared", "l1", c) for name in REGRESSION for c in L1),
    *(Problem("standardised", name, "squared", "l2", 1.0) for name in REGRESSION),
    *(Problem("standardised", name, "huber", "l2", 1.0) for name in REGRESSION),
    *(Problem("regression", name, loss) for name in data_sets.READERS["regression"] for loss in ("huber", *QUANTILES)),
    *(Problem("multiclass", name, "softmax", "l2", 1.0) for name in data_sets.READERS["multiclass"]),
    Problem("multiclass", "sector", f"{ONE_VERSUS_REST}logistic", "l2", 1.0),
    Problem("multiclass", "sector", f"{ONE_VERSUS_REST}squared_hinge", "l2", 1.0),
)

# Strict solves that fix the minimum where our own certificate does not; the last word has whoever finds the least.
REFERENCES: dict[str, Setting] = {
    "scikit-learn newton-cholesky": {"tol": 1e-12, "max_iter": 1000, "threads": 2},
    "scikit-learn lbfgs": {"tol": 1e-8, "max_iter": 10_000, "threads": 2},
    "scikit-learn Ridge cholesky": {"tol": 1e-12, "threads": 2},
    "liblinear-official -s 0 (primal)": {"e": 1e-8},
    "liblinear-official -s 2 (primal)": {"e": 1e-8},
    "liblinear-official -s 3 (dual)": {"e": 1e-6},
    "liblinear-official -s 5 (l1)": {"e": 1e-7},
    "celer celer-pn": {"tol": 1e-10},
    "celer Lasso": {"tol": 1e-10},
    "HiGHS dual, dual simplex": {"tol": 1e-9, "presolve": 0},
}

"""python -m benchmarks.own_loss: a user's own logistic loss against the built-in one, in every solver that takes it.

Both run warm, in turn, on the same problem; the time is that of `minimize` alone, the least of several runs. A second
loss of the user has a value and a derivative only: fewer solvers take it, and its gap is a little looser.
"""

import math
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
import scipy.sparse

import empirisk as er
from benchmarks import machine, table
from benchmarks.publish import publish
from empirisk.capabilities import missing
from empirisk.solvers import SOLVERS

GOAL = 1.1
L2 = 1e-3
SHORT = 1e-5


class OwnLogistic(NamedTuple):
    """Everything that the built-in loss has, as a user would write it."""

    scale: float = 1.0

    def tasks(self):
        return ("classification",)

    def recedes(self):
        return True

    def value(self, z, y):
        m = y * z
        return self.scale * (math.log1p(math.exp(-abs(m))) + max(-m, 0.0))

    def derivative(self, z, y):
        m = y * z
        e = math.exp(-abs(m))
        return -self.scale * y * (e / (1.0 + e) if m > 0.0 else 1.0 / (1.0 + e))

    def second_derivative(self, z, y):
        e = math.exp(-abs(z))
        return self.scale * e / ((1.0 + e) * (1.0 + e))

    def smoothness(self):
        return 0.25 * self.scale

    def conjugate(self, u, y):
        p = -u * y / self.scale
        if p < 0.0 or p > 1.0:
            return math.inf
        entropy = 0.0
        if p > 0.0:
            entropy += p * math.log(p)
        if p < 1.0:
            entropy += (1.0 - p) * math.log1p(-p)
        return self.scale * entropy

    def dual_step(self, u, z, y, q):
        t = self.log_odds(u * y / self.scale, y * z, q * self.scale)
        e = math.exp(-abs(t))
        return self.scale * y * (1.0 if t > 0.0 else e) / (1.0 + e)

    def prox(self, z, y, step):
        return -y * self.log_odds(0.0, y * z, step * self.scale)

    def log_odds(self, p, m, q):
        low = -m - q * (1.0 - p)
        high = -m + q * p
        t = min(max(math.log(p / (1.0 - p)), low), high) if 0.0 < p < 1.0 else 0.5 * (low + high)
        last = math.inf
        for _ in range(100):
            e = math.exp(-abs(t))
            sigma = (1.0 if t > 0.0 else e) / (1.0 + e)
            residual = t + m + q * (sigma - p)
            if residual > 0.0:
                high = t
            else:
                low = t
            bend = q * sigma * (1.0 - sigma)
            step = residual / (1.0 + bend)
            turn = 0.5 * step * bend * (1.0 - 2.0 * sigma) / (1.0 + bend)
            new = t - (step / (1.0 - turn) if abs(turn) < 0.5 else step)
            short = SHORT
            # The method can jump to and fro between the flat ends of sigma: then halve the bracket.
            if not low <= new <= high or abs(residual) > 0.5 * last:
                new = 0.5 * (low + high)
                short = 1e-12
            last = abs(residual)
            moved = abs(new - t)
            t = new
            if moved <= short * (1.0 + abs(t)):
                break
        return t

    def probability(self, z):
        e = math.exp(-abs(z))
        return (1.0 if z > 0.0 else e) / (1.0 + e)


class PlainLogistic(NamedTuple):
    """The least that a loss can be."""

    scale: float = 1.0

    def value(self, z, y):
        m = y * z
        return self.scale * (math.log1p(math.exp(-abs(m))) + max(-m, 0.0))

    def derivative(self, z, y):
        m = y * z
        e = math.exp(-abs(m))
        return -self.scale * y * (e / (1.0 + e) if m > 0.0 else 1.0 / (1.0 + e))


LOSSES = {"built-in": er.Logistic(1.0), "own": OwnLogistic(1.0), "plain": PlainLogistic(1.0)}


def make_dense(n_rows: int):
    return np.random.default_rng(0).standard_normal((n_rows, 100))


def make_sparse(n_rows: int):
    rng = np.random.default_rng(0)
    return scipy.sparse.random_array(
        (n_rows, 2000), density=0.02, format="csr", rng=rng, data_sampler=rng.standard_normal
    )


def labels(X) -> np.ndarray:
    scores = X @ np.random.default_rng(1).standard_normal(X.shape[1])
    noise = np.random.default_rng(2).standard_normal(len(scores))
    return np.where(scores + scores.std() * noise > 0.0, 1.0, -1.0)


def measure(data: str, X, solver: str, repeats: int, max_passes: float) -> dict:
    """Seconds and passes of each loss, or what the solver lacks."""
    y = labels(X)
    problems = {name: er.EmpiricalRisk(X, y, loss, l2=L2) for name, loss in LOSSES.items()}
    row = {"data": data, "solver": solver}
    row["lacking"] = {name: missing(SOLVERS[solver](), problem) for name, problem in problems.items()}
    able = {name: problem for name, problem in problems.items() if not row["lacking"][name]}
    meter = machine.LoadMeter()
    seconds: dict[str, list[float]] = {name: [] for name in able}
    passes = {}
    for repeat in range(1 + repeats):
        for name, problem in able.items():
            meter.start()
            solution = er.minimize(problem, solver, max_passes=max_passes)
            elapsed, _ = meter.stop()
            passes[name] = solution.passes
            if repeat > 0:  # the first run compiles
                seconds[name].append(elapsed)
    return row | {"seconds": seconds, "passes": passes, "foreign_cores": meter.foreign_cores()}


def markdown(result: dict) -> str:
    what = result["machine"]
    versions = ", ".join(f"{name} {what['versions'][name]}" for name in ("empirisk", "numpy", "numba"))
    heading = (
        f"# A user's own loss\n\n{what['cpu']}, {what['cores']} cores, {what['system']}, Python {what['python']}; "
        f"{versions}.\n\nLogistic, l2 = {L2:g}; seconds of `minimize` to tol 1e-6 or {result['max_passes']:g} passes, "
        f"warm, least of {result['repeats']} alternating runs; own / built-in is to be at most {GOAL:g}. "
        "*plain*: a value and a derivative only. A time with * was measured while others kept more than "
        f"{machine.LOADED:g} of a core busy.\n\n"
    )
    titles = ["data", "solver", "built-in", "own", "own / built-in", "plain", "plain / built-in", "passes"]
    taken = [row for row in result["rows"] if not row["lacking"]["built-in"]]
    others = {row["solver"]: "; ".join(row["lacking"]["built-in"]) for row in result["rows"] if row not in taken}
    refused = "".join(f"\nNot for this problem: {solver} ({reason})." for solver, reason in others.items())
    largest = max(taken, key=own_ratio)
    verdict = f"\nLargest own / built-in: {own_ratio(largest):.2f} ({largest['solver']}, {largest['data']}).\n"
    return heading + table.grid(titles, [cells(row) for row in taken]) + "\n" + verdict + refused


def own_ratio(row: dict) -> float:
    return min(row["seconds"]["own"]) / min(row["seconds"]["built-in"])


def cells(row: dict) -> list[str]:
    figures = {
        name: {"seconds": min(seconds), "foreign_cores": row["foreign_cores"]}
        for name, seconds in row["seconds"].items()
    }
    built_in = figures["built-in"]
    shown = [row["data"], row["solver"], table.timing(built_in)]
    for name in ("own", "plain"):
        if name in figures:
            ratio = figures[name]["seconds"] / built_in["seconds"]
            shown += [table.timing(figures[name]), table.times(ratio, figures[name], built_in)]
        else:
            shown += ["cannot", ""]
    return [*shown, " / ".join(f"{passes:g}" for passes in row["passes"].values())]


@click.command()
@click.option("--rows", default=20_000, show_default=True, type=click.IntRange(min=100))
@click.option("--solvers", default="", help=f"Only these of {', '.join(SOLVERS)}.")
@click.option("--repeats", default=7, show_default=True, type=click.IntRange(min=1))
@click.option("--max-passes", default=200.0, show_default=True)
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(rows, solvers, repeats, max_passes, json_path):
    """Compare a user's own loss with the built-in one."""
    wanted = [name.strip() for name in solvers.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in SOLVERS]
    if unknown:
        raise click.BadParameter(f"{', '.join(unknown)} is unknown; known: {', '.join(SOLVERS)}")
    result = {"machine": machine.description(), "repeats": repeats, "max_passes": max_passes, "rows": []}
    for data, X in (("dense", make_dense(rows)), ("sparse", make_sparse(rows))):
        for solver in wanted or SOLVERS:
            result["rows"].append(measure(data, X, solver, repeats, max_passes))
            click.echo(f"{data}, {solver}: done", err=True)
    publish(result, markdown, json_path)


if __name__ == "__main__":
    main()

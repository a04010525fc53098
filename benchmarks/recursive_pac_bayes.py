"""python -m benchmarks.recursive_pac_bayes --data folder: PAC-Bayes by recursion beside what `pac_bayes` has.

Recursive PAC-Bayes (Wu, Zhang, Cherief-Abdellatif and Seldin 2024) bounds the loss of each posterior by that of the one
before, and the excess, on the rows that this one has not seen. Rows fall into S1, S2, S3 with shares 1/4, 1/4, 1/2;
w1, w2, w are the fits of S1, of S1 and S2, and of all; Sigma is that of S1, and pi_j = N(w_j, c Sigma) for all j.

    L(w1) <= B(its errors on S2 and S3)
    L(pi_2) <= excess of pi_2 over gamma L(w1), prior pi_1, on S2 and S3,   + gamma L(w1)
    L(pi_3) <= excess of pi_3 over gamma L(pi_2), prior pi_2, on S3,        + gamma L(pi_2)

a third of delta each. With a and b the chances that the draw, and what is before it, lose on a row, the excess is at
most, for gamma = 1, upper(a (1 - b)) - lower((1 - a) b), for gamma = 1/2 (the paper's) -1/2 + (upper(1 - (1 - a) b) +
upper(a) + upper(a (1 - b))) / 2. Of the plane, pi_3 loses within t standard deviations, too, and L / Phi(t) counts.
c, t and gamma are of a grid, which is paid for. `pac_bayes` has the shares 1/2, 1/2 and no pi in between.
"""

import itertools
import math
from pathlib import Path

import click
import numpy as np
from scipy.special import ndtr

import empirisk as er
from benchmarks import machine, table
from benchmarks.pac_bayes import DELTA, L2, read
from benchmarks.publish import publish
from empirisk.bounds import binomial_upper, kl_lower, kl_upper, labelled_rows, log_xi, pac_bayes_bound, prior_rows
from empirisk.bounds.augmented_rows import joined
from empirisk.bounds.pac_bayes.gaussian_prior import gaussian_prior
from empirisk.bounds.pac_bayes.plane_bound import DRAW_SCALES, SCALES, WIDTHS
from empirisk.designs import as_design

SETS = ("a9a", "ijcnn1", "phishing", "mushrooms", "w8a")
GAMMAS = (0.5, 1.0)


def excess(a: np.ndarray, b: np.ndarray, gamma: float, divergence: float, log_level: float) -> float:
    """Of the draws that lose with chance a over gamma times what loses with chance b."""
    n, parts = a.size, 2 if gamma == 1.0 else 3
    c = (divergence + log_xi(n) + math.log(parts) - log_level) / n
    if gamma == 1.0:
        return kl_upper(float(np.mean(a * (1.0 - b))), c) - kl_lower(float(np.mean((1.0 - a) * b)), c)
    means = (np.mean(1.0 - (1.0 - a) * b), np.mean(a), np.mean(a * (1.0 - b)))
    return -0.5 + 0.5 * sum(kl_upper(min(1.0, float(mean)), c) for mean in means)


def recursive(X: object, y: np.ndarray, seed: int, of_draw: bool) -> float:
    n = y.size
    is_first, is_early = prior_rows(n, seed, 0.25), prior_rows(n, seed, 0.5)
    fits = [er.minimize(er.EmpiricalRisk(X[some], y[some], l2=L2)) for some in (is_first, is_early, np.ones(n, bool))]
    w1, w2, w = (joined(fit.weights, fit.intercept) for fit in fits)
    prior = gaussian_prior(as_design(X[is_first]), w1, True, L2)
    later, last = as_design(X[~is_first]), as_design(X[~is_early])
    lost = (prior.margins(later, y[~is_first], w1) <= 0.0).astype(float)
    middle, before = prior.margins(later, y[~is_first], w2), prior.margins(last, y[~is_early], w2)
    margins = prior.margins(last, y[~is_early], w)
    from_first, from_middle = prior.divergence(w2), prior._replace(center=w2).divergence(w)
    pairs = list(itertools.product(DRAW_SCALES, (None,)) if of_draw else itertools.product(SCALES, WIDTHS))
    log_third = math.log(DELTA / 3.0)
    log_level = log_third - math.log(len(pairs) * len(GAMMAS) ** 2)
    first, found = binomial_upper(int(lost.sum()), lost.size, log_third), 1.0
    for (c, t), one, two in itertools.product(pairs, GAMMAS, GAMMAS):
        s = math.sqrt(c)
        second = min(1.0, excess(ndtr(-middle / s), lost, one, from_first / c, log_level) + one * first)
        third = excess(ndtr((t or 0.0) - margins / s), ndtr(-before / s), two, from_middle / c, log_level)
        found = min(found, (third + two * second) / (1.0 if t is None else float(ndtr(t))))
    return found


def measure(name: str, folder: Path, seeds: int) -> dict:
    X, y = read(name, folder)
    y = np.where(y == np.unique(y)[1], 1.0, -1.0)
    fit, rows = er.minimize(er.EmpiricalRisk(X, y, l2=L2)), labelled_rows(X, y)
    found: dict = {"data": name}
    for what, of_draw in (("plane", False), ("draw", True)):
        made = (
            pac_bayes_bound(rows, fit.weights, fit.intercept, DELTA, l2=L2, seed=seed, of_draw=of_draw)
            for seed in range(seeds)
        )
        found[what] = [bound.value for bound in made]
        found[f"{what}, recursive"] = [recursive(X, y, seed, of_draw) for seed in range(seeds)]
    return found


KINDS = ("plane", "plane, recursive", "draw", "draw, recursive")


def as_cells(row: dict) -> list[str]:
    return [row["data"], *(f"{np.mean(row[k]):.4f} ({min(row[k]):.4f}-{max(row[k]):.4f})" for k in KINDS)]


def markdown(result: dict) -> str:
    what = result["machine"]
    said = f"{what['cpu']}, Python {what['python']}. delta = {DELTA}, mean and range of {result['seeds']} seeds."
    rows = table.grid(["data", *KINDS], [as_cells(row) for row in result["rows"]])
    return f"# Recursive PAC-Bayes beside the split\n\n{said}\n\n{rows}\n"


@click.command()
@click.option("--data", "folder", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--sets", default=",".join(SETS), show_default=True)
@click.option("--seeds", default=3, show_default=True, help="Of the split of the rows.")
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(folder: Path, sets: str, seeds: int, json_path: Path | None) -> None:
    """Measure."""
    rows = [measure(name, folder, seeds) for name in sets.split(",")]
    publish({"machine": machine.description(), "seeds": seeds, "rows": rows}, markdown, json_path)


if __name__ == "__main__":
    main()

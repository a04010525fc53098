"""python -m benchmarks.plane_validity: how often bounds of fitted planes fail, over draws whose risk is known.

Rows are x from N(0, I) in the plane with label sign(x_1), turned over with the probability of the world (`WORLDS` of
bounds_validity). A plane through the origin at the angle a to the true one errs with probability noise + (1 - 2
noise) a / pi. Random draws around a plane are drawn: 2,000 of them for the risk of each. The wrong variants must fail
somewhere: a prior that is the fit of all rows (as many columns as rows), and 1 / Phi(t) left out (a plane with
every row on it).
"""

import math
from collections.abc import Callable

import click
import numpy as np
from scipy.stats import norm

import empirisk as er
from benchmarks import table
from benchmarks.bounds_validity import WORLDS, most_violations, violations
from empirisk.bounds import RiskBound, labelled_rows, plane_evidence, risk_bound
from empirisk.bounds.compression.rebuilding import gap_compression, perceptron_compression, support_compression
from empirisk.bounds.pac_bayes.gaussian_prior import gaussian_prior
from empirisk.bounds.pac_bayes.plane_bound import plane_bound
from empirisk.bounds.pac_bayes.prior_fit import pac_bayes_bound
from empirisk.bounds.pac_bayes.prior_rows import prior_rows
from empirisk.designs import as_design

L2 = 0.01
N_DRAWS = 2000  # of planes
Bound = Callable[[np.random.Generator, int, float, float], tuple[float, float]]


def drawn(rng: np.random.Generator, n: int, noise: float, d: int = 2) -> tuple[np.ndarray, np.ndarray]:
    while True:
        X = rng.standard_normal((n, d))
        y = np.where((X[:, 0] >= 0.0) ^ (rng.random(n) < noise), 1.0, -1.0)
        if abs(y.sum()) < n:
            return X, y


def risk(planes: np.ndarray, noise: float) -> float:
    """The mean of planes, one a row."""
    angles = np.arccos(np.clip(planes[:, 0] / np.linalg.norm(planes, axis=1), -1.0, 1.0))
    return float(noise + (1.0 - 2.0 * noise) * angles.mean() / math.pi)


def fit(X: np.ndarray, y: np.ndarray, loss: str = "logistic") -> er.Solution:
    return er.minimize(er.EmpiricalRisk(X, y, loss, l2=L2, fit_intercept=False, n_threads=1))


def of_prior(of_draw: bool) -> Bound:
    def bound(rng: np.random.Generator, n: int, noise: float, delta: float) -> tuple[float, float]:
        X, y = drawn(rng, n, noise)
        w, seed = fit(X, y).weights, 0
        options = {"l2": L2, "fit_intercept": False, "of_draw": of_draw}
        made = pac_bayes_bound(labelled_rows(X, y), w, 0.0, delta, seed=seed, **options)
        if not of_draw:
            return made.value, risk(w[None, :], noise)
        own = as_design(X[prior_rows(n, seed)])
        prior = gaussian_prior(own, made.evidence["prior_weights"], False, L2)
        half = prior.inverse * prior.powers * math.sqrt(made.ingredients["scale"] / prior.n_rows)
        return made.value, risk(w + rng.standard_normal((N_DRAWS, 2)) @ half, noise)

    return bound


def without_fit(kind: str) -> Bound:
    def bound(rng: np.random.Generator, n: int, noise: float, delta: float) -> tuple[float, float]:
        X, y = drawn(rng, n, noise)
        w = fit(X, y).weights
        made = risk_bound(kind, labelled_rows(X, y), delta, {"is_affine": False}, plane_evidence(w, 0.0))
        if kind != "pac_bayes_zero_draw":
            return made.value, risk(w[None, :], noise)
        middle = w / np.linalg.norm(w) * math.sqrt(2.0 * made.ingredients["divergence"])
        return made.value, risk(middle + rng.standard_normal((N_DRAWS, 2)), noise)

    return bound


def rebuilt(rule: str) -> Bound:
    def bound(rng: np.random.Generator, n: int, noise: float, delta: float) -> tuple[float, float]:
        X, y = drawn(rng, n, noise)
        made = compressed(rule, X, y, delta)
        return (1.0, 0.5) if made is None else (made.value, risk(made.evidence["weights"], noise))

    return bound


def compressed(rule: str, X: np.ndarray, y: np.ndarray, delta: float) -> RiskBound | None:
    """None where the rule gives no plane."""
    rows = labelled_rows(X, y)
    if rule == "perceptron":
        run = er.perceptron(X, y, fit_intercept=False, max_passes=10, certify=False)
        return perceptron_compression(rows, run, delta, fit_intercept=False)
    if rule == "gap":
        gap = er.widest_gap(X, y, fit_intercept=False)
        return gap_compression(rows, gap, delta) if isinstance(gap, er.WidestGap) else None
    made = fit(X, y, "hinge")
    if made.certificate.dual_rows.size == rows.n_rows:
        return None
    try:
        return support_compression(rows, made.weights, 0.0, made.certificate, delta, l2=L2, fit_intercept=False)
    except ValueError:  # every row matters
        return None


def prior_of_all(rng: np.random.Generator, n: int, noise: float, delta: float) -> tuple[float, float]:
    """Wrong: the prior is the fit of all rows."""
    X, y = drawn(rng, n, noise, n)
    w = 10.0 * np.linalg.solve(X.T @ X + 1e-3 * np.eye(n), X.T @ y)  # no error on any row
    is_prior = prior_rows(n)
    prior = gaussian_prior(as_design(X[is_prior]), w, False, L2)
    margins = prior.margins(as_design(X[~is_prior]), y[~is_prior], w)
    found = plane_bound(margins, prior.divergence(w), margins <= 0.0, math.log(delta))
    return found.value, risk(w[None, :], noise)


def without_division(rng: np.random.Generator, n: int, noise: float, delta: float) -> tuple[float, float]:
    """Wrong: 1 / Phi(t) is left out; every row is on the plane, which is wrong of all labels -1."""
    found = plane_bound(np.zeros(100 * n), 0.0, np.zeros(100 * n, bool), math.log(delta))
    return min(found.value, 0.999) * float(norm.cdf(found.width)), 1.0


KINDS = {
    "pac_bayes": of_prior(False),
    "pac_bayes_draw": of_prior(True),
    **{kind: without_fit(kind) for kind in ("pac_bayes_zero", "pac_bayes_zero_draw", "margin")},
    **{f"compression_{rule}": rebuilt(rule) for rule in ("perceptron", "gap", "support")},
    "wrong: prior from all rows": prior_of_all,
    "wrong: 1 / Phi(t) left out": without_division,
}


@click.command()
@click.option("--draws", default=2000, show_default=True)
@click.option("--rows", default=100, show_default=True)
@click.option("--delta", default=0.05, show_default=True)
def main(draws: int, rows: int, delta: float) -> None:
    """Count violations."""
    most = most_violations(draws, delta)
    lines = []
    for kind, bound in KINDS.items():
        counts = [violations(bound, noise, draws, rows, delta) for noise in WORLDS.values()]
        lines.append([kind, *map(str, counts), "valid" if max(counts) <= most else "FAILS"])
        click.echo(" | ".join(lines[-1]), err=True)
    print(f"{draws} draws of {rows} rows, delta {delta}: at most {most} violations")
    print(table.grid(["bound", *WORLDS, ""], lines))


if __name__ == "__main__":
    main()

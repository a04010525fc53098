"""python -m benchmarks.bounds_validity: how often each bound fails, over draws from worlds whose risk is known.

Rows are x uniform on [0, 1] with label sign(x - 1/2), turned over with the probability of the world: 0 (realisable),
0.2 or 0.5 (labels by a coin). A threshold t then errs with probability noise + (1 - 2 noise) |t - 1/2|, and the one
with the fewest errors on the rows is what the bounds are asked about. They may fail in a share delta of the draws.
"""

import math
from collections.abc import Callable

import click
import numpy as np
from scipy import stats

from benchmarks import table
from empirisk.bounds import binomial_upper, labelled_rows, losses_of, plane_evidence, risk_bound, vapnik, vc_tail
from empirisk.bounds.integers.planes import integer_bound, search_planes
from empirisk.separation.points import points_of

WORLDS = {"realisable": 0.0, "noise 0.2": 0.2, "coin": 0.5}
SURE = 1e-6  # the probability with which a valid bound is called invalid


def drawn(rng: np.random.Generator, n: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
    x = rng.random(n)
    return x, np.where((x >= 0.5) ^ (rng.random(n) < noise), 1.0, -1.0)


def best_threshold(x: np.ndarray, y: np.ndarray) -> tuple[float, int]:
    """t with the fewest errors of +1 where x >= t."""
    order = np.argsort(x)
    ordered = y[order]
    errors = np.append(0, np.cumsum(ordered > 0.0)) + np.append(np.cumsum((ordered < 0.0)[::-1])[::-1], 0)
    at = int(np.argmin(errors))
    edges = np.concatenate(([0.0], x[order], [1.0]))
    return float(0.5 * (edges[at] + edges[at + 1])), int(errors[at])


def risk(threshold: float, noise: float) -> float:
    return noise + (1.0 - 2.0 * noise) * abs(threshold - 0.5)


def of_plane(kind: str) -> Callable[[np.random.Generator, int, float, float], tuple[float, float]]:
    """J and the risk of the fit, on the rows of the fit or, for `test`, on others."""

    def bound(rng: np.random.Generator, n: int, noise: float, delta: float) -> tuple[float, float]:
        x, y = drawn(rng, n, noise)
        threshold, _ = best_threshold(x, y)
        if kind == "test":
            x, y = drawn(rng, n, noise)
        choices = {} if kind == "test" else {"is_affine": True}
        evidence = plane_evidence([1.0], -threshold)
        made = risk_bound(kind, labelled_rows(x[:, None], y, (-1.0, 1.0)), delta, choices, evidence)
        return made.value, risk(threshold, noise)

    return bound


def of_losses(kind: str) -> Callable[[np.random.Generator, int, float, float], tuple[float, float]]:
    """Losses of a fixed predictor, and of one that follows the rows: their mean risk."""

    def bound(rng: np.random.Generator, n: int, noise: float, delta: float) -> tuple[float, float]:
        if kind == "progressive":
            x, y = drawn(rng, n, noise)
            thresholds = [0.5 if t == 0 else best_threshold(x[:t], y[:t])[0] for t in range(n)]
            losses = (np.where(x >= thresholds, 1.0, -1.0) != y).astype(float)
            made = risk_bound(kind, losses_of(losses), delta, {"largest": 1.0})
            return made.value, float(np.mean([risk(t, noise) for t in thresholds]))
        if kind == "test_errors":
            made = risk_bound(kind, losses_of((rng.random(n) < 0.1 + 0.8 * noise) * 1.0), delta)
            return made.value, 0.1 + 0.8 * noise
        losses = 2.0 * rng.beta(1.0, 1.0 + 8.0 * noise, n)
        made = risk_bound(kind, losses_of(losses), delta, {"largest": 2.0, "seed": 0})
        return made.value, 2.0 / (2.0 + 8.0 * noise)

    return bound


def of_search(rng: np.random.Generator, n: int, noise: float, delta: float) -> tuple[float, float]:
    """J and the risk of the integer plane that a search picks."""
    x, y = drawn(rng, n, noise)
    plane = search_planes(points_of(x[:, None], y), math.log(delta), orders=1).plane
    made = integer_bound(plane, labelled_rows(x[:, None], y, (-1.0, 1.0)), delta)
    w = float(plane.weights()[0])
    if w == 0.0:
        return made.value, 0.5
    found = risk(min(max(-plane.intercept / w, 0.0), 1.0), noise)
    return made.value, found if w > 0.0 else 1.0 - found


def of_classes(rng: np.random.Generator, n: int, noise: float, delta: float) -> tuple[float, float]:
    """J and the risk of the better of two classes: thresholds of one column, and of it beside one that says nothing."""
    x, y = drawn(rng, n, noise)
    threshold, _ = best_threshold(x, y)
    rows = labelled_rows(np.column_stack([x, rng.random(n)]), y, (-1.0, 1.0))
    found = []
    for place, allowed in ((1, [1, 0]), (2, [1, 1])):
        choices = {"place": place, "most_nonzero": place, "is_affine": True, "told_h": 0}
        evidence = {**plane_evidence([1.0, 0.0], -threshold), "allowed": np.array(allowed, dtype=np.int64)}
        found.append(risk_bound("structural", rows, delta, choices, evidence).value)
    return min(found), risk(threshold, noise)


KINDS = {
    **{kind: of_plane(kind) for kind in ("vapnik", "vc_tail", "vc_sparse", "test")},
    **{kind: of_losses(kind) for kind in ("test_errors", "test_losses", "progressive")},
    "structural": of_classes,
}
SEARCHED = {"integers": of_search}  # a search in each draw


def without_union(rng: np.random.Generator, n: int, noise: float, delta: float) -> tuple[float, float]:
    """Wrong: the bound of a plane that was fixed before, for the one that these rows picked."""
    threshold, errors = best_threshold(*drawn(rng, n, noise))
    return binomial_upper(errors, n, np.log(delta)), risk(threshold, noise)


def violations(bound: Callable[..., tuple[float, float]], noise: float, draws: int, n: int, delta: float) -> int:
    """In how many draws the risk is above J."""
    rng = np.random.default_rng(7)
    return sum(one < truth for one, truth in (bound(rng, n, noise, delta) for _ in range(draws)))


def most_violations(draws: int, delta: float) -> int:
    """What a valid bound exceeds with probability 1e-6 at most."""
    return int(stats.binom.ppf(1.0 - SURE, draws, delta))


@click.command()
@click.option("--kinds", default=",".join({**KINDS, **SEARCHED}), show_default=True)
@click.option("--draws", default=2000, show_default=True)
@click.option("--rows", default=100, show_default=True)
@click.option("--delta", default=0.05, show_default=True)
def main(kinds: str, draws: int, rows: int, delta: float) -> None:
    most = most_violations(draws, delta)
    lines = []
    for kind, bound in {
        **{kind: {**KINDS, **SEARCHED}[kind] for kind in kinds.split(",")},
        "wrong: no union bound": without_union,
    }.items():
        counts = [violations(bound, noise, draws, rows, delta) for noise in WORLDS.values()]
        lines.append([kind, *map(str, counts), "valid" if max(counts) <= most else "FAILS"])
    print(f"{draws} draws of {rows} rows, delta {delta}: at most {most} violations")
    print(table.grid(["bound", *WORLDS, ""], lines))
    print(f"Vapnik's J and vc_tail for no error in {rows} rows: {vapnik(0, rows, 2):.3f}, {vc_tail(0, rows, 2):.3f}")


if __name__ == "__main__":
    main()

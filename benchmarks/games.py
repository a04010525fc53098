"""python -m benchmarks.games: games by the ten thousand, against every learner, in which no bound may be exceeded.

Rows are drawn (random, alternating, drifting, heavy-tailed, one-hot, sparse, single precision) or chosen by an
adversary who sees the point that will be played: greedy, along it and with the other label; orthogonal to it; and
orthogonal to it and to the sum of the gradients so far. Comparators are drawn near and far, and taken along the sum of
the gradients, where regret is largest. The settings are those of the tests.
"""

import itertools
import math
import time
from collections import defaultdict
from collections.abc import Iterator

import click
import numpy as np
import scipy.sparse

from benchmarks import table
from empirisk.online import as_learner, learn
from empirisk.online.learners.promise import promised
from empirisk.online.run import Run
from empirisk.problems.linear_point import LinearPoint
from tests.online.games import KINDS, Rows, rows
from tests.online.test_games import GAMES, LOSSES

ADVERSARIES = ("greedy", "orthogonal", "orthogonal to both")
N_COLUMNS = 4
LONGEST = 60
N_COMPARATORS = 6
ROUNDING = 1e-9  # of all that was paid


def settings() -> dict[str, list[tuple[str, dict]]]:
    """Those of each learner, by its name."""
    found: dict[str, list[tuple[str, dict]]] = defaultdict(list)
    for text, options in GAMES:
        found[text.partition(":")[0]].append((text, options))
    return found


def begun(text: str, loss: str, options: dict) -> Run:
    return learn(np.empty((0, N_COLUMNS)), np.empty(0), as_learner(text), **{"loss": loss, **options})


def takes(text: str, loss: str, options: dict) -> bool:
    """Whether there is such a game; an untold number of settings is not for every loss."""
    try:
        begun(text, loss, options)
    except (TypeError, ValueError):
        return False
    return True


def row_against(run: Run, kind: str, gradients: np.ndarray, draws: np.random.Generator) -> tuple[np.ndarray, float]:
    """The row of an adversary, of length one, and its label."""
    w, x, y = run.point().weights, draws.normal(size=N_COLUMNS), float(draws.choice([-1.0, 1.0]))
    if kind == "greedy":
        x = w if np.any(w) else x
        y = -1.0
    else:
        against = [w] if kind == "orthogonal" else [w, gradients]
        basis = np.linalg.qr(np.column_stack([v for v in against if np.any(v)] or [np.zeros(N_COLUMNS)]))[0]
        x = x - basis @ (basis.T @ x)
    return x / max(float(np.linalg.norm(x)), 1e-300), y


def played(text: str, loss: str, options: dict, kind: str, seed: int) -> tuple[Run, Rows]:
    """A game, and the rows that it was played on."""
    draws = np.random.default_rng(seed)
    n = int(draws.integers(1, LONGEST + 1))
    run = begun(text, loss, options)
    if kind in KINDS:
        game = rows(kind, n=n, d=N_COLUMNS, seed=seed)
        run.learn(*game)
        return run, game
    X, y, gradients = np.empty((n, N_COLUMNS)), np.empty(n), np.zeros(N_COLUMNS)
    for k in range(n):
        X[k], y[k] = row_against(run, kind, gradients, draws)
        z = run.learn(X[k : k + 1], y[k : k + 1])[0]
        gradients += run.game.loss.derivative(z, y[k]) * X[k]
    return run, Rows(X, y, None)


def comparators(run: Run, game: Rows, draws: np.random.Generator) -> Iterator[LinearPoint]:
    """Points of the learner's set."""
    dense = game.X.toarray() if scipy.sparse.issparse(game.X) else game.X
    along = (game.y * (1.0 if game.s is None else game.s)) @ dense
    for k in range(N_COMPARATORS):
        u = draws.normal(size=N_COLUMNS) * 10.0 ** draws.uniform(-2.0, 1.0)
        if k % 2 and np.any(along):
            u = along / np.linalg.norm(along) * float(np.linalg.norm(u))
        if run.game.constraint is not None:
            run.game.constraint.prox(u, 1.0, u)
        yield LinearPoint(u, float(draws.normal()) if run.game.fit_intercept else 0.0)


def shares_of_bound(run: Run, game: Rows, draws: np.random.Generator) -> Iterator[tuple[float, float]]:
    """Regret beyond the bound in units of what was paid, and the share of the bound that regret is."""
    ledger, loss, omega, met = run.ledger, run.game.loss, run.game.regularizer, run.met()
    weights = np.ones(game.y.size) if game.s is None else game.s
    for u in comparators(run, game, draws):
        promise = promised(run.learner, met, u).at.value
        if math.isnan(promise):
            continue
        scores = game.X @ u.weights + u.intercept
        paid = math.fsum(
            s * loss.value(z, y) for s, z, y in zip(weights, scores.tolist(), game.y.tolist(), strict=True) if s > 0.0
        )
        regret = ledger.total - paid - ledger.charges * omega.value(u.weights)
        size = 1.0 + ledger.total + paid + abs(promise)
        yield (regret - promise) / size, regret / promise if promise > 0.0 else 0.0


def games_of(name: str, count: int, seed: int, minutes: float) -> dict:
    """So many games of a learner, or as many as the minutes allow, its settings, losses and kinds in turn."""
    end = time.monotonic() + 60.0 * minutes
    kinds = (*KINDS, *ADVERSARIES)
    table_of = [(text, loss, options) for text, options in settings()[name] for loss in LOSSES]
    possible = [setting for setting in table_of if takes(*setting)]
    found = {"learner": name, "games": 0, "comparators": 0, "violations": 0, "largest share": 0.0}
    for k, ((text, loss, options), kind) in zip(
        range(count), itertools.cycle(itertools.product(possible, kinds)), strict=False
    ):
        if time.monotonic() > end:
            break
        run, game = played(text, loss, options, kind, seed + k)
        draws = np.random.default_rng([seed, k])
        found["games"] += 1
        for beyond, share in shares_of_bound(run, game, draws):
            found["comparators"] += 1
            found["largest share"] = max(found["largest share"], share)
            if not beyond <= ROUNDING:  # nan, where what was paid is infinite, is a violation too
                found["violations"] += 1
                click.echo(f"beyond the bound: {text}, {loss}, {options}, {kind}, seed {seed + k}", err=True)
    return found


@click.command()
@click.option("--count", default=10_000, show_default=True, help="Games of each learner.")
@click.option("--minutes", default=math.inf, help="For each learner; then it ends with fewer games.")
@click.option("--seed", default=0, show_default=True)
@click.option("--only", multiple=True, help="Learners by name; all of them without.")
def main(count, minutes, seed, only):
    """Play games against every learner."""
    lines = []
    for name in only or settings():
        row = games_of(name, count, seed, minutes)
        lines.append([name, *(f"{row[key]:,}" for key in ("games", "comparators", "violations"))])
        lines[-1].append(f"{row['largest share']:.3f}" if row["comparators"] else "no bound claimed")
        click.echo(" ".join(lines[-1]), err=True)
    click.echo("# Games\n\n" + table.grid(["learner", "games", "comparators", "violations", "largest share"], lines))


if __name__ == "__main__":
    main()

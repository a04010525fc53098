"""python -m benchmarks.tight_games: games in which bounds are met, or nearly, and one that tells learners apart.

1. An adversary whose rows are orthogonal to w_k and to the sum of the gradients, in the ball of radius 1 around w_1:
   gradient descent's regret is G D sqrt(K), the whole of its bound, for every K.
2. Hedge with 1,000 experts whose losses are fair coins.
3. One-hot rows, column j with frequency j^-2, hinge on the box [-1, 1], a tenth of the labels wrong: AdaGrad beside
   gradient descent with the step of its theorem, and with the best constant step in hindsight.
"""

import math

import click
import numpy as np
import scipy.sparse

from benchmarks import table
from empirisk.online import hedge, learn
from empirisk.online.learners.promise import promised
from empirisk.problems.linear_point import LinearPoint

HORIZONS = (1, 2, 3, 10, 100, 1000, 10_000)
BALL = {"loss": "hinge", "constraint": "l2_ball:radius=1", "fit_intercept": False}
BOX = {"loss": "hinge", "constraint": "box:low=-1,high=1", "fit_intercept": False}
CONSTANT_STEPS = tuple(2.0**p for p in range(-14, 5))


def orthogonal_game(rounds: int) -> tuple[float, float]:
    """Regret against the best point of the ball in units of G D sqrt(K), and in units of the bound there."""
    learner = f"gradient_descent:steps=horizon,horizon={rounds},distance=1,gradient=1"
    run, total, inner = learn(np.empty((0, 2)), np.empty(0), learner, **BALL), np.zeros(2), 0.0
    for _ in range(rounds):
        length = float(np.linalg.norm(total))
        x = np.array([-total[1], total[0]]) / length if length > 0.0 else np.array([1.0, 0.0])
        z = run.learn(x[None, :], np.ones(1))[0]
        slope = float(run.game.loss.derivative(z, 1.0))
        total += slope * x
        inner += slope * z
    # The hinge is linear on all scores of the ball, so that the best point lies against the sum of the gradients.
    best = LinearPoint(-total / float(np.linalg.norm(total)), 0.0)
    regret = inner + float(np.linalg.norm(total))
    return regret / math.sqrt(rounds), regret / promised(run.learner, run.met(), best).at.value


def coins(runs: int, rounds: int, experts: int) -> tuple[float, float]:
    """The mean of regret / bound over the runs, with a fixed rate, and the least of them."""
    shares = []
    for seed in range(runs):
        played = hedge(np.random.default_rng(seed).integers(0, 2, (rounds, experts)), "fixed", spread=1.0)
        shares.append(played.regret / played.bound)
    return float(np.mean(shares)), min(shares)


def one_hot(columns: int, seed: int = 0) -> dict:
    """Regret of three learners against the best point of the box, and two bounds, over 3 d rounds.

    Columns that never occur keep a weight of zero whoever plays, so that they are left out; the distance that gradient
    descent is told is that of the whole box.
    """
    draws, rounds = np.random.default_rng(seed), 3 * columns
    chances = 1.0 / np.arange(1, columns + 1) ** 2.0
    met = draws.choice(columns, size=rounds, p=chances / chances.sum())
    kinds, places = np.unique(met, return_inverse=True)
    signs = draws.choice([-1.0, 1.0], size=kinds.size)
    y = signs[places] * np.where(draws.random(rounds) < 0.1, -1.0, 1.0)
    X = scipy.sparse.csr_array((np.ones(rounds), places, np.arange(rounds + 1)), shape=(rounds, kinds.size))
    pulls = np.bincount(places, weights=y)
    best, least = LinearPoint(np.sign(pulls), 0.0), rounds - float(np.abs(pulls).sum())
    distance = 2.0 * math.sqrt(columns)

    def played(learner: str) -> tuple[float, float]:
        run = learn(X, y, learner, **BOX)
        return run.ledger.loss - least, promised(run.learner, run.met(), best).at.value

    theory = f"gradient_descent:steps=horizon,horizon={rounds},distance={distance!r},gradient=1"
    adagrad, adagrad_bound = played(f"adagrad:alpha={math.sqrt(2.0)!r}")
    descent, _ = played(theory)
    constant = min((played(f"gradient_descent:steps=constant,length={t!r}")[0], t) for t in CONSTANT_STEPS)
    bound = distance * math.sqrt(rounds)
    return {
        "columns": columns,
        "columns that occur": int(kinds.size),
        "adagrad": adagrad,
        "gradient descent, its theorem's step": descent,
        "gradient descent, best constant step": constant[0],
        "that step": constant[1],
        "adagrad's bound": adagrad_bound,
        "gradient descent's bound, G D sqrt(K)": bound,
    }


@click.command()
@click.option("--columns", default=100_000, show_default=True, help="Of the one-hot rows; a third of the rounds.")
@click.option("--runs", default=20, show_default=True, help="With experts.")
def main(columns, runs):
    """Play the games in which bounds are met."""
    lines = [[f"{k:,}", *(f"{share - 1.0:+.1e}" for share in orthogonal_game(k))] for k in HORIZONS]
    click.echo("# Tight games\n\nGradient descent against an orthogonal adversary, relative to the bound:\n")
    click.echo(table.grid(["K", "regret / (G D sqrt K) - 1", "regret / bound - 1"], lines))
    mean, least = coins(runs, 100_000, 1000)
    click.echo(f"\nHedge, 1,000 experts, 100,000 fair coins: {mean:.3f} of the bound in the mean of {runs} runs, ")
    click.echo(f"{least:.3f} in the least.\n\nOne-hot rows:\n")
    found = one_hot(columns)
    click.echo(table.grid(["what", "measured"], [[name, f"{value:.6g}"] for name, value in found.items()]))


if __name__ == "__main__":
    main()

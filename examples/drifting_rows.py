"""Rows in the order of time, drawn from a distribution that moves: the assumption of every bound fails, and it with it.

Run it with `python examples/drifting_rows.py`. The plane between the classes turns slowly. A fit on the first rows has
a proven bound; the rows after them soon break it. The same rows in a random order keep it.
"""

import numpy as np

import empirisk as er

ROWS, FITTED, BLOCKS, TURN, NOISE = 6000, 2000, 8, 1.2, 0.3


def drifting(seed):
    """Rows whose separating plane turns by TURN radians, from the first to the last."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, 2))
    angles = np.linspace(0.0, TURN, ROWS)
    across = X[:, 0] * np.cos(angles) + X[:, 1] * np.sin(angles)
    return X, np.where(across + NOISE * rng.normal(size=ROWS) > 0.0, 1, -1)


def watched(X, y):
    """The bound of a fit on the first rows, and the share of errors in each block of rows after them."""
    model = er.LinearClassifier().fit(X[:FITTED], y[:FITTED])
    is_wrong = model.predict(X[FITTED:]) != y[FITTED:]
    return model.bound(X[:FITTED], y[:FITTED]), [float(np.mean(block)) for block in np.array_split(is_wrong, BLOCKS)]


def main() -> None:
    X, y = drifting(seed=0)
    mixed = np.random.default_rng(1).permutation(ROWS)
    for order, rows in (("of time", np.arange(ROWS)), ("at random", mixed)):
        bound, shares = watched(X[rows], y[rows])
        print(f"In the order {order}. {bound.sentence()}")
        print("  later blocks of rows: " + " ".join(f"{share:.3f}" for share in shares))
        print(f"  {sum(share > bound.value for share in shares)} of {BLOCKS} break the bound")
        assert er.verify(bound, X[rows[:FITTED]], y[rows[:FITTED]]).holds  # what was computed is right, all the same
        assert (shares[-1] > bound.value) == (order == "of time")


if __name__ == "__main__":
    main()

"""Online learners on the same rows: what each paid, its regret against the best weights in hindsight, its bound.

Run it with `python examples/regret_and_bounds.py`. Rows are handwritten digits, one after the other; the best weights
of a ball are what nobody knows before the end.
"""

import math

import numpy as np
from sklearn.datasets import load_digits

import empirisk as er

BALL = "l2_ball:radius=6"
LEARNERS = (
    "mixture",
    "scale_free_betting",
    "adagrad",
    "gradient_descent:steps=constant,length=0.1",
    "implicit_descent",
)


def main() -> None:
    images, digits = load_digits(return_X_y=True)
    X, y = images / 16.0, np.where(digits % 2 == 0, 1.0, -1.0)
    print(f"{'learner':44}{'loss':>10}{'errors':>8}{'regret':>10}{'bound':>10}")
    for learner in LEARNERS:
        run = er.online.learn(X, y, learner)
        claim = run.regret(X, y, against=BALL)
        bound = "none" if math.isnan(claim.bound) else f"{claim.bound:.1f}"
        print(f"{learner:44}{run.ledger.loss:10.1f}{run.ledger.errors:8}{claim.regret:10.1f}{bound:>10}")
        assert er.verify(claim, X, y).holds

    print("\nThe mixture over the rounds")
    run = er.online.learn(X, y)
    for at in run.regret_curve(X, y, against=BALL):
        print(f"{at.rounds:6} rounds: regret {at.most:8.2f}, at most {at.bound:8.2f}")
        assert at.least <= at.bound


if __name__ == "__main__":
    main()

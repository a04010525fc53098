"""Where minimising the empirical risk leads nowhere, and where it does: sup |R - R_emp| over the class, as n grows.

Run it with `python examples/consistency.py`. Labels are thrown by a coin, so that every predictor has R = 1/2. A memory
that answers with the label it saw has R_emp = 0 at every n; so has a member of sign(sin(theta x)), a class with one
parameter, whose VC dimension is infinite. Thresholds, VC dimension 1, cannot: there sup |R - R_emp| goes to 0.
"""

import numpy as np

import empirisk as er

RISK = 0.5


def coins(n, seed):
    """n points in order, of which a threshold sees nothing else, and labels that nothing predicts."""
    labels = np.random.default_rng(seed).random(n) < 0.5
    return (np.arange(n) + 0.5) / n, np.where(labels, -1.0, 1.0)


def memory_gap(n, seed):
    """|R - R_emp| of the memory of n rows."""
    x, y = coins(n, seed)
    seen = dict(zip(x.tolist(), y.tolist(), strict=True))
    return RISK - float(np.mean([seen[point] != label for point, label in zip(x.tolist(), y.tolist(), strict=True)]))


def sines_gap(n, seed):
    """|R - R_emp| of the best member of sign(sin(theta x)) for rows at 10^-1, ..., 10^-n."""
    _, y = coins(n, seed)
    x = 10.0 ** -np.arange(1.0, n + 1.0)
    theta = er.bounds.Sines().theta(y)
    return RISK - float(np.mean(np.sign(np.sin(theta * x)) != y))


def thresholds_gap(n, seed):
    """sup |R - R_emp| over all thresholds: +1 on the last n - i points in order and -1 on the first i, i = 0..n."""
    _, y = coins(n, seed)
    errors = np.count_nonzero(y < 0.0) + np.cumsum(np.append(0.0, y))
    return float(np.max(np.abs(RISK - errors / n)))


def main() -> None:
    points = 10.0 ** -np.arange(1.0, 11.0)[:, None]
    for name, of in (("sign(sin(theta x))", er.bounds.Sines()), ("half-lines", er.bounds.Planes())):
        ways = er.bounds.labellings(of, points[:6])
        print(f"{name} label 6 points in {ways} of {2**6} ways")
    assert er.bounds.shatters(er.bounds.Sines(), points)

    print(f"\nsup |R - R_emp|\n{'rows':>6}{'memory':>10}{'sines':>10}{'thresholds':>12}{'bound':>8}")
    for n in (1, 3, 10, 100, 1000, 10000):
        sines = f"{sines_gap(n, seed=0):.3f}" if n <= 12 else "-"  # a double holds theta for so many
        gap = thresholds_gap(n, seed=0)
        bound = er.bounds.vc_tail(n // 2, n, h=1) - RISK  # of a threshold that errs on half of the rows
        print(f"{n:6}{memory_gap(n, seed=0):10.3f}{sines:>10}{gap:12.3f}{bound:8.3f}")
        assert memory_gap(n, seed=0) == RISK

    # A bound needs a class that cannot do everything: with as many dimensions as rows it says nothing.
    assert er.bounds.vc_tail(0, 1000, h=1000) == 1.0


if __name__ == "__main__":
    main()

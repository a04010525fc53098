"""The risk of one-parameter classifiers, known here, beside what n rows show of it and the bound that they prove.

Run it with `python examples/risk_and_its_bound.py`. x is uniform on [0, 1], and y is +1 from 0.4 on and -1 below, but
for one label in five, which is turned round. Member theta of the class predicts +1 from theta on and -1 below.
"""

import numpy as np

import empirisk as er

BEST, NOISE = 0.4, 0.2
H = 1  # no two points can be labelled in all four ways: (+1, -1), in the order of x, never


def risk(theta):
    """R(theta): the noise, and what lies between theta and the best one is wrong where it was right."""
    return NOISE + (1.0 - 2.0 * NOISE) * np.abs(theta - BEST)


def draw(n, seed):
    """n rows with their labels."""
    rng = np.random.default_rng(seed)
    x = rng.random(n)
    return x, np.where(x >= BEST, 1.0, -1.0) * np.where(rng.random(n) < NOISE, -1.0, 1.0)


def predictions(theta, x):
    return np.where(x >= theta, 1.0, -1.0)


def errors(theta, x, y):
    """n R_emp(theta)."""
    return int(np.count_nonzero(predictions(theta, x) != y))


def steps(x):
    """One theta for each way in which the class labels these rows."""
    return np.concatenate([[0.0], np.sort(x)[:-1] + 0.5 * np.diff(np.sort(x)), [1.0]])


def band(n, theta, delta=0.05):
    """The counts of errors among n rows from which R(theta) is not ruled out: exact, by the binomial distribution."""
    least = most = round(n * risk(theta))
    while least > 0 and er.bounds.binomial_interval(least - 1, n, delta)[1] >= risk(theta):
        least -= 1
    while most < n and er.bounds.binomial_interval(most + 1, n, delta)[0] <= risk(theta):
        most += 1
    return least, most


def main() -> None:
    n = 500
    x, y = draw(n, seed=0)
    print(f"{'theta':>6}{'R':>8}{'R_emp':>8}{'J':>8}   {n} rows, delta = 0.05 for all theta at once")
    for theta in np.linspace(0.0, 1.0, 11):
        k = errors(theta, x, y)
        bound = er.bounds.vc_tail(k, n, H)
        print(f"{theta:6.2f}{risk(theta):8.3f}{k / n:8.3f}{bound:8.3f}")
        assert risk(theta) <= bound
    found = min(steps(x), key=lambda theta: errors(theta, x, y))
    print(f"theta-hat {found:.3f}, where R is {risk(found):.3f}; theta* {BEST}, where it is {risk(BEST):.3f}")

    print("\nThe share of wrong predictions is a mean of squares: (1/4n) sum (y - g)^2")
    squares = np.sum((y - predictions(found, x)) ** 2) / (4 * n)
    print(f"{errors(found, x, y) / n:.4f} = {squares:.4f}")
    assert squares == errors(found, x, y) / n

    print("\nThe law of large numbers at theta = 0.6, in the exact band of probability 0.95 at each n")
    for n in (10, 100, 1000, 10000):
        least, most = band(n, 0.6)
        k = errors(0.6, *draw(n, seed=1))
        print(f"{n:6} rows: R_emp {k / n:.4f}, band {least / n:.4f} to {most / n:.4f}, R {risk(0.6):.4f}")


if __name__ == "__main__":
    main()

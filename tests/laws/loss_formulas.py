"""Value, derivative and conjugate of each loss in 80-bit arithmetic, written down a second time for scale = 1.

m = y z, r = z - y, p = -u y; labels of classification are -1 and +1. Conjugates are for u inside their domain.
"""

import math

import numpy as np

LONG = np.longdouble


def xlogx(p):
    return p * np.log(p) if p > 0 else LONG(0)


def _logistic(loss, z, y):
    m = y * z
    return np.log1p(np.exp(-abs(m))) + max(-m, LONG(0)), -y / (1 + np.exp(m))


def _logistic_conjugate(loss, u, y):
    return xlogx(-u * y) + ((1 + u * y) * np.log1p(u * y) if u * y > -1 else LONG(0))


def _squared_hinge(loss, z, y):
    return max(LONG(0), 1 - y * z) ** 2, -2 * y * max(LONG(0), 1 - y * z)


def _hinge(loss, z, y):
    return max(LONG(0), 1 - y * z), (-y if y * z < 1 else LONG(0))


def _smoothed_hinge(loss, z, y):
    g, s = LONG(loss.width), 1 - y * z
    if s <= 0:
        return LONG(0), LONG(0)
    return (s**2 / (2 * g), -y * s / g) if s <= g else (s - g / 2, -y)


def _modified_huber(loss, z, y):
    return _squared_hinge(loss, z, y) if y * z >= -1 else (-4 * y * z, -4 * y)


def _exponential(loss, z, y):
    return np.exp(-y * z), -y * np.exp(-y * z)


def _perceptron(loss, z, y):
    return max(LONG(0), -y * z), (-y if y * z <= 0 else LONG(0))


def _squared(loss, z, y):
    return (z - y) ** 2 / 2, z - y


def _huber(loss, z, y):
    r, d = z - y, LONG(loss.delta)
    return (r**2 / 2, r) if abs(r) <= d else (d * (abs(r) - d / 2), d * np.sign(r))


def _absolute(loss, z, y):
    return abs(z - y), np.sign(z - y)


def _quantile(loss, z, y):
    r, level = y - z, LONG(loss.level)
    return (level * r, -level) if r > 0 else ((1 - level) * -r, (1 - level) * np.sign(-r))


def _epsilon_insensitive(loss, z, y):
    r, e = z - y, LONG(loss.epsilon)
    return max(LONG(0), abs(r) - e), (np.sign(r) if abs(r) > e else LONG(0))


def _squared_epsilon_insensitive(loss, z, y):
    over = _epsilon_insensitive(loss, z, y)[0]
    return over**2, 2 * over * np.sign(z - y)


def _poisson(loss, z, y):
    t = z - np.log(y) if y > 0 else z
    if y > 0 and abs(t) < 0.1:  # the formula cancels: its series
        return y * sum((t**k / math.factorial(k) for k in range(2, 20)), LONG(0)), y * np.expm1(t)
    return np.exp(z) - y * z + xlogx(y) - y, np.exp(z) - y


def _poisson_conjugate(loss, u, y):
    if y == 0:
        return xlogx(u) - u
    return (
        xlogx(1 + u / y) * y + u * (np.log(y) - 1)
        if abs(u) > y / 2
        else (u + y) * np.log1p(u / y) + u * (np.log(y) - 1)
    )


# name -> (value and derivative, conjugate)
FORMULAS = {
    "logistic": (_logistic, _logistic_conjugate),
    "squared_hinge": (_squared_hinge, lambda loss, u, y: u**2 / 4 + u * y),
    "hinge": (_hinge, lambda loss, u, y: u * y),
    "smoothed_hinge": (_smoothed_hinge, lambda loss, u, y: LONG(loss.width) / 2 * u**2 + u * y),
    "modified_huber": (_modified_huber, lambda loss, u, y: u**2 / 4 + u * y),
    "exponential": (_exponential, lambda loss, u, y: xlogx(-u * y) + u * y),
    "perceptron": (_perceptron, lambda loss, u, y: LONG(0)),
    "squared": (_squared, lambda loss, u, y: u**2 / 2 + u * y),
    "huber": (_huber, lambda loss, u, y: u**2 / 2 + u * y),
    "absolute": (_absolute, lambda loss, u, y: u * y),
    "quantile": (_quantile, lambda loss, u, y: u * y),
    "epsilon_insensitive": (_epsilon_insensitive, lambda loss, u, y: u * y + LONG(loss.epsilon) * abs(u)),
    "squared_epsilon_insensitive": (
        _squared_epsilon_insensitive,
        lambda loss, u, y: u**2 / 4 + u * y + LONG(loss.epsilon) * abs(u),
    ),
    "poisson": (_poisson, _poisson_conjugate),
}

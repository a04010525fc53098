"""The losses once more, in ball arithmetic of any length: what the package computes in float64 is judged by these.

m = y z and r = z - y; the scale and the parameters of a loss are read off its fields.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb

from empirisk.capabilities import name_of

Ball = Any  # flint's balls: python-flint has no types
ZERO, ONE = arb(0), arb(1)


def formula(loss: Any) -> Callable[[Ball, Ball], Ball]:
    """loss(z, y), scale included, as a function of z and y."""
    scale, plain = arb(float(loss.scale)), FORMULAS[name_of(loss)]
    return lambda z, y: scale * plain(loss, z, y)


def _positive(x: Ball) -> Ball:
    return x.max(ZERO)


def _huber(loss: Any, z: Ball, y: Ball) -> Ball:
    r, delta = abs(z - y), arb(loss.delta)
    return r * r / 2 if r <= delta else delta * (r - delta / 2)


def _smoothed_hinge(loss: Any, z: Ball, y: Ball) -> Ball:
    slack, width = _positive(1 - y * z), arb(loss.width)
    return slack * slack / (2 * width) if slack <= width else slack - width / 2


def _modified_huber(loss: Any, z: Ball, y: Ball) -> Ball:
    m = y * z
    return -4 * m if m < -1 else _positive(1 - m) ** 2


def _quantile(loss: Any, z: Ball, y: Ball) -> Ball:
    level = arb(loss.level)
    return (level * (y - z)).max((level - 1) * (y - z))


def _logistic(loss: Any, z: Ball, y: Ball) -> Ball:
    m = y * z
    return (-abs(m)).exp().log1p() + _positive(-m)


def _poisson(loss: Any, z: Ball, y: Ball) -> Ball:
    return z.exp() - y - (y * (z - y.log()) if y > 0 else ZERO)


FORMULAS: dict[str, Callable[[Any, Ball, Ball], Ball]] = {
    "squared": lambda loss, z, y: (z - y) ** 2 / 2,
    "absolute": lambda loss, z, y: abs(z - y),
    "huber": _huber,
    "quantile": _quantile,
    "epsilon_insensitive": lambda loss, z, y: _positive(abs(z - y) - arb(loss.epsilon)),
    "squared_epsilon_insensitive": lambda loss, z, y: _positive(abs(z - y) - arb(loss.epsilon)) ** 2,
    "poisson": _poisson,
    "logistic": _logistic,
    "exponential": lambda loss, z, y: (-y * z).exp(),
    "hinge": lambda loss, z, y: _positive(1 - y * z),
    "squared_hinge": lambda loss, z, y: _positive(1 - y * z) ** 2,
    "smoothed_hinge": _smoothed_hinge,
    "modified_huber": _modified_huber,
    "perceptron": lambda loss, z, y: _positive(-y * z),
}

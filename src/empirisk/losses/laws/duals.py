"""Laws of the conjugate, the dual step and the prox."""

from __future__ import annotations

import math

from empirisk.capabilities import is_convex, offers
from empirisk.losses.laws.probe import EPS, Probe, call, place
from empirisk.losses.laws.values import FAR

SHARES = (1.0, 0.5, -0.5, 1.5)  # of a derivative: u within the domain of the conjugate, and perhaps outside
EXACT = 1e-10  # of the terms of an equation


def conjugate(probe: Probe) -> None:
    """Fenchel-Young: value(z) + conjugate(u) >= u z, with equality where u is the derivative at z."""
    if not _has(probe, "conjugate"):
        return
    y, values = probe.label, {z: probe.value(z) for z in (*probe.scores[::3], *FAR)}
    at_zero = call(probe.loss, "conjugate", 0.0, y)
    if at_zero == math.inf and min(values[z] for z in FAR) >= min(values.values()):
        raise probe.refusal(f"conjugate is infinite{place('conjugate', 0.0, y)}, but value has a least value there")
    for z in probe.scores[::2]:
        u, value = probe.derivative(z), probe.value(z)
        found, expected = call(probe.loss, "conjugate", u, y), u * z - value
        size = abs(value) + abs(u * z) + abs(u * y) + probe.unit
        if not abs(found - expected) <= EXACT * size:
            raise probe.refusal(
                f"conjugate is {found:.6g}{place('conjugate', u, y)}, but u is the derivative at z = {z:g}, "
                f"so it must be u z - value = {expected:.6g}"
            )
        for share in SHARES:
            _no_smaller_than_lines(probe, share * u, values)
        between = call(probe.loss, "conjugate", 0.5 * u, y)
        if between > 0.5 * (found + at_zero) + EXACT * size:
            raise probe.refusal(
                f"conjugate is {between:.6g}{place('conjugate', 0.5 * u, y)}, above the mean of its values at "
                f"0 and {u:.6g}: a conjugate is convex"
            )


def _no_smaller_than_lines(probe: Probe, u: float, values: dict[float, float]) -> None:
    """conjugate(u) >= u z - value(z) for every z."""
    found = call(probe.loss, "conjugate", u, probe.label)
    for z, value in values.items():
        size = abs(value) + abs(u * z) + abs(u * probe.label) + probe.unit
        if not found >= u * z - value - EXACT * size:
            raise probe.refusal(
                f"conjugate is {found:.6g}{place('conjugate', u, probe.label)}, below u z - value = "
                f"{u * z - value:.6g} at z = {z:g}; outside its domain it must be infinite"
            )


def dual_step(probe: Probe) -> None:
    """With t the dual step and x = z + q (t - u), -t is a derivative at x."""
    if not _has(probe, "dual_step"):
        return
    near = [z for z in probe.scores if abs(z) <= 10.0]
    for z in near[::7]:
        for u in [0.0] + [-share * probe.derivative(at) for at in near[::17] for share in (0.5, 1.0)]:
            for q in (0.0, 1e-3, 1.0, 1e3):
                t = call(probe.loss, "dual_step", u, z, probe.label, q)
                x = z + q * (t - u)
                off = 1e-7 * (1.0 + abs(x) + abs(probe.label)) + 1e-10 * q * (abs(t) + abs(u))
                if not _is_derivative(probe, -t, x, off, 0.0):
                    raise probe.refusal(
                        f"dual_step is {t:.6g}{place('dual_step', u, z, probe.label, q)}, but minus that is no "
                        f"derivative at z + q (t - u) = {x:.6g}, where it is {probe.derivative(x):.6g}"
                    )


def prox(probe: Probe) -> None:
    """With x the prox of z, (z - x) / step is a derivative at x."""
    if not _has(probe, "prox"):
        return
    for z in [z for z in probe.scores if abs(z) <= 10.0][::2]:
        for step in (1e-2, 1.0, 1e2):
            x = call(probe.loss, "prox", z, probe.label, step)
            off = 1e-7 * (1.0 + abs(x) + abs(probe.label))
            if not _is_derivative(probe, (z - x) / step, x, off, 64.0 * EPS * (abs(z) + abs(x)) / step):
                raise probe.refusal(
                    f"prox is {x:.6g}{place('prox', z, probe.label, step)}, but (z - x) / step = "
                    f"{(z - x) / step:.6g} is no derivative at x, where it is {probe.derivative(x):.6g}"
                )


def _has(probe: Probe, method: str) -> bool:
    return is_convex(probe.loss) and offers(probe.loss, method)


def _is_derivative(probe: Probe, slope: float, x: float, off: float, rounding: float) -> bool:
    """Whether `slope` is a subderivative at a point within `off` of x."""
    low, high = probe.derivative(x - off), probe.derivative(x + off)
    pad = 1e-6 * (abs(low) + abs(high)) + 1e-9 * probe.unit + rounding
    return low - pad <= slope <= high + pad

"""Laws of the value, its derivatives, and what is declared about them."""

from __future__ import annotations

import math

import numpy as np

from empirisk.capabilities import has_kinks, is_convex, offers
from empirisk.losses.laws.probe import EPS, Probe, call, place

STEP = 1e-6  # of finite differences
FAR = (-1e6, -1e3, 1e3, 1e6)
ASIDE = 4e-15  # how far from a kink its sides are looked at


def finite(probe: Probe) -> None:
    """Values and derivatives are finite at moderate scores."""
    for z in probe.scores:
        for method, result in (("value", probe.value(z)), ("derivative", probe.derivative(z))):
            if not math.isfinite(result):
                raise probe.refusal(f"{method} is {result}{place(method, z, probe.label)}")


def slopes(probe: Probe) -> None:
    """The derivative lies between the slopes of the value to the left and to the right."""
    for z in probe.scores:
        h = STEP * max(1.0, abs(z))
        here, left, right = (probe.value(x) for x in (z, z - h, z + h))
        low, high = sorted(((here - left) / h, (right - here) / h))
        rounding = 64.0 * EPS * (max(abs(here), abs(left), abs(right)) + probe.unit) / h
        pad = 1e-6 * max(abs(low), abs(high)) + rounding
        slope = probe.derivative(z)
        if not low - pad <= slope <= high + pad:
            found = f"{low:.6g}" if high - low <= 1e-3 * (abs(low) + abs(high)) else f"from {low:.6g} to {high:.6g}"
            where = place("derivative", z, probe.label)
            raise probe.refusal(f"derivative is {slope:.6g}{where}, where the slope of value is {found}")


def kinks(probe: Probe) -> None:
    """A derivative that jumps is declared with has_kinks()."""
    if has_kinks(probe.loss):
        return
    size = max(abs(probe.derivative(z)) for z in probe.scores if abs(z) <= 3.0)
    for low, high in zip(probe.scores, probe.scores[1:], strict=False):
        at_low, at_high = probe.derivative(low), probe.derivative(high)
        while abs(at_high - at_low) > 1e-6 * (size + abs(at_low) + abs(at_high)):
            if high - low <= ASIDE * max(1.0, abs(low), abs(high)):
                where = place("derivative", high, probe.label)
                jump = f"derivative jumps from {at_low:.6g} to {at_high:.6g}{where}"
                raise probe.refusal(f"{jump}: declare it with has_kinks(), which returns True")
            middle = 0.5 * (low + high)
            at_middle = probe.derivative(middle)
            if abs(at_middle - at_low) >= abs(at_high - at_middle):
                high, at_high = middle, at_middle
            else:
                low, at_low = middle, at_middle


def convexity(probe: Probe) -> None:
    """The value lies below its chords, unless is_convex() says no."""
    if not is_convex(probe.loss):
        return
    for a, b in probe.pairs():
        middle = 0.5 * (a + b)
        value, chord = probe.value(middle), 0.5 * (probe.value(a) + probe.value(b))
        if value > chord + 64.0 * EPS * (abs(probe.value(a)) + abs(probe.value(b)) + probe.unit):
            raise probe.refusal(
                f"not convex: value is {value:.6g}{place('value', middle, probe.label)}, above the chord from "
                f"z = {a:g} to z = {b:g}, {chord:.6g}; if that is meant, declare is_convex(), which returns False"
            )


def second_derivative(probe: Probe) -> None:
    """The second derivative lies between the slopes of the derivative to the left and to the right."""
    if not offers(probe.loss, "second_derivative"):
        return
    for z in probe.scores:
        h = 10.0 * STEP * max(1.0, abs(z))
        here, left, right = (probe.derivative(x) for x in (z, z - h, z + h))
        low, high = sorted(((here - left) / h, (right - here) / h))
        rounding = 64.0 * EPS * (max(abs(here), abs(left), abs(right)) + probe.unit) / h
        pad = 1e-4 * max(abs(low), abs(high)) + rounding
        curve = call(probe.loss, "second_derivative", z, probe.label)
        if not low - pad <= curve <= high + pad:
            where = place("second_derivative", z, probe.label)
            middle = f"{0.5 * (low + high):.6g}"
            raise probe.refusal(f"second_derivative is {curve:.6g}{where}, where the slope of derivative is {middle}")


def smoothness(probe: Probe) -> None:
    """The derivative changes by at most smoothness() times the distance."""
    if not offers(probe.loss, "smoothness"):
        return
    bound = call(probe.loss, "smoothness")
    if not 0.0 <= bound < math.inf:
        raise probe.refusal(f"smoothness() is {bound}; without a bound on the second derivative, leave it out")
    for a, b in [*probe.pairs(), *((z, z + 1e-4) for z in probe.scores)]:
        change = abs(probe.derivative(b) - probe.derivative(a))
        rounding = 64.0 * EPS * (abs(probe.derivative(a)) + bound * (abs(a) + abs(b) + abs(probe.label)))
        if change > bound * (b - a) * (1.0 + 1e-9) + rounding:
            raise probe.refusal(
                f"smoothness() is {bound:.6g}, but the derivative changes by {change:.6g} from z = {a:g} to "
                f"z = {b:g}, y = {probe.label:g}, {change / (b - a):.6g} times the distance"
            )


def lower_bound(probe: Probe) -> None:
    """Values lie above lower_bound(), 0 unless given; a conjugate says more."""
    if offers(probe.loss, "conjugate"):
        return
    given = offers(probe.loss, "lower_bound")
    bound = call(probe.loss, "lower_bound") if given else 0.0
    for z in (*probe.scores, *FAR):
        value = probe.value(z)
        if not value >= bound - 64.0 * EPS * (abs(bound) + probe.unit):
            least = f"lower_bound(), {bound:.6g}" if given else "0: give a lower_bound() of the values"
            raise probe.refusal(f"value is {value:.6g}{place('value', z, probe.label)}, below {least}")


def pieces(probe: Probe) -> None:
    """The largest of the pieces is the value, for one label and for an array of them."""
    if not offers(probe.loss, "pieces"):
        return
    many = np.full(3, probe.label)
    for z in probe.scores:
        try:
            lines = [(float(slope) * z, float(offset)) for slope, offset in probe.loss.pieces(probe.label)]
            arrays = [np.broadcast_to(slope * z + offset, many.shape) for slope, offset in probe.loss.pieces(many)]
        except Exception as error:
            raise probe.refusal(f"pieces(y) must give pairs of numbers, and of arrays for an array: {error}") from error
        value, largest = probe.value(z), max(rise + offset for rise, offset in lines)
        size = max(abs(rise) + abs(offset) for rise, offset in lines) + abs(value)
        for found in (largest, *np.max(arrays, axis=0).tolist()):
            if not abs(found - value) <= 1e-12 * size:
                where = place("value", z, probe.label)
                raise probe.refusal(f"the largest of the pieces is {found:.6g}{where}, where value is {value:.6g}")

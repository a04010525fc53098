"""A loss compiles, and its machine code gives what the interpreter gives."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np

from empirisk.capabilities import offers
from empirisk.compiled import adopt, kernel
from empirisk.losses.laws.probe import EPS, Probe, call, place, refusal
from empirisk.protocols import Vector

LARGE = [sign * size for size in (100.0, 1e3, 1e6, 1e12, 1e100, 1e300) for sign in (-1.0, 1.0)]


def compiles(probes: list[Probe]) -> None:
    """Every method that kernels call, at the scores of the grid."""
    loss = probes[0].loss
    adopt(loss)
    for probe in probes:
        z = np.array(probe.scores)
        y, u = np.full(z.size, probe.label), np.array([-0.5 * probe.derivative(x) for x in probe.scores])
        ones, room = np.ones(z.size), 1e-12 * probe.unit
        _compare(probe, "value", (z, y), room)
        _compare(probe, "derivative", (z, y), room)
        _compare(probe, "second_derivative", (z, y), room)
        _compare(probe, "conjugate", (-u, y), room + 1e-12 * float(np.max(np.abs(u * y))))
        _compare(probe, "dual_step", (u, z, y, ones), 1e-9 * (1.0 + float(np.max(np.abs(u)))))
        _compare(probe, "prox", (z, y, ones), 1e-9 * (1.0 + float(np.max(np.abs(z)))))


def without_nan(probe: Probe) -> None:
    """Scores as large as solvers meet on the way give no NaN; infinity is an honest answer."""
    z = np.array(LARGE)
    for method in ("value", "derivative"):
        try:
            results = run(probe.loss, method, (z, np.full(z.size, probe.label)))
        except OverflowError:  # interpreted, where NUMBA_DISABLE_JIT is set: machine code gives infinity
            continue
        for x in z[np.isnan(results)].tolist():
            raise probe.refusal(f"{method} is nan{place(method, x, probe.label)}")


def _compare(probe: Probe, method: str, columns: tuple[Vector, ...], room: float) -> None:
    if not offers(probe.loss, method):
        return
    results = run(probe.loss, method, columns)
    rows = zip(results.tolist(), *(column.tolist() for column in columns), strict=True)
    for result, *arguments in rows:
        expected = call(probe.loss, method, *arguments)
        if result == expected or abs(result - expected) <= 1e-9 * abs(expected) + room:
            continue
        # Machine code may round otherwise, and so land on the other side of a kink.
        aside = [x + sign * 16.0 * EPS * (1.0 + abs(x)) for x in arguments[:1] for sign in (-1.0, 1.0)]
        sides = [call(probe.loss, method, x, *arguments[1:]) for x in aside]
        if not min(sides) - room <= result <= max(sides) + room:
            said = f"{method} is {result:.10g} compiled and {expected:.10g} interpreted"
            raise probe.refusal(f"{said}{place(method, *arguments)}")


def run(loss: Any, method: str, columns: tuple[Vector, ...]) -> Vector:
    """The results of a method for columns of arguments, by machine code."""
    out = np.empty(columns[0].size)
    try:
        KERNELS[method](loss, *columns, out)
    except OverflowError:
        raise
    except Exception as error:
        raise refusal(loss, f"{method} cannot be compiled: {reason_of(str(error))}") from error
    return out


def reason_of(text: str) -> str:
    """The line of Numba's text that names the cause, and the line of the source it is about."""
    last = re.split(r"Failed in \w+ mode pipeline \(step: [^)]*\)\s*", text)[-1]
    lines = [line.strip() for line in last.splitlines() if line.strip()]
    reason = lines[0] if lines else text
    source = next(
        filter(None, map(re.compile(r'File "(.*)", line (\d+)').search, itertools.islice(lines, 1, None))), None
    )
    return reason + (f" (line {source[2]} of {source[1].rpartition('/')[2]})" if source else "")


@kernel
def _values(loss, z, y, out):
    for i in range(out.size):
        out[i] = loss.value(z[i], y[i])


@kernel
def _derivatives(loss, z, y, out):
    for i in range(out.size):
        out[i] = loss.derivative(z[i], y[i])


@kernel
def _second_derivatives(loss, z, y, out):
    for i in range(out.size):
        out[i] = loss.second_derivative(z[i], y[i])


@kernel
def _conjugates(loss, u, y, out):
    for i in range(out.size):
        out[i] = loss.conjugate(u[i], y[i])


@kernel
def _dual_steps(loss, u, z, y, q, out):
    for i in range(out.size):
        out[i] = loss.dual_step(u[i], z[i], y[i], q[i])


@kernel
def _proxes(loss, z, y, step, out):
    for i in range(out.size):
        out[i] = loss.prox(z[i], y[i], step[i])


KERNELS = {
    "value": _values,
    "derivative": _derivatives,
    "second_derivative": _second_derivatives,
    "conjugate": _conjugates,
    "dual_step": _dual_steps,
    "prox": _proxes,
}

"""The minimiser of a quadratic with a matrix plus an Omega that is known by its prox in a diagonal metric.

The model is  m(x) = <g, x - x_0> + 1/2 (x - x_0)^T H (x - x_0) + Omega(x). With D the diagonal of H and h = L D, L a
bound on the eigenvalues of D^-1/2 H D^-1/2, one proximal step is  T(x) = prox_h(x - (g + H (x - x_0)) / h), and the
minimiser is where T(x) = x. A Newton step on that equation, with the derivative of the prox by differences, solves
one system of d equations and lands on the minimiser once the constraints that bind are known, whatever the scales and
correlations of the columns. It is kept where it lowers the model; where not, accelerated proximal steps of d^2
operations each go on. Where Omega is a set, this is the projection in the norm of H.
References: Beck and Teboulle (2009); O'Donoghue and Candes (2015); Li, Sun and Toh (2018).
"""

from __future__ import annotations

import math

import numpy as np

from empirisk.arithmetic.copying import copy_to
from empirisk.compiled import kernel

FIRST_STEPS, MORE_STEPS = 10, 2  # accelerated steps where a Newton step fails, and their factor from one to the next
MOST_STEPS = 20_000  # accelerated steps on one model
MOST_NEWTON = 100  # Newton steps on one model
NEAR = 1e-7  # of the size of the point: the difference that gives the derivative of the prox
RIDGE = 1e-13  # added to the eigenvalues of the scaled matrix, which are at most 1
ROUNDING = 1e-15  # of the size of the point, and of the value of the model


@kernel
def minimize_quadratic(matrix, v, step, omega, w):
    """Write the minimiser of <v, w> + step Omega(w) + 1/2 <w, matrix w>, where w is a guess, to the limit of rounding.

    Where the matrix is singular there may be many: it is one of them.
    """
    size = w.size
    H, g, h = np.empty((size, size)), np.empty(size), np.empty(size)
    for j in range(size):
        g[j] = v[j] / step
        for k in range(size):
            H[j, k] = matrix[j, k] / step
            g[j] += H[j, k] * w[k]
    metric_of(H, np.zeros(size), h)
    start, new, target = w.copy(), np.empty(size), np.empty(size)
    slope, shifted, ahead = np.empty(size), np.empty(size), np.empty(size)
    count, taken = FIRST_STEPS, 0
    _, value, moved = proximal_step(omega, H, g, start, h, w, slope, shifted, ahead)
    for _ in range(MOST_NEWTON):
        if not moved > ROUNDING:
            break
        newton_target(omega, H, h, w, shifted, ahead, target)
        proximal_step(omega, H, g, start, h, target, slope, shifted, new)  # inside of the set
        _, found, left = proximal_step(omega, H, g, start, h, new, slope, shifted, ahead)
        if not is_better(found, left, value, moved):
            copy_to(w, new)
            accelerate(omega, H, g, start, h, new, count)
            _, found, left = proximal_step(omega, H, g, start, h, new, slope, shifted, ahead)
            taken += count
            count *= MORE_STEPS
            if not is_better(found, left, value, moved) or taken > MOST_STEPS:
                break
        copy_to(new, w)
        value, moved = found, left
    if not math.isfinite(value):  # outside along a column that is next to nothing in the matrix: T(w) is inside
        copy_to(ahead, w)


@kernel
def is_better(value, moved, than_value, than_moved):
    """Lower; or as low up to rounding, and closer to a fixed point."""
    if value < than_value:
        return True
    return value <= than_value + ROUNDING * abs(than_value) and moved < 0.5 * than_moved


@kernel
def metric_of(H, least, out):
    """Write h, from the diagonal of H, which counts as `least` where it is less."""
    top = 0.0
    for j in range(out.size):
        out[j] = max(H[j, j], least[j])
        top = max(top, out[j])
    for j in range(out.size):
        if not out[j] > 0.0:
            out[j] = top if top > 0.0 else 1.0
    largest = 1.0
    for j in range(out.size):
        total = 0.0
        for k in range(out.size):
            total += abs(H[j, k]) / math.sqrt(out[k])
        largest = max(largest, total / math.sqrt(out[j]))
    for j in range(out.size):
        out[j] *= largest


@kernel
def newton_target(omega, H, h, x, shifted, ahead, out):
    """Write x + p with (I - J (I - H / h)) p = T(x) - x, J the derivative of the prox at the shifted point.

    In the units sqrt(h) x, in which J is symmetric and neither exceeds 1. Where there is no such p, it is T(x).
    """
    size = x.size
    roots = np.sqrt(h)
    J, scaled, system = np.empty((size, size)), np.empty((size, size)), np.zeros((size, size + 1))
    derivatives(omega, h, roots, shifted, ahead, J)
    for j in range(size):
        for k in range(size):
            scaled[j, k] = H[j, k] / roots[j] / roots[k]
        scaled[j, j] += RIDGE - 1.0
    for j in range(size):
        for i in range(size):
            slope = J[i, j]
            if slope != 0.0:
                for k in range(size):
                    system[j, k] += slope * scaled[i, k]
        system[j, j] += 1.0
        system[j, size] = roots[j] * (ahead[j] - x[j])
    is_solved = solve_in_place(system)
    for j in range(size):
        out[j] = x[j] + system[j, size] / roots[j] if is_solved else ahead[j]


@kernel
def solve_in_place(system):
    """Gauss: the last column becomes the solution; says whether there is one in finite numbers."""
    size = system.shape[0]
    for j in range(size):
        best = j
        for i in range(j + 1, size):
            if abs(system[i, j]) > abs(system[best, j]):
                best = i
        if not (abs(system[best, j]) > 0.0 and math.isfinite(system[best, j])):
            return False
        for k in range(j, size + 1):
            system[j, k], system[best, k] = system[best, k], system[j, k]
        for i in range(j + 1, size):
            share = system[i, j] / system[j, j]
            if share != 0.0:
                for k in range(j, size + 1):
                    system[i, k] -= share * system[j, k]
    for j in range(size - 1, -1, -1):
        for k in range(j + 1, size):
            system[j, size] -= system[j, k] * system[k, size]
        system[j, size] /= system[j, j]
        if not math.isfinite(system[j, size]):
            return False
    return True


@kernel
def proximal_step(omega, H, g, start, h, x, slope, shifted, out):
    """T(x) in `out`; the model without and with Omega, and the size of T(x) - x relative to that of x."""
    size = x.size
    change = x - start
    smooth = 0.0
    for j in range(size):
        total = g[j]
        line = H[j]
        for k in range(size):
            total += line[k] * change[k]
        slope[j] = total
        shifted[j] = x[j] - total / h[j]
        smooth += 0.5 * (g[j] + total) * change[j]
    omega.prox_scaled(shifted, h, out)
    moved = 0.0
    length = 0.0
    for j in range(size):
        moved += h[j] * (out[j] - x[j]) * (out[j] - x[j])
        length += h[j] * max(x[j] * x[j], out[j] * out[j])
    return smooth, smooth + omega.value(x), math.sqrt(moved / length) if length > 0.0 else 0.0


@kernel
def accelerate(omega, H, g, start, h, x, count):
    """FISTA from x in place, with a restart wherever the momentum points uphill."""
    size = x.size
    base = x.copy()
    shifted = np.empty(size)
    new = np.empty(size)
    theta = 1.0
    for _ in range(count):
        for j in range(size):
            total = g[j]
            line = H[j]
            for k in range(size):
                total += line[k] * (base[k] - start[k])
            shifted[j] = base[j] - total / h[j]
        omega.prox_scaled(shifted, h, new)
        uphill = 0.0
        for j in range(size):
            uphill += h[j] * (base[j] - new[j]) * (new[j] - x[j])
        theta = 1.0 if uphill > 0.0 else theta
        after = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * theta * theta))
        beta = (theta - 1.0) / after
        theta = after
        for j in range(size):
            base[j] = new[j] + beta * (new[j] - x[j])
            x[j] = new[j]


@kernel
def derivatives(omega, h, roots, shifted, here, out):
    """Row j: the derivative of sqrt(h) prox_h(p) in sqrt(h_j) p_j, at p = `shifted`, where the prox is `here`."""
    size = shifted.size
    length = 0.0
    for j in range(size):
        length += h[j] * max(shifted[j] * shifted[j], here[j] * here[j])
    near = NEAR * math.sqrt(length)
    p = shifted.copy()
    for j in range(size):
        p[j] = shifted[j] + near / roots[j]
        step = (p[j] - shifted[j]) * roots[j]
        omega.prox_scaled(p, h, out[j])
        for k in range(size):
            out[j, k] = roots[k] * (out[j, k] - here[k]) / step
        p[j] = shifted[j]

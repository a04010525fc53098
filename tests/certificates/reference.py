"""Slow oracles in extended precision: the objective, and its minimum."""

import numpy as np

LONG = np.longdouble


def risk(name, z, y):
    """Losses in 80-bit arithmetic."""
    m = y * z
    if name == "logistic":
        return np.log1p(np.exp(-np.abs(m))) + np.maximum(-m, 0)
    if name == "hinge":
        return np.maximum(0, 1 - m)
    if name == "squared_hinge":
        return np.maximum(0, 1 - m) ** 2
    return (z - y) ** 2 / 2


def objective(name, X, y, s, l1, l2, w, b):
    """P(w, b) in 80-bit arithmetic."""
    X, y, s, w = (np.asarray(a, dtype=LONG) for a in (X, y, s, w))
    z = np.array([np.sum(row * w) for row in X], dtype=LONG) + LONG(b)
    return np.sum(s * risk(name, z, y)) / np.sum(s) + LONG(l1) * np.sum(np.abs(w)) + LONG(l2) / 2 * np.sum(w * w)


def polish(name, X, y, s, l2, w, b, intercept):
    """Newton steps in 80-bit arithmetic from a good start (smooth losses, l1 = 0); returns the best objective."""
    A = np.column_stack([X, np.ones(len(y))]) if intercept else np.asarray(X)
    A, y, s = A.astype(LONG), np.asarray(y, LONG), np.asarray(s, LONG) / np.sum(np.asarray(s, LONG))
    x = np.append(w, b).astype(LONG) if intercept else np.asarray(w, LONG)
    penalty = np.full(x.size, LONG(l2))
    if intercept:
        penalty[-1] = 0
    for _ in range(8):
        z = np.array([np.sum(row * x) for row in A], dtype=LONG)
        m = y * z
        if name == "logistic":
            p = 1 / (1 + np.exp(m))
            g, h = -y * p, p * (1 - p)
        elif name == "squared_hinge":
            g, h = -2 * y * np.maximum(0, 1 - m), 2.0 * (m < 1)
        else:
            g, h = z - y, np.ones_like(z)
        gradient = (A * (s * g)[:, None]).sum(axis=0) + penalty * x
        hessian = (A[:, :, None] * A[:, None, :] * (s * h)[:, None, None]).sum(axis=0) + np.diag(penalty)
        x = x - np.linalg.solve(hessian.astype(float), gradient.astype(float)).astype(LONG)
    w, b = (x[:-1], x[-1]) if intercept else (x, LONG(0))
    return objective(name, X, y, s, 0, l2, w, b)

"""The same problems, written for a conic solver: an oracle from outside."""

import cvxpy
import numpy as np

LOSSES = {
    "logistic": lambda z, y: cvxpy.logistic(-cvxpy.multiply(y, z)),
    "hinge": lambda z, y: cvxpy.pos(1 - cvxpy.multiply(y, z)),
    "squared_hinge": lambda z, y: cvxpy.square(cvxpy.pos(1 - cvxpy.multiply(y, z))),
    "squared": lambda z, y: cvxpy.square(z - y) / 2,
    "perceptron": lambda z, y: cvxpy.pos(-cvxpy.multiply(y, z)),
    "smoothed_hinge": lambda z, y: cvxpy.huber(cvxpy.pos(1 - cvxpy.multiply(y, z)), 1.0) / 2,
    "exponential": lambda z, y: cvxpy.exp(-cvxpy.multiply(y, z)),
    "modified_huber": lambda z, y: cvxpy.huber(cvxpy.pos(1 - cvxpy.multiply(y, z)), 2.0),
    "absolute": lambda z, y: cvxpy.abs(z - y),
    "huber": lambda z, y: cvxpy.huber(z - y, 1.0) / 2,
    "quantile": lambda z, y: 0.5 * cvxpy.abs(z - y),
    "epsilon_insensitive": lambda z, y: cvxpy.pos(cvxpy.abs(z - y) - 0.1),
    "squared_epsilon_insensitive": lambda z, y: cvxpy.square(cvxpy.pos(cvxpy.abs(z - y) - 0.1)),
    "poisson": lambda z, y: cvxpy.exp(z) - cvxpy.multiply(y, z) - y + y * np.log(np.maximum(y, 1e-300)),
}

CONSTRAINTS = {
    None: lambda w: [],
    "l2_ball:radius=0.5": lambda w: [cvxpy.norm2(w) <= 0.5],
    "l1_ball:radius=0.5": lambda w: [cvxpy.norm1(w) <= 0.5],
    "simplex": lambda w: [w >= 0, cvxpy.sum(w) == 1],
    "box": lambda w: [w >= 0],
    "box:low=-0.2,high=0.3": lambda w: [w >= -0.2, w <= 0.3],
    "half_space": lambda w: [w @ [1.0, 2.0, -1.0, 0.5] <= -1.0],
    "half_space_alone": lambda w: [w @ [1.0, 2.0, -1.0, 0.5] <= -1.0],
    "entropy": lambda w: [w >= 0, cvxpy.sum(w) == 1],
}

# Beside l1 and l2. The entropy is counted from its least value on the simplex.
PENALTIES = {
    "entropy": lambda w: -0.1 * cvxpy.sum(cvxpy.entr(w)) + 0.1 * np.log(w.size),
    "groups": lambda w: 0.05 * np.sqrt(2) * (cvxpy.norm2(w[[0, 3]]) + cvxpy.norm2(w[[1, 2]])),
}
PENALTIES["groups_alone"] = PENALTIES["groups"]


def minimum(loss, X, y, s, l1, l2, intercept, constraint=None):
    """The least objective, by an interior point method; `constraint` names a constraint or a further penalty."""
    w, b = cvxpy.Variable(X.shape[1]), cvxpy.Variable()
    z = X @ w + (b if intercept else 0.0)
    s = np.ones(len(y)) if s is None else s
    risk = cvxpy.sum(cvxpy.multiply(s, LOSSES[loss](z, y))) / s.sum()
    objective = risk + l2 / 2 * cvxpy.sum_squares(w) + l1 * cvxpy.norm1(w)
    objective += PENALTIES[constraint](w) if constraint in PENALTIES else 0.0
    constraints = CONSTRAINTS[constraint](w) if constraint in CONSTRAINTS else []
    return cvxpy.Problem(cvxpy.Minimize(objective), constraints).solve(solver="CLARABEL")

"""Losses of a vector of scores, one score a class, and the protocol they follow.

A vector loss is a named tuple (float fields, or other losses) with ordinary methods, like the losses of one score.
With z the K scores, k the number of the true class and arrays of K floats to write to:

    value(z, k)                        the loss
    gradient(z, k, out)                writes the gradient in z, returns the value
    curvature(z, k, out)               writes K numbers that describe the Hessian at z
    hessian_product(c, a, out)         writes the Hessian times a, where c is what `curvature` wrote; out may be a
    conjugate(u, k)                    the supremum over z of <u, z> - loss(z, k)
    dual_step(u, z, k, q)              replaces u by the t that maximises -loss*(-t, k) - <z, t - u> - q/2 ||t - u||^2
    smoothness()                       a bound on the eigenvalues of the Hessian
    splits()                           whether it is a sum over classes of losses of one score each
    has_kinks(), is_convex()           as for losses of one score

A separable loss also takes a range of the classes: classes are then counted from the first of them, and a k
outside says that the true class is none of these.
`value`, `gradient` and `conjugate` are accurate to a few units in the last place of |result| + K |u|.
"""

from empirisk.vector_losses.one_versus_rest import OneVersusRest
from empirisk.vector_losses.softmax import Softmax

__all__ = ["OneVersusRest", "Softmax"]

"""What a loss, a regularizer, a design, a problem, a point, a solver and a certificate must offer, and the glossary.

Nothing inherits from these classes: a named tuple with the right methods belongs. Methods listed as
optional make it eligible for more solvers; each solver names the ones it needs in `needs`, and
`capabilities.missing` checks them once, before the loop.

Glossary, for kernels and formulas:
    w weights, b intercept, z score <w, x> + b, y label, s sample weight, S sum of the s_i,
    u dual variable (-u_i is a derivative of the loss at z_i), v = (1/S) sum_i s_i u_i x_i,
    X design, i row, j column, n rows, d columns
"""

from empirisk.protocols.arrays import Array, Matrix, Vector
from empirisk.protocols.certificates import Certificate, Headline, OptimalityCertificate, Verification, Words
from empirisk.protocols.parts import Design, Learner, Loss, Regularizer
from empirisk.protocols.runs import CompleteProblem, Point, Problem, Progress, Solver, Unsupported

__all__ = [
    "Array",
    "Certificate",
    "CompleteProblem",
    "Design",
    "Headline",
    "Learner",
    "Loss",
    "Matrix",
    "OptimalityCertificate",
    "Point",
    "Problem",
    "Progress",
    "Regularizer",
    "Solver",
    "Unsupported",
    "Vector",
    "Verification",
    "Words",
]

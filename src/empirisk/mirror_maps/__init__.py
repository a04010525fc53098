"""Mirror maps, a file each: strictly convex functions psi, and the geometry of steps that they make.

A map offers value(w), gradient(w, out), inverse(v, out), divergence(u, w) = psi(u) - psi(w) - <grad psi(w), u - w>,
minimizer(v, step, omega, out), the w that minimises <v, w> + step Omega(w) + psi(w), dual_square(X, i), the square of
the dual norm of a row, and modulus(), its strong convexity in its norm. `MIRROR_MAPS` is their registry.
"""

from typing import Any

from empirisk.capabilities import by_name
from empirisk.mirror_maps.entropic import Entropic
from empirisk.mirror_maps.euclidean import Euclidean
from empirisk.mirror_maps.signed_entropic import SignedEntropic

__all__ = ["MIRROR_MAPS", "Entropic", "Euclidean", "SignedEntropic"]

MIRROR_MAPS: dict[str, Any] = by_name(Euclidean, Entropic, SignedEntropic)

"""Mirror maps, a file each: strictly convex functions psi, and the geometry of steps that they make.

A map offers value(w), gradient(w, out), inverse(v, out), divergence(u, w) = psi(u) - psi(w) - <grad psi(w), u - w>,
project(constraint, w, out), the point x of the set with the least divergence(x, w), norm(w), dual_norm(v), and
modulus(), its strong convexity in the norm. For steps it has minimizer(v, step, omega, out), the w that minimises
<v, w> + step Omega(w) + psi(w), and dual_square(X, i), the square of the dual norm of a row. `MIRROR_MAPS` is their
registry.
"""

from __future__ import annotations

from typing import Any

from empirisk.capabilities import by_name, optional
from empirisk.mirror_maps.diagonal_quadratic import DiagonalQuadratic
from empirisk.mirror_maps.entropic import Entropic
from empirisk.mirror_maps.euclidean import Euclidean
from empirisk.mirror_maps.matrix_quadratic import MatrixQuadratic
from empirisk.mirror_maps.signed_entropic import SignedEntropic
from empirisk.texts import has_text, parse

__all__ = [
    "MIRROR_MAPS",
    "DiagonalQuadratic",
    "Entropic",
    "Euclidean",
    "MatrixQuadratic",
    "SignedEntropic",
    "as_mirror_map",
]

MIRROR_MAPS: dict[str, Any] = by_name(Euclidean, Entropic, SignedEntropic, DiagonalQuadratic, MatrixQuadratic)


def as_mirror_map(spec: Any) -> Any:
    """A mirror map from a text ('entropic', 'diagonal_quadratic(1;0.5)', a matrix row after row) or from one itself."""
    mirror = _parse(spec) if isinstance(spec, str) else spec
    if type(mirror) not in MIRROR_MAPS.values():
        raise ValueError(f"mirror_map must be {_choices()}, or one of empirisk.mirror_maps, got {spec!r}")
    own = optional(mirror, "checked")
    return mirror if own is None else own()


def _choices() -> str:
    return "one of " + ", ".join(name if has_text(cls) else f"{name}(...)" for name, cls in MIRROR_MAPS.items())


def _parse(text: str) -> Any:
    name, bracket, rest = text.partition("(")
    cls = MIRROR_MAPS.get(name)
    is_named = cls is not None and has_text(cls)
    if cls is None or (bracket and not rest.endswith(")")) or not (bracket or is_named):
        raise ValueError(f"mirror_map must be {_choices()}, got {text!r}")
    if is_named:
        return parse(f"{name}:{rest[:-1]}", cls, "mirror map")
    try:
        return cls([float(number) for number in rest[:-1].split(";")])
    except ValueError:
        raise ValueError(f"mirror_map {name!r} is written with numbers, {name}(1;0.5;2), got {text!r}") from None

"""Mirror descent."""

from __future__ import annotations

from typing import Any, NamedTuple

from empirisk.capabilities import name_of, offers
from empirisk.constraints import L1Ball, Simplex
from empirisk.mirror_maps import Entropic, SignedEntropic, as_mirror_map
from empirisk.online.game import Game
from empirisk.online.learners.mirror_steps import MirrorState, bound_of, mirror_state
from empirisk.online.learners.promise import Met, Promise
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported

FORMS = ("agile", "lazy")
SETS: dict[type, type] = {Entropic: Simplex, SignedEntropic: L1Ball}  # that a map is for


class MirrorDescent(NamedTuple):
    """w <- the minimiser of t <g, w> + t Omega(w) + B(w, w_k), B the divergence of a mirror map psi.

    `form` is "agile", from the last point, or "lazy", from the sum of all gradients: the minimiser of
    t <sum g, w> + t k Omega(w) + B(w, w_1). They are the same without a set, and for the entropy on the simplex; on a
    ball they are not. `mirror_map` is euclidean, entropic (on the simplex), signed_entropic (on the l1 ball), or a
    quadratic: DiagonalQuadratic(h), diagonal_quadratic(1;0.5) as a text, or MatrixQuadratic(A), with its rows one
    after the other.
    Use it where the geometry is known: many columns of which few matter, weights that are shares.
    References: Nemirovski and Yudin (1983); Beck and Teboulle (2003); Xiao (2010) for the lazy form.
    """

    mirror_map: Any = "euclidean"
    form: str = "agile"
    t: float = 0.1

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the game."""
        return ("loss.derivative", "convex", "regularizer.prox", "regularizer.prox_scaled")

    def refusal(self) -> str:
        """Why these parameters cannot be, or nothing."""
        if self.form not in FORMS:
            return f"form must be one of {', '.join(FORMS)}, got {self.form!r}"
        return refused_map(self.mirror_map, self.t)

    def begin(self, game: Game, first: LinearPoint) -> MirrorState:
        """At w_1."""
        mirror = map_for(game, self.mirror_map)
        is_lazy = self.form == "lazy" or isinstance(mirror, SignedEntropic)  # where the two forms are one
        return mirror_state(game, first, mirror, self.t, is_lazy)

    def first(self, game: Game, first: LinearPoint) -> LinearPoint:
        """w_1 where none was given: the centre of the map."""
        return centre_of(game, self.mirror_map, first)

    def bound(self, met: Met, u: LinearPoint | None) -> Promise:
        """The right side of the theorem at u."""
        return bound_of(met, u)

    def theorem(self) -> str:
        """In one sentence."""
        return (
            "Regret is at most B(u, w_1) / t + t / (2 m) sum ||g_k||_*^2, m the modulus of the map (Beck and Teboulle "
            "2003)."
        )


def refused_map(mirror_map: Any, t: float) -> str:
    """Why these parameters cannot be, or nothing."""
    try:
        as_mirror_map(mirror_map)
    except ValueError as error:
        return str(error)
    return "" if 0.0 < t < float("inf") else f"t must be positive and finite, got {t}"


def map_for(game: Game, mirror_map: Any) -> Any:
    """The mirror map of this name on the set of the game; refuses sets and columns that it is not for."""
    mirror = as_mirror_map(mirror_map)
    name, cls = name_of(mirror), type(mirror)
    if cls not in SETS:
        if offers(mirror, "column_count") and mirror.column_count() != game.n_columns:
            said = f"the mirror map {name} is for {mirror.column_count()} column(s)"
            raise Unsupported(f"{said}, and here there are {game.n_columns}")
        return mirror
    wanted: Any = SETS[cls]
    if not isinstance(game.constraint, wanted) or game.fit_intercept or game.l2 > 0.0:
        said = f"the mirror map {name} is for constraint={name_of(wanted)!r} with l2=0 and fit_intercept=False"
        raise Unsupported(f"{said}, with a column of ones in place of the intercept")
    if cls is SignedEntropic and game.l1 > 0.0:
        raise Unsupported("the mirror map signed_entropic takes no l1: the radius of the ball is its strength")
    return cls(*game.constraint)  # of a radius


def centre_of(game: Game, mirror_map: Any, first: LinearPoint) -> LinearPoint:
    """The uniform point of the simplex in place of a zero that is none of it."""
    mirror = map_for(game, mirror_map)
    if not isinstance(mirror, Entropic) or first.weights.any():
        return first
    return first._replace(weights=first.weights + mirror.radius / first.weights.size)

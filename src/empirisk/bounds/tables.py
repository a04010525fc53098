"""Every kind of bound that applies to a model on some rows, and why the others do not."""

from __future__ import annotations

from typing import Any, NamedTuple

from empirisk.bounds.kinds.kind import KINDS
from empirisk.bounds.risk_bound import RiskBound


class Line(NamedTuple):
    """A kind with its bound, or with the reason why it has none."""

    kind: str
    bound: RiskBound | None
    why: str  # empty where there is a bound


class Table(NamedTuple):
    """Each kind at its own delta."""

    lines: tuple[Line, ...]
    delta: float

    def text(self) -> str:
        """A line a kind, the least bound first, and what may not be done with it."""
        found = sorted((line for line in self.lines if line.bound is not None), key=lambda line: line.bound.value)  # type: ignore[union-attr]
        said = [f"{line.kind:<12} {line.bound.value:.4f}" for line in found if line.bound is not None]
        said += [f"{line.kind:<12} -      {line.why}" for line in self.lines if line.bound is None]
        said.append(f"Each holds with probability {1.0 - self.delta:.12g}; the least of them, picked here, does not.")
        return "\n".join(said)


def table(model: Any, X: Any, y: Any, delta: float = 0.05, clip: float | None = None) -> Table:
    """The bounds of a fitted model, or estimator, on these rows: each kind at its own delta; `clip` of a regression."""
    clipped = {} if clip is None else {"clip": clip}
    lines = []
    for kind in sorted(KINDS):
        try:
            lines.append(Line(kind, model.bound(X, y, kind=kind, delta=delta, **clipped), ""))
        except ValueError as error:
            lines.append(Line(kind, None, str(error).partition("; th")[0].rpartition(" does not apply: ")[2]))
    return Table(tuple(lines), delta)

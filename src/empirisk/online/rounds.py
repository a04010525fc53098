"""Rounds, by machine code or by Python."""

from __future__ import annotations

from typing import Any

from empirisk.capabilities import offers
from empirisk.compiled import as_python
from empirisk.online.play import play
from empirisk.online.rows_met import RowsMet
from empirisk.protocols import Vector


def play_rows(loss: Any, state: Any, rows: RowsMet, has_intercept: bool, scores: Vector, numbers: Vector) -> int:
    """How many rows were played; a state that says so is played by the Python function that `play` is made of."""
    rounds = as_python(play) if offers(state, "is_interpreted") else play
    return int(rounds(loss, state, rows.design, rows.labels, rows.weights, has_intercept, scores, numbers))

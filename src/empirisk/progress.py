"""How far a long run is: one event for all of them, for a terminal, a page or a log."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple


class Event(NamedTuple):
    """What a long run tells about itself from time to time."""

    run: str  # "fit", "folds", "search", "perceptron", "separate", "widest_gap", "enclosing_ball", "compare", "warm-up"
    done: float  # the share that is done, from 0 to 1; nan where it cannot be told
    numbers: dict[str, float]  # where the run stands, in the order to show them; nan what is not known
    seconds: float  # since it began
    seconds_left: float = math.nan  # an estimate; nan where there is none

    def to_json(self) -> dict[str, Any]:
        """The same for JSON: what is not finite is None."""
        numbers = {name: _finite(value) for name, value in self.numbers.items()}
        rest = {name: _finite(getattr(self, name)) for name in ("done", "seconds", "seconds_left")}
        return {"run": self.run, "numbers": numbers, **rest}

    def sentence(self) -> str:
        """One line: the numbers that are known, and the time."""
        share = f" {100.0 * self.done:.0f}%" if math.isfinite(self.done) else ""
        said = [f"{name} {value:.6g}" for name, value in self.numbers.items() if math.isfinite(value)]
        has_end = math.isfinite(self.seconds_left) and not self.done >= 1.0
        said.append(f"about {duration(self.seconds_left)} left" if has_end else f"{duration(self.seconds)}")
        return f"{self.run}{share}: {', '.join(said)}"


def telling(on_event: Callable[[Event], Any] | None, callback: Callable[[Any], Any] | None = None) -> Any:
    """A callback for any run, which tells `on_event` how far it is and answers what `callback` does; None without both.

    What a run gives to its callback has a method `event`.
    """
    if on_event is None:
        return callback

    def tell(progress: Any) -> bool:
        on_event(progress.event())
        return callback is not None and bool(callback(progress))

    return tell


def duration(seconds: float) -> str:
    """`0.031 s`, `12 s`, `3 min`, `2.5 h`."""
    if seconds < 90.0:
        return f"{seconds:.2g} s" if seconds < 9.95 else f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None

"""What --regret asks for: how much more a run over a stream has paid than the best fixed point in hindsight."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from empirisk.cli.errors import Usage

if TYPE_CHECKING:
    from empirisk.models.streams.streaming import Streaming
    from empirisk.online.open_run import OpenRun
    from empirisk.online.regret_bound import RegretBound


class AskedRegret(NamedTuple):
    """Against which set, and how well its best point must be known."""

    against: Any  # None for the learner's own
    tol: float


class Hindsight:
    """The best point of the rows so far, searched from that of the rows before; `curve` has what was found."""

    def __init__(self, asked: AskedRegret, streaming: Streaming) -> None:
        self._asked, self._streaming, self._run = asked, streaming, one_run(streaming, "--regret")
        self._best: Any = None
        self.curve: list[RegretBound] = []

    @property
    def has_names(self) -> bool:
        """Whether columns of the rows have names, not numbers."""
        return self._streaming.rows.format.first_index is None

    @property
    def tol(self) -> float:
        """What was asked."""
        return self._asked.tol

    def look(self) -> RegretBound:
        """The regret of the rounds so far; the rows are on disk, and mapped."""
        from empirisk.online.regret import regret_of
        from empirisk.problems.linear_point import LinearPoint

        run = self._run.closed()
        rows = self._streaming.rows_kept(run.n_columns)
        if self.curve and self.curve[-1].n_rows == rows.n_rows:
            return self.curve[-1]
        start = None
        if self._best is not None:
            import numpy as np

            more = np.zeros(run.n_columns - self._best.weights.size)
            start = LinearPoint(np.append(self._best.weights, more), self._best.intercept)
        found = regret_of(run, rows, against=self._asked.against, tol=self._asked.tol, start=start)
        self._best = LinearPoint(found.weights, found.intercept)
        self.curve.append(found)
        return found

    def words(self) -> str:
        """What the line of a round says of it."""
        found = self.look()
        bound = "no bound" if math.isnan(found.bound) else f"bound {found.bound:.6g}"
        return f"regret {found.regret:.6g}, {bound}"

    def facts(self) -> dict[str, Any]:
        """The last look in numbers, with its certificate."""
        from empirisk.certificates import sealed_json

        found = self.look()
        return {
            "against": found.against or None,
            "least": found.regret,
            "most": found.most,
            "bound": found.bound,
            "sentence": self.sentence(),
            "certified": not found.words(self._asked.tol).shortfall,
            "curve": [
                {"rounds": at.rounds, "least": at.regret, "most": at.most, "bound": at.bound} for at in self.curve
            ],
            "certificate": sealed_json(found),
        }

    def sentence(self) -> str:
        """The claim, and what takes the place of the best point where that is not known as well as was asked."""
        found = self.look()
        may_lack_minimum = not (found.against or found.l1 or found.l2)
        is_known = found.is_within(self._asked.tol) and not may_lack_minimum
        if is_known or found.gap.is_within(self._asked.tol):
            return found.sentence()
        known = f"the best point in hindsight is known to {found.gap.relative_gap:.2g} of its loss"
        less = "the lower bound of its certificate stands in its place"
        if may_lack_minimum:
            less += ", because without a set and a penalty there may be no minimiser"
        return f"{found.sentence().removesuffix('.')}; {known}: {less}."


@contextlib.contextmanager
def kept_rows(streaming: Streaming, is_asked: bool) -> Iterator[None]:
    """Keep the rows of the stream on disk in here, where they are asked for."""
    if not is_asked:
        yield
        return
    from empirisk.online.row_spool import RowSpool

    with RowSpool() as spool:
        streaming.spool = spool
        try:
            yield
        finally:
            streaming.spool = None


def one_run(streaming: Streaming, option: str) -> OpenRun:
    """The run of two classes or of a regression: each of three classes or more has its own."""
    from empirisk.online.open_run import OpenRun

    run = streaming.open_run
    if not isinstance(run, OpenRun):
        raise Usage(f"{option} is about one run, and each of three classes or more has its own: name two classes")
    return run


def asked_regret(asked: dict[str, Any]) -> AskedRegret | None:
    """What was asked of the regret; refuses options that do not go together."""
    for name in ("against", "tol", "certificate"):
        if asked[name] is not None and not asked["regret"]:
            raise Usage(f"--{name} needs --regret")
    if not asked["regret"]:
        return None
    if asked["resume"] is not None and not asked["same_stream"]:
        raise Usage("--regret is about all rows of the run: with --resume it needs --same-stream")
    from empirisk.cli.verify_command import USUAL_TOL
    from empirisk.constraints import as_constraint

    try:
        against = as_constraint(asked["against"])
    except (TypeError, ValueError) as error:
        raise Usage(str(error).replace("constraint", "--against", 1)) from None
    return AskedRegret(against, USUAL_TOL if asked["tol"] is None else asked["tol"])

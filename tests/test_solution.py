"""How far a run is, by its trace."""

from __future__ import annotations

import math

from empirisk.solution import Check, Trace


def trace(*gaps: float, target: float = 1e-6, time_left: float = math.nan) -> Trace:
    return Trace([Check(5.2 * i, 0.1 * i, 0.25, gap) for i, gap in enumerate(gaps)], target, 1000, time_left)


def test_the_share_of_the_way_is_logarithmic():
    assert trace(1.0).done() == 0.0
    assert math.isclose(trace(1.0, math.nan, 1e-3).done(), 0.5)
    assert trace(1.0, 1e-7).done() == 1.0
    assert trace(math.inf).done() == 0.0
    assert trace(1.0, target=0.0).done() == 0.0


def test_the_event_of_a_fit_is_its_newest_check():
    event = trace(1.0, 1e-3, time_left=75.0).event()
    assert (event.run, event.seconds, event.seconds_left) == ("fit", 0.1, 75.0)
    assert event.numbers == {"pass": 5, "objective": 0.25, "gap": 1e-3, "target": 1e-6}
    assert event.sentence() == "fit 50%: pass 5, objective 0.25, gap 0.001, target 1e-06, about 75 s left"
    assert not trace(1.0, 1e-7, time_left=0.0).event().sentence().endswith("left")


def test_the_time_left_of_gaps_at_the_ends_of_doubles_is_no_error():
    """Quotients of gap and target that vanish, or overflow."""
    for gaps, target in (((1e-10, 1e-310), 1e300), ((1e300, 1e290), 1e-310)):
        checks = [Check(float(k), float(k), 1.0, gap) for k, gap in enumerate(gaps, 1)]
        left = Trace(checks, target, 10.0, math.nan).seconds_left()
        assert left >= 0.0

"""The event that every long run tells."""

from __future__ import annotations

import json
import math

import pytest

from empirisk.progress import Event, duration, telling

EVENT = Event("search", 0.25, {"best": 12.0, "bound": math.nan, "boxes": 300}, 1.25)


def test_json_has_no_numbers_that_are_not_finite():
    found = json.loads(json.dumps(EVENT.to_json(), allow_nan=False))
    assert found == {
        "run": "search",
        "numbers": {"best": 12.0, "bound": None, "boxes": 300},
        "done": 0.25,
        "seconds": 1.25,
        "seconds_left": None,
    }
    assert EVENT._replace(done=math.nan, seconds_left=math.inf).to_json() == {**found, "done": None}


def test_a_sentence_has_what_is_known():
    assert EVENT.sentence() == "search 25%: best 12, boxes 300, 1.2 s"
    assert EVENT._replace(done=math.nan).sentence() == "search: best 12, boxes 300, 1.2 s"
    assert EVENT._replace(seconds_left=75.0).sentence() == "search 25%: best 12, boxes 300, about 75 s left"
    assert EVENT._replace(seconds_left=0.0, done=1.0).sentence() == "search 100%: best 12, boxes 300, 1.2 s"
    assert EVENT._replace(numbers={"gap": 1.23456789e-7}).sentence() == "search 25%: gap 1.23457e-07, 1.2 s"


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.0412, "0.041 s"), (9.9, "9.9 s"), (12.3, "12 s"), (180.0, "3 min"), (9000.0, "2.5 h")]
)
def test_durations(seconds, said):
    assert duration(seconds) == said


class Standing:
    def event(self):
        return EVENT


@pytest.mark.parametrize("answer", [True, False, None])
def test_a_callback_that_tells_answers_what_the_users_does(answer):
    told, asked, here = [], [], Standing()
    tell = telling(told.append, lambda progress: asked.append(progress) or answer)
    assert tell(here) is bool(answer)
    assert (told, asked) == ([EVENT], [here])


def test_telling_needs_neither():
    told = []
    assert telling(told.append)(Standing()) is False
    assert told == [EVENT]
    assert telling(None, print) is print
    assert telling(None) is None

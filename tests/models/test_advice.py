"""What may help an uncertified fit: one source, the same words on the terminal, on the page and in the warning."""

import pytest

from empirisk.cli.wording import advice_as_options
from empirisk.models import FitOptions
from empirisk.models.advice import advice
from empirisk.solution import Status

ENDS = [status for status in Status if status not in (Status.CERTIFIED, Status.AT_ZERO)]


@pytest.mark.parametrize("status", ENDS, ids=[status.name for status in ENDS])
def test_there_is_advice_for_every_uncertified_end(status):
    said = advice(str(status), FitOptions().checked())
    assert said
    assert "\n" not in said
    assert not said.endswith(".")


def test_what_is_done_already_is_not_advised():
    at_limit = str(Status.PASS_LIMIT)
    plain = advice(at_limit, FitOptions(l2=0.0).checked())
    assert plain == "raise max_passes, standardise the columns, set l2 above 0 or raise tol"
    done = advice(at_limit, FitOptions(standardize=True, solver="lbfgs").checked())
    assert done == "raise max_passes, try solver='auto', raise l2 or raise tol"
    assert "max_passes" not in advice(str(Status.STALLED), FitOptions().checked())


def test_the_command_line_names_its_options():
    said = advice_as_options("raise max_passes, standardise the columns, try solver='auto', raise l2 or raise tol")
    assert said == (
        "raise --max-passes, standardise the columns (--standardize), try --solver auto, raise --l2 or raise --tol"
    )
    assert advice_as_options("set l1 or l2 above 0, or give a constraint") == (
        "set --l1 or --l2 above 0, or give a --constraint"
    )

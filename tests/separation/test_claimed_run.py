"""A claim about a run: run again only as far as it can be true, and judged by the plane that the run answers with."""

import numpy as np
import pytest

import empirisk as er
from empirisk.separation.mistake_bound import MistakeBound
from empirisk.separation.perceptron import perceptron
from empirisk.separation.perceptron_runs import run

pytestmark = pytest.mark.compiled

X = np.random.default_rng(1).standard_normal((200, 4))
Y = np.where(X @ [1.0, 2.0, -1.0, 0.5] + 0.3 > 0.0, 1, 0)
CLAIM = perceptron(X, Y).certificate


def far_off(visits, mistakes):
    """A claim of a long run from a start that points away from every plane that separates."""
    plane = CLAIM.plane
    start = -1e13 * plane.weights / np.linalg.norm(plane.weights)
    counts = {"visits": visits, "mistakes": mistakes, "squares": mistakes, "steps": mistakes}
    return CLAIM._replace(start_weights=start, **counts)


@pytest.mark.parametrize(
    ("visits", "mistakes", "sentence"),
    [
        (2**50, 2**40, "The counts contradict each other."),  # more passes than mistakes
        (2**44, 2**40, f"A run of {2**44} visits of rows is too long to be run again."),
    ],
)
def test_a_claim_that_would_run_for_days_is_refused_before_it_runs(visits, mistakes, sentence, monkeypatch):
    monkeypatch.setattr(MistakeBound, "run_again", lambda self, points: pytest.fail("it ran"))
    assert er.verify(far_off(visits, mistakes), X, Y).sentence == sentence


def test_a_run_stops_where_the_claim_can_no_longer_be_true(monkeypatch):
    monkeypatch.setattr(run, "ENTRIES_A_CALL", 1)  # a pass a call
    whole = CLAIM.run_again(CLAIM.problem_of(X, Y))[0]
    assert whole == CLAIM.counts
    few = CLAIM._replace(mistakes=20, squares=20, steps=20)  # it makes more, and soon
    for forged in (few, far_off(2**16, 2**12)):
        assert forged.run_again(forged.problem_of(X, Y))[0].visits < forged.visits // 2
        assert not er.verify(forged, X, Y).holds


def test_a_long_run_verifies():
    start = -1e6 * CLAIM.plane.weights / np.linalg.norm(CLAIM.plane.weights)
    far = perceptron(X, Y, start=(start, 0.0), max_passes=10**6)
    assert far.visits > 100 * CLAIM.visits
    assert er.verify(far, X, Y).holds


def test_a_run_that_did_not_separate_is_not_what_was_asked():
    short = perceptron(X, Y, max_passes=2)
    assert short.errors == short.certificate.errors > 0
    assert er.verify(short, X, Y).holds
    assert not short.certificate.is_within(1.0)
    assert short.certificate.words(1.0).shortfall == (
        f"a plane that separates was asked of the run, and its last plane has {short.errors} points not on their sides"
    )


@pytest.mark.parametrize("form", ["averaged", "pocket", "voted"])
@pytest.mark.parametrize("max_passes", [3, 1000])
def test_errors_and_status_are_those_of_the_answer(form, max_passes):
    found = perceptron(X, Y, form=form, max_passes=max_passes)
    wrong = int(np.sum(np.where(Y == 1, 1, -1) * (X @ found.weights + found.intercept) <= 0.0))
    assert found.certificate.errors == wrong
    assert found.errors == (None if form == "voted" else wrong)
    assert found.status.is_separated == (wrong == 0) == found.certificate.is_within(1.0)
    assert er.verify(found, X, Y).holds

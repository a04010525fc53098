"""A claim about a run: run again only as far as it can be true, and judged by the plane that the run answers with."""

import numpy as np
import pytest

import empirisk as er
from empirisk.separation import mistake_bound
from empirisk.separation.perceptron import perceptron
from empirisk.separation.perceptron_runs import run
from empirisk.separation.perceptron_runs.claimed_run import run_again

pytestmark = pytest.mark.compiled

X = np.random.default_rng(1).standard_normal((200, 4))
Y = np.where(X @ [1.0, 2.0, -1.0, 0.5] + 0.3 > 0.0, 1, 0)


@pytest.fixture(scope="module")
def claim():
    return perceptron(X, Y).certificate


def far_off(claim, visits, mistakes):
    """A claim of a long run from a start that points away from every plane that separates."""
    start = -1e13 * claim.plane.weights / np.linalg.norm(claim.plane.weights)
    counts = {"visits": visits, "mistakes": mistakes, "squares": mistakes, "steps": mistakes}
    return claim._replace(start_weights=start, **counts)


@pytest.mark.parametrize(
    ("visits", "mistakes", "sentence"),
    [
        (2**50, 2**40, "The counts contradict each other."),  # more passes than mistakes
        (2**44, 2**40, f"A run of {2**44} visits of rows is too long to be run again."),
    ],
)
def test_a_claim_that_would_run_for_days_is_refused_before_it_runs(claim, visits, mistakes, sentence, monkeypatch):
    monkeypatch.setattr(mistake_bound, "run_again", lambda *claimed: pytest.fail("it ran"))
    assert er.verify(far_off(claim, visits, mistakes), X, Y).sentence == sentence


def test_a_run_stops_where_the_claim_can_no_longer_be_true(claim, monkeypatch):
    monkeypatch.setattr(run, "ENTRIES_A_CALL", 1)  # a pass a call
    whole = run_again(claim, claim.problem_of(X, Y)).counts
    assert whole == claim.counts
    few = claim._replace(mistakes=20, squares=20, steps=20)  # it makes more, and soon
    for forged in (few, far_off(claim, 2**16, 2**12)):
        assert run_again(forged, forged.problem_of(X, Y)).counts.visits < forged.visits // 2
        assert not er.verify(forged, X, Y).holds


@pytest.mark.parametrize("asked", [{}, {"order": "random", "seed": 3}, {"form": "pocket"}, {"form": "voted"}])
def test_fewer_visits_than_the_run_made_are_refused(asked):
    """All mistakes are made before the last pass, which ends the run: a claim of fewer visits is of no run."""
    claim = perceptron(X, Y, **asked).certificate
    assert er.verify(claim, X, Y).holds
    for less in (1, 2, 37):
        found = er.verify(claim._replace(visits=claim.visits - less), X, Y)
        assert not found.holds
    assert found.sentence.startswith("No run ends after")
    short = perceptron(X, Y, max_passes=2, **asked).certificate  # at a limit, which is the end of a pass
    assert er.verify(short, X, Y).holds
    assert not er.verify(short._replace(visits=short.visits - 1), X, Y).holds


@pytest.mark.parametrize("size", [1.0, 1e-100])
def test_rounding_that_is_more_than_the_bound_gives_no_bound(size):
    """The run from this start is all rounding: its mistakes were "at most 0.36", or at most a negative number."""
    rows, labels = size * np.array([[1.0], [1.0 + 2.0**-50]]), np.array([0, 1])
    found = perceptron(rows, labels, start=([1.0], 0.5))
    assert found.certificate is None
    assert found.verdict.is_separable
    plain = perceptron(rows, labels, start=([1.0], 0.5), max_passes=1)
    assert plain.certificate is None or plain.certificate.counted <= plain.certificate.bound


@pytest.mark.parametrize("size", [1e170, 1e160, 1e-160])
def test_starts_beside_points_of_extreme_sizes(size):
    """The plane of points of 1e170 has weights whose squares vanish; no norm of it is zero."""
    rows, labels = size * np.array([[1.0, 0.0], [-2.0, 1e-10], [1.0, -2e-10]]), np.array([0, 1, 0])
    for start in (([1.0, 2.0], 0.5), ([-1e99, -1e100], -1.0), ([1e-170, 1.0], 0.0)):
        for form in ("online", "gradient"):
            found = perceptron(rows, labels, form=form, start=start, max_passes=20)
            assert found.certificate is None or er.verify(found, rows, labels).holds


def test_a_long_run_verifies(claim):
    start = -1e6 * claim.plane.weights / np.linalg.norm(claim.plane.weights)
    far = perceptron(X, Y, start=(start, 0.0), max_passes=10**6)
    assert far.visits > 100 * claim.visits
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

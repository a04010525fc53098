"""Five hundred problems drawn wide, of which every claim is judged in long arithmetic; `make torture` judges more."""

from typing import NamedTuple

import numpy as np
import pytest

import empirisk as er
from tools.torture.draw import draw
from tools.torture.draw_points import draw_points
from tools.torture.draw_scores import draw_scores
from tools.torture.judged import CERTIFIED, NOT_DRAWN, Effort
from tools.torture.kinds import KINDS, judge_range, kind_of

pytestmark = pytest.mark.interpreted
PARTS, EACH = 5, 100
QUICK = Effort(max_passes=12, is_thorough=False)


@pytest.mark.parametrize("part", range(PARTS))
def test_no_claim_is_false(part):
    outcomes = set()
    for seed in range(part * EACH, (part + 1) * EACH):
        kind = kind_of(seed)
        said = KINDS[kind](seed, QUICK._replace(is_thorough=seed % 2 == 0))
        assert not said.faults, f"seed {seed}, {kind}: {said}"
        outcomes.add((kind, said.outcome))
    assert {kind for kind, outcome in outcomes if outcome == CERTIFIED} == set(KINDS), "nothing is claimed of a kind"


def test_what_is_drawn_is_wide():
    cases = [case for case in map(draw, range(300)) if case is not None]
    assert len(cases) > 250
    constraints = {type(case.options.get("constraint")).__name__ for case in cases}
    assert constraints >= {"Box", "L1Ball", "L2Ball", "Simplex"}
    for found in (cases, filter(None, map(draw_scores, range(300))), filter(None, map(draw_points, range(300)))):
        sizes = [abs(case.X).max() for case in found]
        assert min(size for size in sizes if size > 0.0) < 1e-250
        assert max(sizes) > 1e250


def test_a_range_of_seeds_has_all_kinds_or_one():
    assert [(seed, kind) for seed, kind, _ in judge_range(7, 9, "")] == [(7, kind_of(7)), (8, kind_of(8))]
    assert [kind for _, kind, _ in judge_range(7, 9, "separate")] == ["separate"] * 2


@pytest.mark.parametrize("kind", ["one_score", "several_scores"])
def test_the_judge_finds_what_is_false_of_a_minimum(monkeypatch, kind):
    """A certificate that forgets its rounding, or half of its gap, does not pass."""
    from empirisk.certificates import ClassGaps, certify

    def forgetful(rounding, gap):
        def change(claim):
            return claim._replace(gap=gap * claim.gap, rounding=rounding * claim.rounding)

        def changed(problem, point):
            found = certify(problem, point)
            return (
                found._replace(gaps=tuple(map(change, found.gaps))) if isinstance(found, ClassGaps) else change(found)
            )

        return changed

    for change in (forgetful(0.0, 1.0), forgetful(1.0, 0.4)):
        monkeypatch.setattr("tools.torture.judge.certify", change)
        assert any(KINDS[kind](seed, Effort(12)).faults for seed in range(5, 40))


class _Accepted(NamedTuple):
    holds: bool = True


def _lied(found):
    """The same answer with one number that is not true."""
    if isinstance(found, er.Separation):
        return found._replace(b_high=0.99 * found.b_low)
    if isinstance(found, er.FineSeparation):
        return found._replace(parts=-found.parts)
    if isinstance(found, er.Inseparability):
        return found._replace(rows=found.rows[:-1])
    if isinstance(found, er.WidestGap):
        return found._replace(norm_low=1.01 * found.norm_low)
    if isinstance(found, er.EnclosingBall):
        return found._replace(radius_high=0.99 * found.radius_high)
    if isinstance(found, er.PerceptronRun):
        return found._replace(weights=-found.weights)
    if isinstance(found, er.FewestErrors):
        return found._replace(certificate=found.certificate._replace(bound=found.bound + 1.0))
    return found


@pytest.mark.parametrize("kind", ["separate", "widest_gap", "enclosing_ball", "perceptron", "fewest_errors"])
def test_the_judge_finds_what_is_false_of_a_plane(monkeypatch, kind):
    """Verify is made to accept, so that the truth alone can tell."""
    answer = getattr(er, kind)
    monkeypatch.setattr(er, kind, lambda *data, **options: _lied(answer(*data, **options)))
    monkeypatch.setattr(er, "verify", lambda *data: _Accepted())
    said = [KINDS[kind](seed, QUICK) for seed in range(30)]
    told = [one for one in said if one.outcome == CERTIFIED]
    assert len(told) > 15
    assert np.mean([bool(one.faults) for one in told]) > 0.7, [one.said for one in told if not one.faults]
    assert all(one.outcome == NOT_DRAWN or one.said for one in said)

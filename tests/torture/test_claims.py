"""Five hundred problems drawn wide, of which every claim is judged in long arithmetic; `make torture` judges more."""

import pytest

from tools.torture.draw import described, draw
from tools.torture.judge import judge

pytestmark = pytest.mark.interpreted
PARTS, EACH = 10, 50


@pytest.mark.parametrize("part", range(PARTS))
def test_no_claim_is_false(part):
    for seed in range(part * EACH, (part + 1) * EACH):
        case, faults = judge(seed, max_passes=12, is_thorough=seed % 5 == 0)
        assert not faults, f"seed {seed}: {described(case)}: {faults}"


def test_what_is_drawn_is_wide():
    cases = [case for case in map(draw, range(300)) if case is not None]
    assert len(cases) > 250
    sizes = [abs(case.X).max() for case in cases]
    assert min(size for size in sizes if size > 0.0) < 1e-250
    assert max(sizes) > 1e250
    assert {type(case.options.get("constraint")).__name__ for case in cases} >= {"Box", "L1Ball", "L2Ball", "Simplex"}


def test_the_judge_finds_what_is_false(monkeypatch):
    """A certificate that forgets its rounding, or half of its gap, does not pass."""
    from empirisk.certificates import duality_gap

    def forgetful(values, scale):
        return lambda problem, point: (lambda c: c._replace(gap=scale * c.gap, rounding=values * c.rounding))(
            duality_gap(problem, point)
        )

    for change in (forgetful(0.0, 1.0), forgetful(1.0, 0.4)):
        monkeypatch.setattr("tools.torture.judge.duality_gap", change)
        assert any(judge(seed, max_passes=12)[1] for seed in range(5, 40))

"""The kinds of problems that are drawn, each with its judge; a seed says which."""

from __future__ import annotations

from collections.abc import Callable

from tools.torture.judge import judge, judge_scores
from tools.torture.judge_planes import (
    judge_enclosing_ball,
    judge_fewest_errors,
    judge_perceptron,
    judge_separate,
    judge_widest_gap,
)
from tools.torture.judged import Effort, Judged

KINDS: dict[str, Callable[[int, Effort], Judged]] = {
    "one_score": judge,
    "several_scores": judge_scores,
    "separate": judge_separate,
    "widest_gap": judge_widest_gap,
    "enclosing_ball": judge_enclosing_ball,
    "perceptron": judge_perceptron,
    "fewest_errors": judge_fewest_errors,
}


def kind_of(seed: int) -> str:
    """All kinds in turn."""
    return list(KINDS)[seed % len(KINDS)]


def judge_range(start: int, end: int, kind: str) -> list[tuple[int, str, Judged]]:
    """Seed, kind, and what is said of each from start on, below end; without a kind all of them in turn."""
    kinds = [(seed, kind or kind_of(seed)) for seed in range(start, end)]
    return [(seed, name, KINDS[name](seed, Effort())) for seed, name in kinds]

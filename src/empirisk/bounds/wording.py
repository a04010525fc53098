"""A bound on the future error in words: what it says of future rows, and where it says nothing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from empirisk.arithmetic import SMALLEST
from empirisk.protocols import Headline, Words

if TYPE_CHECKING:
    from empirisk.bounds.risk_bound import RiskBound


def at_most_of(bound: RiskBound) -> str:
    """J, rounded up: a share of rows in percent, or a loss."""
    return _up(bound.value, 4) if is_about_losses(bound) else f"{_up(100.0 * bound.value, 3)} %"


def sentence_of(bound: RiskBound) -> str:
    """The claim, and what it is worth."""
    drawn = f"With probability {_probability(bound.delta)} over the draw of {bound.n_rows} independent rows"
    these = "these rows" if bound.counted == bound.n_rows else f"the {bound.counted} of them that were counted"
    if is_about_losses(bound):
        said = (
            f"{drawn}, the expected loss of {bound.predictor} on a future row is at most {bound.at_most()}, "
            f"losses being from 0 to {bound.largest:g}; the mean loss on these rows is {bound.empirical:.4g}."
        )
    else:
        said = (
            f"{drawn}, at most {bound.at_most()} of future rows are predicted wrong by "
            f"{bound.predictor}; of {these} {100.0 * bound.empirical:.3g} % are."
        )
    if bound.is_vacuous:
        return f"{said} Vacuous: no statement."
    if bound.value >= bound.baseline and not is_about_losses(bound):
        said += f" Predicting the larger class everywhere may do as well ({100.0 * bound.baseline:.3g} %)."
    return said


def words_of(bound: RiskBound) -> Words:
    """What such a bound is, and what it assumes."""
    what = "expected loss" if is_about_losses(bound) else "share of wrong predictions"
    return Words(
        meaning="Rows of the future are not at hand. If they are drawn as these were, the error on them cannot be "
        "much larger than on these, except in a few draws out of many; how much larger depends on how many planes "
        "there were to choose from, or on whether these rows had a part in the choice.",
        headline=(
            Headline("Future error", bound.value, f"at most, with probability {_probability(bound.delta)}"),
            Headline("On these rows", bound.empirical, what),
        ),
        checked=f"the errors or losses of these rows and the bound {bound.kind!r}",
        shortfall="the bound says nothing" if bound.is_vacuous else "",
        notes=(f"{bound.assumption}.",),
    )


def is_about_losses(bound: RiskBound) -> bool:
    """Whether numbers from 0 to a largest one were counted, and not errors."""
    return "largest" in bound.ingredients


def _probability(delta: float) -> str:
    return f"{1.0 - delta:.12g}" if delta > 1e-12 else f"1 - {delta:.3g}"


def _up(value: float, digits: int) -> str:
    """So many digits, rounded up."""
    if not 0.0 < value < math.inf:  # a file may claim anything
        return f"{value:g}"
    unit = max(SMALLEST, 10.0 ** (math.floor(math.log10(value)) + 1 - digits))
    return f"{math.ceil(value / unit * (1.0 - 1e-12)) * unit:.{digits}g}"

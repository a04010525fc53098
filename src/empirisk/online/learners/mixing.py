"""How the answers of several lanes become one: by their probabilities, or by the weights of AdaHedge."""

from __future__ import annotations

import math

from empirisk.compiled import kernel

# Places in `mixed` of a mixture: range of the labels, AdaHedge's sum of mixability gaps, and what clipped scores lost
# more than they would have.
LOW, HIGH, GAPS, EXCESS = range(4)
SMALL = 1e-280  # sums of probabilities above it have all their digits


@kernel
def mixed_odds(scores, losses, heaviest):
    """The log-odds of the mean probability, under weights proportional to exp(-loss / heaviest)."""
    least = math.inf
    for k in range(scores.size):
        least = min(least, losses[k])
    up, down = 0.0, 0.0
    for k in range(scores.size):
        weight = math.exp((least - losses[k]) / heaviest)
        small = math.exp(-abs(scores[k]))
        large_part, small_part = weight / (1.0 + small), weight * small / (1.0 + small)
        up += large_part if scores[k] >= 0.0 else small_part
        down += small_part if scores[k] >= 0.0 else large_part
    if up > SMALL and down > SMALL:
        return math.log(up / down)
    return extreme_odds(scores, losses, heaviest, least)


@kernel
def extreme_odds(scores, losses, heaviest, least):
    """The same where a sum is so small that its terms have lost their digits: in logarithms."""
    most_up, most_down = -math.inf, -math.inf
    for k in range(scores.size):
        weight = (least - losses[k]) / heaviest
        most_up = max(most_up, weight - softplus(-scores[k]))
        most_down = max(most_down, weight - softplus(scores[k]))
    up, down = 0.0, 0.0
    for k in range(scores.size):
        weight = (least - losses[k]) / heaviest
        up += math.exp(weight - softplus(-scores[k]) - most_up)
        down += math.exp(weight - softplus(scores[k]) - most_down)
    return (most_up - most_down) + (math.log(up) - math.log(down))


@kernel
def softplus(x):
    """log(1 + exp(x))."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


@kernel
def mixed_scores(scores, losses, low, high, gaps):
    """The mean of the scores, clipped to the labels seen, under AdaHedge's weights."""
    least = math.inf
    for k in range(scores.size):
        least = min(least, losses[k])
    total, mass = 0.0, 0.0
    for k in range(scores.size):
        weight = share_of(losses[k] - least, gaps, scores.size)
        mass += weight
        total += weight * min(max(scores[k], low), high)
    return total / mass


@kernel
def share_of(behind, gaps, count):
    """exp(-eta behind) with eta = log(count) / gaps; before there is a gap, the leaders alone."""
    if gaps <= 0.0:
        return 1.0 if behind <= 0.0 else 0.0
    return math.exp(-behind * math.log(count) / gaps)


@kernel
def mixability_gap(values, losses, gaps):
    """<v, l> - m with m = -log(sum v exp(-eta l)) / eta, where v are AdaHedge's weights before this round."""
    least, best = math.inf, math.inf
    for k in range(values.size):
        least = min(least, losses[k])
    mass, mean = 0.0, 0.0
    for k in range(values.size):
        weight = share_of(losses[k] - least, gaps, values.size)
        mass += weight
        mean += weight * values[k]
        if weight > 0.0:
            best = min(best, values[k])
    mean /= mass
    if gaps <= 0.0:  # eta is infinite
        return max(0.0, mean - best)
    eta = math.log(values.size) / gaps
    total = 0.0
    for k in range(values.size):
        total += share_of(losses[k] - least, gaps, values.size) / mass * math.exp(-eta * (values[k] - best))
    return max(0.0, mean - (best - math.log(total) / eta))

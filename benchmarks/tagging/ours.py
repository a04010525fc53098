"""Ours: settings of the three losses, trained whole (from columns) or on data that are in memory."""

import itertools
import time
from typing import Any, NamedTuple

from benchmarks.tagging.sets import TaggingSet
from empirisk.chains.perceptron import sequence_perceptron
from empirisk.chains.tagger import Tagger
from empirisk.driver import minimize
from empirisk.models.chains.fitting import ChainFit, Posed, fit_chain, pose_chain
from empirisk.models.chains.options import ChainOptions
from empirisk.models.chains.training import risk_of

SEEDS = 5  # the median of these counts
NEVER = 1e-12  # a gap that no run reaches: passes alone decide


class Setting(NamedTuple):
    """A loss with its strength and its passes, fixed beforehand."""

    loss: str
    passes: int
    l2_n: float = 0.0  # l2 times the number of sequences
    cost: str = "hamming"
    transitions: str = "all"

    def options(self, data: TaggingSet, seed: int = 0, **others: Any) -> ChainOptions:
        l2 = {"l2": self.l2_n / len(data.X)} if self.l2_n else {}
        own: dict[str, Any] = {"order": "random"} if self.loss == "perceptron" else {"tol": NEVER, **l2}
        own |= {
            "loss": self.loss,
            "cost": self.cost,
            "transitions": self.transitions,
            "templates": data.templates,
            "seed": seed,
            "n_threads": 1,
        }
        return ChainOptions(**(own | {"max_passes": self.passes} | others)).checked()

    def __str__(self) -> str:
        strength = f", l2 = {self.l2_n:g}/n" if self.l2_n else ""
        pairs = ", observed pairs of labels" if self.transitions == "observed" else ""
        return f"{self.loss} ({self.passes}{strength}{pairs})"


def whole(data: TaggingSet, setting: Setting, seed: int) -> tuple[float, ChainFit]:
    """From columns to a model that tags: CPU seconds, and the model."""
    start = time.process_time()
    fit = fit_chain(data.X, data.y, setting.options(data, seed))
    return time.process_time() - start, fit


def posed(data: TaggingSet, options: ChainOptions) -> Posed:
    return pose_chain(data.X, data.y, options)


def training(given: Posed, options: ChainOptions) -> tuple[float, Any]:
    """On attributes in memory: CPU seconds, and the weights."""
    data, passes, seed = given.data, options.passes, options.seed
    start = time.process_time()
    if options.loss == "perceptron":
        weights = sequence_perceptron(data, order=options.order, seed=seed, max_passes=int(passes)).weights
    else:
        problem = risk_of(data, options)
        weights = minimize(problem, tol=options.tol, max_passes=passes, seed=seed).point.weights
    return time.process_time() - start, weights


def score_of(given: Posed, data: TaggingSet, weights: Any, test: Any) -> float:
    """On the test set, which is encoded already."""
    answers = Tagger(given.data.layout, given.data.masks, weights).predict(test)
    labels = given.data.classes[answers].tolist()
    starts = test.starts.tolist()
    return data.score([labels[a:b] for a, b in itertools.pairwise(starts)])


def perceptron_ladder(given: Posed, data: TaggingSet, test: Any, passes: int, seed: int) -> list[float]:
    """The score after each pass of one run."""
    scores: list[float] = []
    sequence_perceptron(
        given.data,
        order="random",
        seed=seed,
        max_passes=passes,
        callback=lambda progress: scores.append(score_of(given, data, progress.answer(), test)),
    )
    return scores

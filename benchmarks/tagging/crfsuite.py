"""The peer: python-crfsuite, whose training sets are filled once and trained on again and again."""

import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pycrfsuite

from benchmarks.tagging.sets import TaggingSet, attributes_of, with_ends


class Setting(NamedTuple):
    """An algorithm with its parameters and its iterations, fixed beforehand."""

    algorithm: str
    iterations: int
    c1: float = 0.0
    c2: float = 1.0

    def parameters(self) -> dict[str, Any]:
        found: dict[str, Any] = {"max_iterations": self.iterations}
        if self.algorithm in ("lbfgs", "l2sgd"):
            found["c2"] = self.c2
        if self.algorithm == "lbfgs":
            found["c1"] = self.c1
        return found

    def __str__(self) -> str:
        strengths = {"lbfgs": f", c1 {self.c1:g}, c2 {self.c2:g}", "l2sgd": f", c2 {self.c2:g}"}
        return f"{self.algorithm} ({self.iterations}{strengths.get(self.algorithm, '')})"


class Trained(NamedTuple):
    """A model in a file, the CPU seconds of the training, and those of its iterations by its own log."""

    seconds: float
    iterations: list[dict]


class Filled(NamedTuple):
    """A trainer with the training set in its memory, and the CPU seconds that this took."""

    trainer: Any
    feature_seconds: float
    append_seconds: float

    def train(self, setting: Setting, model: Path, **parameters: Any) -> Trained:
        self.trainer.select(setting.algorithm)
        self.trainer.set_params(setting.parameters() | parameters)
        start = time.process_time()
        self.trainer.train(str(model))
        return Trained(time.process_time() - start, self.trainer.logparser.iterations)


def filled(data: TaggingSet, has_ends: bool = True) -> Filled:
    """Features of all sequences, then `append`: attributes in its own memory."""
    start = time.process_time()
    attributes = [attributes_of(x, data.templates) for x in data.X]
    if has_ends:
        attributes = [with_ends(tokens) for tokens in attributes]
    middle = time.process_time()
    trainer = pycrfsuite.Trainer(verbose=False)
    for tokens, labels in zip(attributes, data.y, strict=True):
        trainer.append(tokens, labels)
    return Filled(trainer, middle - start, time.process_time() - middle)


def tagged(model: Path, attributes: Iterable[list[list[str]]]) -> list[list[str]]:
    tagger = pycrfsuite.Tagger()
    tagger.open(str(model))
    answers = [tagger.tag(tokens) for tokens in attributes]
    tagger.close()
    return answers


def trained_and_scored(peer: Filled, data: TaggingSet, setting: Setting, test: list) -> tuple[float, float]:
    """CPU seconds of the training, and the score on the test set."""
    with tempfile.TemporaryDirectory() as scratch:
        model = Path(scratch) / "model"
        found = peer.train(setting, model)
        return found.seconds, data.score(tagged(model, test))

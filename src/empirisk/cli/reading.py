"""Data to learn from, read with a message, and blamed for what they cause."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from empirisk.cli.errors import BadData
from empirisk.cli.output import say

if TYPE_CHECKING:
    from empirisk.models.examples import Examples


def read_examples(data: str, format: str | None, label: str | None, weights: str | None, quiet: bool) -> Examples:
    """The examples of a file."""
    from empirisk.models.reading import read_training

    began = time.perf_counter()
    examples = read_training(data, format, label, weights)
    n, d = examples.matrix.shape
    say(f"Read {n} rows and {d} features from {examples.path} in {time.perf_counter() - began:.2f} s.", quiet)
    return examples


@contextlib.contextmanager
def blaming(path: str) -> Iterator[None]:
    """Turn what is raised about values into bad data of this file; what no code can do stays an error of usage."""
    from empirisk.protocols import Unsupported

    try:
        yield
    except Unsupported:
        raise
    except (TypeError, ValueError) as error:
        raise BadData(f"{path}: {error}") from None

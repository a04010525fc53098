"""--class-weight: balanced, or labels with their weights as one text."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from empirisk.near_names import near

if TYPE_CHECKING:
    from numpy.typing import NDArray

BALANCED = "balanced"
SHOWN = 5  # labels that a sentence lists


def class_weight(text: Any) -> str | dict[str, float]:
    """`balanced`, or `yes=5,no=1`.

    As in a CSV line, an item with a comma in it is put in double quotes, and a quote in it doubled: `"a,b=5",c=1`. The
    last = of an item ends the label.
    """
    if text == BALANCED or isinstance(text, Mapping):
        return text
    found: dict[str, float] = {}
    for item in next(csv.reader([text], skipinitialspace=True), []):
        label, is_there, number = item.rpartition("=")
        weight = _number(number)
        if not (is_there and 0.0 < weight < math.inf):
            raise click.BadParameter(
                f"{item!r} is not a label and a positive number, as in 'yes=5,no=1'; or give balanced."
            )
        if label.strip() in found:
            raise click.BadParameter(f"it names the label {label.strip()!r} twice.")
        found[label.strip()] = weight
    return found


def of_labels(weights: Mapping[str, float], labels: NDArray[Any]) -> dict[Any, float]:
    """The same for labels as the data have them: numbers are compared as numbers."""
    import numpy as np

    classes = np.unique(labels).tolist()
    texts = {str(label): label for label in classes}
    found = {}
    for text, weight in weights.items():
        same = [label for label in classes if not isinstance(label, str) and label == _number(text)]
        if text not in texts and not same:
            known = ", ".join(map(repr, classes[:SHOWN])) + (", ..." if len(classes) > SHOWN else "")
            said = f"--class-weight names {text!r}, which is not a label; the labels are {known}"
            raise click.UsageError(said + near(text, texts))
        found[texts[text] if text in texts else same[0]] = weight
    return found


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan

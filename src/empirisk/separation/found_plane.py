"""What a search that ends with a plane gives to the model of it: every such answer has a method `found_plane`."""

from __future__ import annotations

from typing import NamedTuple

from empirisk.protocols import Certificate
from empirisk.separation.perceptron_runs.answer import Answer


class FoundPlane(NamedTuple):
    """A plane, and where it comes from."""

    method: str  # how it was found: what `plane_method` of the certificate says, where there is one
    plane: Answer
    certificate: Certificate | None  # None where nothing is proven
    status: str  # how the search ended

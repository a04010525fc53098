"""Kernels know a name as a field of named tuples or as a method, not as both: parts that go together have none such."""

import inspect
import itertools

from empirisk.constraints import CONSTRAINTS
from empirisk.designs import CSR, Dense, Indicators
from empirisk.losses import LOSSES
from empirisk.regularizers import REGULARIZERS

PARTS = [*LOSSES.values(), *CONSTRAINTS.values(), *REGULARIZERS.values(), CSR, Dense, Indicators]


def test_no_field_of_a_part_is_a_method_of_another():
    clashes = [
        (one.__name__, other.__name__, name)
        for one, other in itertools.product(PARTS, PARTS)
        for name in one._fields
        if inspect.isfunction(inspect.getattr_static(other, name, None))
    ]
    assert clashes == []

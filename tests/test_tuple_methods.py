"""Methods of tuples in machine code: compiled once for all kernels that call them, or a part of each."""

from typing import NamedTuple

import numpy as np
from numba.core import event
from numpy.typing import NDArray

from empirisk import compiled
from empirisk.compiled import adopt


class Called(NamedTuple):
    """A tuple with a method of its own name, so that no other test has compiled it."""

    scale: float = 2.0

    def only_called_here(self, z):
        return self.scale * z


def test_a_method_is_compiled_once_and_called_without_detour():
    adopt(Called())
    kernels = [
        compiled.kernel(lambda one, z: one.only_called_here(z)),
        compiled.kernel(lambda one, z: 1.0 + one.only_called_here(z), exact=True),
        compiled.kernel(lambda one, z: one.only_called_here(z) ** 2, borrows=True),
    ]
    with event.install_recorder("numba:compile") as heard:
        assert [one(Called(), 3.0) for one in kernels] == [6.0, 7.0, 36.0]
    made = compiled_in(heard)
    assert made.count(Called.only_called_here) == 1
    assert len(made) == 1 + len(kernels)


def compiled_in(heard):
    """The functions that Numba compiled meanwhile."""
    return [what.data["dispatcher"].py_func for _, what in heard.buffer if what.is_start]


class Heap(NamedTuple):
    """With methods of names that no other tuple has."""

    heap_values: NDArray[np.float64]

    def heap_total(self, upto=2):
        """Of the first so many values."""
        total = 0.0
        for k in range(upto):
            total += self.heap_at(k)
        return total

    def heap_at(self, k):
        """One value."""
        return self.heap_values[k]


def test_an_inlined_method_is_compiled_in_its_kernels_alone():
    heap = Heap(np.arange(1.0, 6.0))
    adopt(heap, inline=True)
    first = compiled.kernel(lambda heap: (heap.heap_total(), heap.heap_at(0)))
    three = compiled.kernel(lambda heap: heap.heap_total(upto=3))
    with event.install_recorder("numba:compile") as heard:
        assert first(heap) == (3.0, 1.0)
        assert three(heap) == 6.0
    assert compiled_in(heard) == [first.py_func, three.py_func]

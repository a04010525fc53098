"""Methods of tuples in machine code: compiled once for all kernels that call them."""

from typing import NamedTuple

from numba.core import event

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
    made = [what.data["dispatcher"].py_func for _, what in heard.buffer if what.is_start]
    assert made.count(Called.only_called_here) == 1
    assert len(made) == 1 + len(kernels)

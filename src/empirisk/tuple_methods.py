"""Methods of named tuples, as kernels call them: what Numba is taught about losses, regularizers and designs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numba
from numba.core import types
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr
from numba.extending import lower_builtin, overload_method

EVERY_ROW = {"value", "derivative", "second_derivative", "conjugate"}  # a loop that calls them does not run on vectors
BORROWS = {"predict", "update"}  # of learners' states: they make no array, and loop over a row's entries in every round
DIVISION = "numpy"  # by zero gives infinity or nan: a test and an exception at every division would keep vectors away


def register(name: str, inline: bool) -> None:
    """Teach Numba the method `name` of any named tuple.

    Methods of designs are inlined before typing: a call would count references to each array of the tuple,
    atomically, for every row (measured: nine times the time of a sparse dot product of fourteen entries).
    Others are called: LLVM inlines them just as well, and Numba's own inliner trips over their branches.
    """
    for kind in (types.NamedTuple, types.NamedUniTuple):
        if inline:
            overload_method(kind, name, inline="always", strict=False)(lambda self, *args: _method_of(self, name))
        else:
            _register_called(kind, name)


def _register_called(kind: type, name: str) -> None:
    """A call of the method is a call of its machine code.

    An overload would be one function more for each caller, which calls the method: a seventh of all compiling.
    """

    def machine_code_of(this: Any) -> Any:
        return types.Dispatcher(_compiled_method(_method_of(this, name)))

    class Call(AbstractTemplate):
        key = (kind, name)

        def generic(self, args: Any, keywords: Any) -> Any:
            return machine_code_of(self.this).get_call_type(self.context, (self.this, *args), keywords).as_method()

    class Attribute(AttributeTemplate):
        key = kind

        def generic_resolve(self, this: Any, attribute: str) -> Any:
            is_known = attribute == name and _method_of(this, name) is not None
            return types.BoundFunction(Call, this) if is_known else None

    @lower_builtin((kind, name), kind, types.VarArg(types.Any))
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        machine_code = machine_code_of(signature.args[0])
        call = context.get_function(
            machine_code, machine_code.get_call_type(context.typing_context, signature.args, {})
        )
        context.add_linking_libs(getattr(call, "libs", ()))
        return call(builder, args)

    infer_getattr(Attribute)


def _method_of(this: Any, name: str) -> Callable[..., Any] | None:
    """The method of this type of tuples, as it is in the class."""
    method = inspect.getattr_static(this.instance_class, name, None)
    return method if inspect.isfunction(method) else None


@functools.cache
def _compiled_method(function: Callable[..., Any]) -> Any:
    # Reassociation gains nothing outside of loops over columns, and could overflow where the source does not.
    liberties = {"contract", "reassoc"} if function.__name__ in BORROWS else {"contract"}
    options: Any = {"nogil": True, "error_model": DIVISION, "fastmath": liberties}
    return numba.njit(**options, **_called(function.__name__))(function)


def _called(name: str) -> dict[str, bool]:
    """Options of a method that is called: it may make arrays, even where the kernel borrows, unless it says no."""
    return {"forceinline": name in EVERY_ROW, "_nrt": name not in BORROWS}

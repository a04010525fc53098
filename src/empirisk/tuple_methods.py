"""Methods of named tuples, as kernels call them: what Numba is taught about losses, regularizers and designs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ClassVar

import numba
from numba.core import compiler, types, typing
from numba.core.cpu_options import InlineOptions
from numba.core.inline_closurecall import InlineWorker
from numba.core.ir_utils import build_definitions
from numba.core.typed_passes import PreLowerStripPhis, type_inference_stage
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, _inline_info, infer_getattr
from numba.core.utils import pysignature
from numba.extending import lower_builtin

# Of learners' states: they make no array, and loop over a row's entries in every round.
BORROWS = {"predict", "update", "answer_all", "learn_all"}
# A loop that calls these does not run on vectors; a call hands over each number of a tuple of arrays, 25 ns a round.
EVERY_ROW = {"value", "derivative", "second_derivative", "conjugate", *BORROWS}
DIVISION = "numpy"  # by zero gives infinity or nan: a test and an exception at every division would keep vectors away


def register(name: str, inline: bool) -> None:
    """Teach Numba the method `name` of any named tuple.

    Methods of designs are inlined before typing: a call would count references to each array of the tuple,
    atomically, for every row (measured: nine times the time of a sparse dot product of fourteen entries).
    Others are called: LLVM inlines them just as well, and Numba's own inliner trips over their branches.
    """
    for kind in (types.NamedTuple, types.NamedUniTuple):
        _register_attribute(kind, name, _inlined(kind, name) if inline else _called(kind, name))


def _register_attribute(kind: type, name: str, call: type[AbstractTemplate]) -> None:
    """Tuples whose class has the method have it in kernels; how a call is typed is said by `call`."""

    class Attribute(AttributeTemplate):
        key = kind

        def generic_resolve(self, this: Any, attribute: str) -> Any:
            is_known = attribute == name and _method_of(this, name) is not None
            return types.BoundFunction(call, this) if is_known else None

    infer_getattr(Attribute)


def _called(kind: type, name: str) -> type[AbstractTemplate]:
    """A call of the method is a call of its machine code.

    An overload would be one function more for each caller, which calls the method: a seventh of all compiling.
    """

    def machine_code_of(this: Any) -> Any:
        return types.Dispatcher(_compiled_method(_method_of(this, name)))

    class Call(AbstractTemplate):
        key = (kind, name)

        def generic(self, args: Any, keywords: Any) -> Any:
            return machine_code_of(self.this).get_call_type(self.context, (self.this, *args), keywords).as_method()

    @lower_builtin((kind, name), kind, types.VarArg(types.Any))
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        machine_code = machine_code_of(signature.args[0])
        call = context.get_function(
            machine_code, machine_code.get_call_type(context.typing_context, signature.args, {})
        )
        context.add_linking_libs(getattr(call, "libs", ()))
        return call(builder, args)

    return Call


def _inlined(kind: type, name: str) -> type[AbstractTemplate]:
    """A call of the method is its source, in the place of the call.

    Numba's `overload_method(inline="always")` makes machine code of each method that it inlines, which nobody calls: a
    tenth of the compiling of a first fit. Here the types of its variables are all that is found out before. The names
    with an underscore are those that Numba's inliner looks for.
    """

    class Call(AbstractTemplate):
        key = (kind, name)
        _inline = InlineOptions("always")
        _inline_overloads: ClassVar[dict[Any, Any]] = {}  # argument types -> what is inlined

        @staticmethod
        def _overload_func(this: Any, *args: Any) -> Any:
            return _method_of(this, name)

        def generic(self, args: Any, keywords: Any) -> Any:
            dispatcher = _compiled_method(_method_of(self.this, name))
            _, given = dispatcher._compiler.fold_argument_types((self.this, *args), keywords)
            if given not in self._inline_overloads:
                typed = _typed(self.context, dispatcher, given)
                self._inline_overloads[given] = {"folded_args": given, "iinfo": typed}
            return self._inline_overloads[given]["iinfo"].signature.as_method()

    return Call


def _typed(context: Any, dispatcher: Any, args: tuple[Any, ...]) -> Any:
    """A function's intermediate code and the types of its variables: compiled up to there."""
    target, flags = dispatcher.targetctx, compiler.Flags()
    pipeline = compiler.Compiler(context, target, None, None, None, flags, {})
    code = InlineWorker(context, target, {}, pipeline, flags, None).run_untyped_passes(dispatcher.py_func, True)
    found = type_inference_stage(context, target, code, args, None)
    code = PreLowerStripPhis()._strip_phi_nodes(code)
    code._definitions = build_definitions(code.blocks)
    signature = typing.Signature(found.return_type, args, None, pysig=pysignature(dispatcher.py_func))
    return _inline_info(code, found.typemap, found.calltypes, signature)


def _method_of(this: Any, name: str) -> Callable[..., Any] | None:
    """The method of this type of tuples, as it is in the class."""
    method = inspect.getattr_static(this.instance_class, name, None)
    return method if inspect.isfunction(method) else None


@functools.cache
def _compiled_method(function: Callable[..., Any]) -> Any:
    # Reassociation gains nothing outside of loops over columns, and could overflow where the source does not.
    liberties = {"contract", "reassoc"} if function.__name__ in BORROWS else {"contract"}
    options: Any = {"nogil": True, "error_model": DIVISION, "fastmath": liberties}
    return numba.njit(**options, **_called_by_kernels(function.__name__))(function)


def _called_by_kernels(name: str) -> dict[str, bool]:
    """Options of a method that kernels call and Python never: it may make arrays, unless it is one that borrows."""
    wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return {"forceinline": name in EVERY_ROW, "_nrt": name not in BORROWS, **wrappers}

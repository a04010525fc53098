"""The losses, constraints and solvers by name, read off their sources: a help page imports none of them.

A registry is `NAME = by_name(Class, ...)` in the `__init__` of a folder with a file for each class, named as users
name it.
"""

from __future__ import annotations

import ast
import functools
from pathlib import Path
from typing import Any, NamedTuple

REGISTRIES = {
    "losses": ("empirisk.losses", "LOSSES"),
    "constraints": ("empirisk.constraints", "CONSTRAINTS"),
    "solvers": ("empirisk.solvers", "SOLVERS"),
}
EVERY_TASK = ("classification", "regression")


class Entry(NamedTuple):
    """What can be said of a part without loading it."""

    name: str
    summary: str  # the first line of its docstring; of a solver that of its file
    parameters: dict[str, Any]  # numbers with their defaults, which a text such as huber:delta=2 can set
    tasks: tuple[str, ...]  # of a loss

    def line(self) -> str:
        """One line, without the name."""
        settings = ", ".join(f"{name}={value:g}" for name, value in self.parameters.items())
        return f"{self.summary} [{settings}]" if settings else self.summary


@functools.cache
def entries(kind: str) -> tuple[Entry, ...]:
    """Those of a kind that the command line can name, in the order of their registry."""
    package, registry = REGISTRIES[kind]
    tree = _parsed(package)
    homes = {
        alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
    }
    (listed,) = (
        node.value.args
        for node in tree.body
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and node.target.id == registry
        and isinstance(node.value, ast.Call)
    )
    classes = [item.id for item in listed if isinstance(item, ast.Name)]
    found = [_entry(homes[name], name, kind) for name in classes]
    return tuple(entry for entry in found if entry is not None)


def names(kind: str) -> list[str]:
    """Their names."""
    return [entry.name for entry in entries(kind)]


def _entry(module: str, class_name: str, kind: str) -> Entry | None:
    """None for what the command line cannot name: a loss without a derivative, a constraint that needs an array."""
    file = _parsed(module)
    (found,) = (node for node in file.body if isinstance(node, ast.ClassDef) and node.name == class_name)
    methods = {node.name: node for node in found.body if isinstance(node, ast.FunctionDef)}
    fields = {ast.unparse(node.target): node.value for node in found.body if isinstance(node, ast.AnnAssign)}
    if (kind == "losses" and "derivative" not in methods) or (kind == "constraints" and None in fields.values()):
        return None
    said = ast.get_docstring(file if kind == "solvers" else found) or ""
    parameters = {} if kind == "solvers" else {name: _number(value) for name, value in fields.items()}
    tasks = EVERY_TASK
    if "tasks" in methods:
        (answer,) = (node for node in methods["tasks"].body if isinstance(node, ast.Return))
        tasks = ast.literal_eval(ast.unparse(answer).removeprefix("return"))
    return Entry(module.rpartition(".")[2], said.splitlines()[0], parameters, tasks)


def _number(node: ast.expr | None) -> float:
    """A default: a number, or infinity by its name."""
    assert node is not None
    return float(ast.literal_eval(ast.unparse(node).replace("math.inf", "1e999")))


def _parsed(module: str) -> ast.Module:
    """The source of a module of this package, which is not imported."""
    path = Path(__file__).parent.parent.joinpath(*module.split(".")[1:])
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(path.read_text(encoding="utf-8"))

"""The law of tasks: wherever rows live, however many threads run over them, the bytes are the same."""

from __future__ import annotations

import ast
import functools
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import empirisk
from empirisk.designs import CSR, as_design
from empirisk.rows.in_memory import InMemory
from empirisk.rows.protocol import Rows
from tests.laws.task_cases import CASES, Setting, shrink
from tests.rows.scattered import Pieces, Scattered

STORED = [(False, np.float64), (False, np.float32), (True, np.float64), (True, np.float32)]
COUNTED = [((True, True), (False, False)), ((True, False), (False, True))]  # weights, intercept
SETTINGS = [(*stored, *counted) for k, stored in enumerate(STORED) for counted in COUNTED[k % 2]]
THREADS = (1, 2, 4)
SEEDS = (0, 1)
PACKAGE = Path(empirisk.__file__).parent


class Askew(InMemory):
    """Rows and row vectors that begin anywhere in a cache line."""

    def __init__(self, X: Any, n_threads: int) -> None:
        design = as_design(X)
        moved = {"values": askew(design.values, 3)}
        if isinstance(design, CSR):
            moved.update(indices=askew(design.indices, 1), starts=askew(design.starts, 5))
        super().__init__(design._replace(**moved), n_threads)

    def blank(self, shape: tuple[int, ...] = ()) -> Any:
        return askew(super().blank(shape), 1)

    def place(self, array: Any) -> Any:
        return askew(array, 5)


def askew(array: Any, at: int) -> Any:
    """A copy, so many entries behind the beginning of a buffer."""
    moved = np.empty(array.size + at, array.dtype)[at:].reshape(array.shape)
    moved[...] = array
    moved.flags.writeable = array.flags.writeable
    return moved


def bytes_of(said: Any) -> Any:
    """All that was said, to the bit: -0.0 is not 0.0, and nan is itself."""
    if isinstance(said, Pieces):
        return bytes_of(np.concatenate(said.parts))
    if isinstance(said, np.ndarray):
        return said.shape, said.dtype.str, said.tobytes()
    if isinstance(said, float):
        return struct.pack("d", said)
    if isinstance(said, (tuple, list)):
        return [bytes_of(one) for one in said]
    if isinstance(said, dict):
        return {key: bytes_of(one) for key, one in said.items()}
    assert isinstance(said, (int, str, np.integer, type(None))), type(said)
    return said


def check_near(found: Any, expected: Any) -> None:
    """The same but for rounding; of certificates what they claim, which counts every rounding."""
    if isinstance(expected, dict):
        names = ("objective", "gap", "classes") if "kind" in expected else tuple(expected)
        found, expected = ([said[name] for name in names if name in said] for said in (found, expected))
    if isinstance(expected, (tuple, list)):
        for one, other in zip(found, expected, strict=True):
            check_near(one, other)
    elif isinstance(expected, (float, np.ndarray)):
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)
    else:
        assert found == expected


@pytest.fixture
def small(monkeypatch):
    shrink(monkeypatch)


def check(name: str, setting: tuple[bool, Any, bool, bool]) -> None:
    """The bytes of a case, wherever its rows live."""
    expected = bytes_of(CASES[name](Setting(*setting, lambda X: InMemory(as_design(X), 1))))
    for threads in THREADS:
        found = CASES[name](Setting(*setting, lambda X, k=threads: Askew(X, k)))
        assert bytes_of(found) == expected, f"{threads} thread(s)"
    for seed in SEEDS:
        found = CASES[name](Setting(*setting, lambda X, k=seed: Scattered(X, k)))
        assert bytes_of(found) == expected, f"scattered, seed {seed}"


@pytest.mark.interpreted
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: f"{'csr' if s[0] else 'dense'}-{s[1].__name__}-{s[2:]}")
@pytest.mark.parametrize("name", CASES)
def test_the_same_bytes_everywhere(name, setting):
    check(name, setting)


@pytest.mark.interpreted
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize("name", CASES)
def test_blocks_change_nothing_but_rounding(name, is_sparse, monkeypatch):
    """All rows in one block, as tiny data are, against many: a task that counts rows from its own first is found."""
    setting = Setting(is_sparse, np.float64, True, True, lambda X: InMemory(as_design(X), 1))
    expected = CASES[name](setting)
    shrink(monkeypatch)
    check_near(CASES[name](setting), expected)


@pytest.mark.compiled
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize("name", ["gradients", "gaps_with_dual_points"])
def test_the_same_bytes_of_machine_code(name, is_sparse):
    check(name, (is_sparse, np.float64, True, True))


@pytest.mark.interpreted
@pytest.mark.usefixtures("small")
def test_the_cases_have_what_a_tree_can_have():
    """Several leaves, several blocks in a leaf, several cells in a block: else the law would say little."""
    for is_sparse, dtype in STORED:
        rows = Setting(is_sparse, dtype, True, True, lambda X: InMemory(as_design(X), 1)).rows()
        leaves = rows.tree.leaves(4)
        assert len(leaves) > 2
        assert len(rows.tree.edges) - 1 > len(rows.tree.blocks(leaves[0])) > 1


@functools.cache
def tasks() -> frozenset[str]:
    """Functions of a block of rows whose name is given to others; one that is only called is a part of a task."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        loaded = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
        named = {node.id for node in loaded if id(node) not in called}
        module = ".".join(("empirisk", *path.relative_to(PACKAGE).with_suffix("").parts))
        for node in tree.body:
            first = node.args.args[0] if isinstance(node, ast.FunctionDef) and node.args.args else None
            is_task = first is not None and isinstance(first.annotation, ast.Name) and first.annotation.id == "RowBlock"
            if is_task and node.name in named:
                found.add(f"{module}.{node.name}")
    return frozenset(found)


@pytest.mark.interpreted
@pytest.mark.usefixtures("small")
def test_every_task_has_a_case():
    seen: set[str] = set()

    def live(X: Any) -> Scattered:
        rows = Scattered(X)
        rows.seen = seen
        return rows

    for run in CASES.values():
        run(Setting(True, np.float64, True, True, live))
    lacking, strange = sorted(tasks() - seen), sorted(seen - tasks())
    assert not lacking, f"no case of tests/laws/task_cases.py runs {lacking}: add one, a function marked @case"
    assert not strange, f"{strange} ran as tasks: their first parameter must be `block: RowBlock`"


@pytest.mark.interpreted
def test_the_residences_have_all_of_the_protocol():
    asked = [name for name in vars(Rows) if not name.startswith("_")]
    for rows in (InMemory(as_design(np.ones((2, 2)))), Scattered(scipy.sparse.eye_array(2, format="csr"))):
        assert [name for name in asked if not hasattr(type(rows), name) and name not in vars(rows)] == []

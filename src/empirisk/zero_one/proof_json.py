"""Proofs and packings as JSON, and back."""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import Any

import numpy as np

from empirisk.certificates.fields import is_integer, is_number
from empirisk.separation.conflicts.minimal_conflict import Conflict
from empirisk.separation.inseparability import HEXADECIMAL
from empirisk.zero_one.evidence import Packing, Proof

MOST_NODES = 2**31  # of a tree that is read
DEEPEST = 50  # proofs of parts of parts
NAMES = {"rows", "loss", "L", "nodes", "tree", "conflicts", "parts"}


def proof_to_json(proof: Proof | None) -> dict[str, Any] | None:
    """Numbers as they are, weights of conflicts as hexadecimal text, the tree packed."""
    if proof is None:
        return None
    return {
        "rows": list(proof.rows),
        "loss": proof.loss,
        "L": proof.L.tolist(),
        "nodes": int(proof.tree.size),
        "tree": base64.b64encode(zlib.compress(proof.tree.tobytes(), 9)).decode(),
        "conflicts": [_conflict_to_json(conflict) for conflict in proof.conflicts],
        "parts": [proof_to_json(part) for part in proof.parts],
    }


def proof_from_json(data: Any, depth: int = 0) -> Proof | None:
    """What `proof_to_json` gave; ValueError or TypeError for anything else."""
    if data is None:
        return None
    if depth > DEEPEST:
        raise ValueError("the proofs of the certificate are nested too deeply")
    _expect(isinstance(data, dict) and set(data) == NAMES, "a proof")
    nodes = _integer(data["nodes"])
    if not 0 < nodes <= MOST_NODES:
        raise ValueError("the tree of the certificate has no nodes, or too many")
    parts = [proof_from_json(one, depth + 1) for one in _list(data["parts"], "parts")]
    return Proof(
        rows=_integers(data["rows"], "rows"),
        loss=_integer(data["loss"]),
        L=_matrix(data["L"]),
        tree=_tree(data["tree"], nodes),
        conflicts=tuple(map(_conflict_from_json, _list(data["conflicts"], "conflicts"))),
        parts=tuple(_present(part) for part in parts),
    )


def packing_to_json(packing: Packing | None) -> dict[str, Any] | None:
    """The conflicts and their shares."""
    if packing is None:
        return None
    return {"conflicts": [_conflict_to_json(one) for one in packing.conflicts], "shares": list(packing.shares)}


def packing_from_json(data: Any) -> Packing | None:
    """What `packing_to_json` gave."""
    if data is None:
        return None
    _expect(isinstance(data, dict) and set(data) == {"conflicts", "shares"}, "a packing")
    conflicts, shares = _list(data["conflicts"], "conflicts"), _list(data["shares"], "shares")
    _expect(all(map(is_number, shares)), "shares")
    return Packing(tuple(map(_conflict_from_json, conflicts)), tuple(shares))


def _tree(text: Any, nodes: int) -> Any:
    _expect(isinstance(text, str), "tree")
    try:
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(base64.b64decode(text, validate=True), nodes + 1)
    except (binascii.Error, zlib.error) as error:
        raise ValueError(f"the tree of the certificate cannot be read: {error}") from None
    if len(content) != nodes:
        raise ValueError("the tree of the certificate has not as many nodes as it says")
    return np.frombuffer(content, dtype=np.uint8)


def _conflict_to_json(conflict: Conflict) -> list[Any]:
    return [list(conflict.rows), [hex(weight) for weight in conflict.weights]]


def _conflict_from_json(data: Any) -> Conflict:
    _expect(isinstance(data, list) and len(data) == 2, "a conflict")
    weights = _list(data[1], "weights of a conflict")
    _expect(all(isinstance(weight, str) and HEXADECIMAL.fullmatch(weight) for weight in weights), "weights")
    return Conflict(_integers(data[0], "rows of a conflict"), tuple(int(weight, 16) for weight in weights))


def _matrix(data: Any) -> Any:
    rows = [_list(row, "L") for row in _list(data, "L")]
    _expect(all(len(row) == len(rows) and all(map(is_number, row)) for row in rows), "L")
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(rows))


def _present(part: Proof | None) -> Proof:
    if part is None:
        raise ValueError("a part of a proof of the certificate is missing")
    return part


def _integers(data: Any, name: str) -> tuple[int, ...]:
    return tuple(map(_integer, _list(data, name)))


def _list(data: Any, name: str) -> list[Any]:
    _expect(isinstance(data, list), name)
    return list(data)


def _expect(is_so: bool, name: str) -> None:
    if not is_so:
        raise ValueError(f"the evidence of the certificate cannot be read: {name} is of another kind")


def _integer(x: Any) -> int:
    if not is_integer(x):
        raise ValueError(f"expected an integer in the certificate, found {x!r}")
    return int(x)

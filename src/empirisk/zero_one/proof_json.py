"""Proofs and packings as JSON, and back."""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import Any

import numpy as np

from empirisk.separation.conflicts.minimal_conflict import Conflict
from empirisk.zero_one.evidence import Packing, Proof

MOST_NODES = 2**31  # of a tree that is read
DEEPEST = 50  # proofs of parts of parts


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
    nodes = _integer(data["nodes"])
    if not 0 < nodes <= MOST_NODES:
        raise ValueError("the tree of the certificate has no nodes, or too many")
    parts = tuple(part for part in (proof_from_json(one, depth + 1) for one in data["parts"]) if part is not None)
    return Proof(
        rows=tuple(_integer(row) for row in data["rows"]),
        loss=_integer(data["loss"]),
        L=np.array(data["L"], dtype=np.float64),
        tree=_tree(data["tree"], nodes),
        conflicts=tuple(_conflict_from_json(conflict) for conflict in data["conflicts"]),
        parts=parts,
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
    return Packing(
        tuple(_conflict_from_json(one) for one in data["conflicts"]), tuple(float(share) for share in data["shares"])
    )


def _tree(text: str, nodes: int) -> Any:
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
    rows, weights = data
    return Conflict(tuple(_integer(row) for row in rows), tuple(int(weight, 16) for weight in weights))


def _integer(x: Any) -> int:
    if not isinstance(x, int) or isinstance(x, bool):
        raise ValueError(f"expected an integer in the certificate, found {x!r}")
    return x

"""The sealed file: safetensors with canonical JSON in its header, and a digest over every byte.

The header holds one text, `empirisk`: JSON with the format version, the kind of model, its fields and `sha256`, the
digest of every byte of the file with its own digits as zeros. Reading runs no code and builds registered kinds only.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from empirisk.data.files import write_atomically
from empirisk.model_file.checks import Arrays
from empirisk.model_file.linear_parts import linear_from_parts, linear_to_parts
from empirisk.models.linear import LinearModel

FORMAT = 1
LARGEST_HEADER = 100_000_000  # bytes; safetensors reads no longer one
NO_DIGEST = "0" * 64
# Text of users is escaped twice in the header: it cannot look like this.
SEAL = re.compile(rb'\\"sha256\\":\\"([0-9a-f]{64})\\"')
# What reading fields of the wrong names, types or sizes raises.
INVALID = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class ModelFileError(ValueError):
    """A model cannot be written, or a file is not a whole, unchanged model file: one sentence that says why."""


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model or estimator to `path`: all of it, or nothing and what was there before survives."""
    write_atomically(path, [to_bytes(model)])


def load(path: str | os.PathLike[str]) -> Any:
    """Read the model that `save` wrote; raises ModelFileError for anything else."""
    name = os.fspath(path)
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise ModelFileError(f"{name} is not a file")
    with open(path, "rb") as stream:
        head = stream.read(8)
        size = int.from_bytes(head, "little")
        header = stream.read(size) if len(head) == 8 and size <= LARGEST_HEADER else b""
        seals = list(SEAL.finditer(header))
        if len(seals) != 1 or len(header) != size:
            raise ModelFileError(f"{name} is not an empirisk model file, or its beginning is damaged")
        data = head + header + stream.read()
    start, stop = (8 + place for place in seals[0].span(1))
    if _digest(data, start).encode() != data[start:stop]:
        raise ModelFileError(f"{name} is damaged: its bytes are not those that were written (the digest differs)")
    try:
        return _from_bytes(data, header, name)
    except ModelFileError:
        raise
    except (*INVALID, SafetensorError) as error:
        raise ModelFileError(f"{name} is not a valid model file: {error}") from None


def to_bytes(model: Any) -> bytes:
    """The content of the model file."""
    given, model = model, getattr(model, "model_", model)  # an estimator keeps its model there
    kind = next((kind for kind, entry in KINDS.items() if type(model) is entry.cls), None)
    if kind is None:
        name = type(given).__name__
        if hasattr(model, "certificate") or hasattr(model, "to_json"):
            raise TypeError(f"the model file holds linear models, not {name}: keep its certificate's to_json()")
        raise TypeError(f"save takes a fitted model or estimator, got {name}; call fit first")
    try:
        fields, arrays = KINDS[kind].to_parts(model)
        content = {"format": FORMAT, "kind": kind, "model": fields, "sha256": NO_DIGEST}
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
        KINDS[kind].from_parts(json.loads(text)["model"], arrays)  # what cannot be read back is not written
    except INVALID as error:
        raise ModelFileError(f"this model cannot be saved: {error}") from None
    data = save_arrays({name: np.ascontiguousarray(array) for name, array in arrays.items()}, {"empirisk": text})
    seal = SEAL.search(data)
    assert seal is not None
    return data[: seal.start(1)] + _digest(data, seal.start(1)).encode() + data[seal.end(1) :]


def _digest(data: bytes, start: int) -> str:
    digest = hashlib.sha256(data[:start])
    digest.update(NO_DIGEST.encode())
    digest.update(memoryview(data)[start + len(NO_DIGEST) :])
    return digest.hexdigest()


def _from_bytes(data: bytes, header: bytes, name: str) -> Any:
    content = json.loads(json.loads(header)["__metadata__"]["empirisk"])
    version = content["format"]
    if type(version) is not int or version > FORMAT:
        raise ModelFileError(
            f"{name} has format {version}, and this version of empirisk reads formats up to {FORMAT}: upgrade empirisk"
        )
    if content["kind"] not in KINDS:
        raise ModelFileError(f"{name} holds a model of unknown kind {content['kind']!r}; known: {', '.join(KINDS)}")
    arrays = {key: np.array(array) for key, array in load_arrays(data).items()}  # copies: kernels want writable ones
    return KINDS[content["kind"]].from_parts(content["model"], arrays)


class _Kind(NamedTuple):
    """How one kind of model becomes JSON and arrays, and back."""

    cls: type
    to_parts: Callable[[Any], tuple[dict[str, Any], Arrays]]
    from_parts: Callable[[dict[str, Any], Arrays], Any]


KINDS: dict[str, _Kind] = {"linear": _Kind(LinearModel, linear_to_parts, linear_from_parts)}

"""The sealed file: safetensors with canonical JSON in its header, and a digest over every byte.

The header holds one text, `empirisk`: JSON with the format version, the kind of model, its fields and `sha256`, the
digest of every byte of the file with its own digits as zeros. Reading runs no code and builds registered kinds only.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, BinaryIO

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from empirisk.capabilities import offers
from empirisk.model_file.checks import INVALID, ModelFileError, check, check_fields
from empirisk.model_file.registry import HOMES, KINDS, kind_of, known_kind

FORMAT = 1
LARGEST_HEADER = 100_000_000  # bytes; safetensors reads no longer one
NO_DIGEST = "0" * 64
# Text of users is escaped twice in the header: it cannot look like this.
SEAL = re.compile(rb'\\"sha256\\":\\"([0-9a-f]{64})\\"')


def is_container(head: bytes) -> bool:
    """Whether a file that begins with these eight bytes may be one: they are the size of its header."""
    return len(head) == 8 and int.from_bytes(head, "little") <= LARGEST_HEADER


def from_stream(head: bytes, stream: BinaryIO, name: str) -> Any:
    """The model of a file, of which `head` has been read; `name` is for the sentence of a ModelFileError."""
    size = int.from_bytes(head, "little")
    header = stream.read(size)
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
    """The content of the model file of a fitted model, or of an estimator that holds one."""
    given, model = model, getattr(model, "model_", model)
    name_of_kind = kind_of(type(model))
    kind = known_kind(name_of_kind)
    if kind is None or kind.cls is not type(model):
        name = type(given).__name__
        if offers(model, "verify"):
            said = "is about the point of a problem, and a file of its own could not say which"
            raise TypeError(f"this {name} {said}: save the fitted estimator or model that holds it")
        if offers(getattr(model, "certificate", None), "problem_of"):
            raise TypeError(f"save takes a model, an estimator or a certificate, got {name}: save its certificate")
        raise TypeError(
            _inside(given) or f"save takes a fitted model or estimator, or a certificate, got {name}; call fit first"
        )
    try:
        fields, arrays = kind.to_parts(model)
        content = {"format": FORMAT, "kind": name_of_kind, "model": fields, "sha256": NO_DIGEST}
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
        kind.from_parts(json.loads(text)["model"], arrays)  # what cannot be read back is not written
    except INVALID as error:
        raise ModelFileError(f"this model cannot be saved: {error}") from None
    data = save_arrays({name: np.ascontiguousarray(array) for name, array in arrays.items()}, {"empirisk": text})
    seal = SEAL.search(data)
    assert seal is not None
    return data[: seal.start(1)] + _digest(data, seal.start(1)).encode() + data[seal.end(1) :]


def _inside(given: Any) -> str | None:
    """Which part of a fitted Pipeline, search or ensemble of scikit-learn can be saved, and what of the rest."""
    said = f"a {type(given).__name__} is not saved as a whole: save"
    rest = "; keep the fitted steps before it with joblib or skops, and put er.load(path) behind them in a new Pipeline"
    best = getattr(given, "best_estimator_", given)
    parts = np.ravel(getattr(given, "estimators_", [])).tolist()
    last = best.steps[-1][1] if hasattr(best, "steps") else best
    if hasattr(last, "model_") or kind_of(type(last)) in {*KINDS, *HOMES}:
        what, name = ("its last step", "pipeline") if best is given else ("what it found", "search.best_estimator_")
        is_last = last is not best
        return f"{said} {what}, er.save({name}{'[-1]' * is_last}, path){rest * is_last}"
    if any(hasattr(part, "model_") for part in parts):
        return f"{said} each of its estimators_ to a file of its own"
    return None


def _digest(data: bytes, start: int) -> str:
    digest = hashlib.sha256(data[:start])
    digest.update(NO_DIGEST.encode())
    digest.update(memoryview(data)[start + len(NO_DIGEST) :])
    return digest.hexdigest()


def _from_bytes(data: bytes, header: bytes, name: str) -> Any:
    content = json.loads(json.loads(header)["__metadata__"]["empirisk"])
    version = content["format"]
    check(
        type(version) is int and version >= 1,
        f"its format is {version!r:.50}, which no version of empirisk has written",
    )
    if version > FORMAT:
        raise ModelFileError(
            f"{name} has format {version}, and this version of empirisk reads formats up to {FORMAT}: upgrade empirisk"
        )
    check_fields(content, ("format", "kind", "model", "sha256"), "the file")
    kind = known_kind(content["kind"])
    if kind is None:
        known = ", ".join(sorted({*KINDS, *HOMES}))
        raise ModelFileError(f"{name} holds a model of unknown kind {content['kind']!r}; known: {known}")
    arrays = {key: np.array(array) for key, array in load_arrays(data).items()}  # copies: kernels want writable ones
    return kind.from_parts(content["model"], arrays)

"""What certificates about realisation share: the sequences, and the weights of a model of them, that they speak of."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from empirisk.certificates.fields import count_of, expect, text_of
from empirisk.chains.chain_data import ChainData
from empirisk.protocols import Verification

CLAIM = ("n_sequences", "n_tokens", "n_weights", "classes", "layout", "fingerprint")
PLAIN = (str, int, float, bool)


def claim_fields(data: ChainData) -> dict[str, Any]:
    """The fields that bind a certificate to data."""
    return {
        "n_sequences": data.n_sequences,
        "n_tokens": data.sequences.n_tokens,
        "n_weights": data.layout.size,
        "classes": tuple(x if isinstance(x, PLAIN) else str(x) for x in data.classes.tolist()),
        "layout": layout_digest(data),
        "fingerprint": data.fingerprint(),
    }


def layout_digest(data: ChainData) -> str:
    """Of what each weight is that of, and of what is forbidden: 32 hexadecimal digits."""
    layout, mix = data.layout, hashlib.blake2b(digest_size=16)
    mix.update(repr((layout.n_labels, layout.n_dense, layout.has_ends)).encode())
    for array in (layout.state_starts, layout.state_labels, layout.is_free, *data.masks):
        mix.update(np.ascontiguousarray(array).tobytes())
    return mix.hexdigest()


def refused(certificate: Any, data: object) -> Verification | None:
    """The verdict where these are not the data of the certificate; else None."""
    if not isinstance(data, ChainData):
        return Verification(False, f"The certificate speaks of labelled sequences, not of {type(data).__name__}.")
    for name, value in claim_fields(data).items():
        claim = getattr(certificate, name)
        if _with_types(claim) != _with_types(value):
            return Verification(False, f"The certificate speaks of other data: its {name} is {claim}, not {value}.")
    return None


def _with_types(value: Any) -> list[tuple[type, Any]]:
    """For a comparison that keeps 1, 1.0 and true apart."""
    return [(type(x), x) for x in (value if isinstance(value, tuple) else (value,))]


def claim_to_json(certificate: Any) -> dict[str, Any]:
    """The fields that bind it to data, for JSON."""
    return {**{name: getattr(certificate, name) for name in CLAIM}, "classes": list(certificate.classes)}


def claim_from_json(data: Mapping[str, Any]) -> dict[str, Any]:
    """What `claim_to_json` gave, checked."""
    classes = data["classes"]
    expect(isinstance(classes, list) and all(isinstance(x, PLAIN) for x in classes), "classes")
    counts = {name: count_of(data, name, 1) for name in CLAIM[:2]}
    texts = {name: text_of(data, name) for name in CLAIM[-2:]}
    return {**counts, "n_weights": count_of(data, "n_weights"), "classes": tuple(classes), **texts}


def chain_data_of(X: Any, y: Any = None, sample_weight: Any = None) -> ChainData:
    """The data themselves, which a certificate of realisation is checked on; weights do not matter for it."""
    if isinstance(X, ChainData) and y is None:
        return X
    raise TypeError(f"labelled sequences are what er.chain_data(X, y) gives, got {type(X).__name__}")

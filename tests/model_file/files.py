"""Small data, a loss of a user, and how a file is compared and forged."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

import numpy as np
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from empirisk.models import FitOptions, LinearModel, fit_linear

rng = np.random.default_rng(7)
X = rng.normal(size=(40, 3)) * [1.0, 10.0, 0.1] + [0.0, 5.0, 1.0]
SIGNS = np.where(X @ [1.0, 0.3, -2.0] + rng.normal(size=40) > 0.0, 1, -1)
MANY = np.digitize(X[:, 0] + 0.3 * rng.normal(size=40), [-0.5, 0.5])  # three classes


class Absolute(NamedTuple):
    """A user's own loss."""

    scale: float = 1.0

    def value(self, z, y):
        return self.scale * np.sqrt(1.0 + (z - y) ** 2)

    def derivative(self, z, y):
        return self.scale * (z - y) / np.sqrt(1.0 + (z - y) ** 2)

    def smoothness(self):
        return self.scale

    def conjugate(self, u, y):
        return u * y - np.sqrt(max(0.0, self.scale**2 - u * u))


def fitted(y: Any = SIGNS, **options: Any) -> LinearModel:
    return fit_linear(X, y, FitOptions(**{"l2": 0.1, **options})).model


def assert_same(a: Any, b: Any) -> None:
    """Equal to the last bit, types included; a NumPy number counts as the Python one."""
    assert type(a) is type(b) or (isinstance(a, float) and isinstance(b, float))
    if isinstance(a, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()
    elif isinstance(a, tuple):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            assert_same(x, y)
    elif isinstance(a, float):
        assert np.float64(a).tobytes() == np.float64(b).tobytes()
    else:
        assert a == b


def changed(path: Any, change: Any) -> None:
    """Rewrite a model file as an attacker would: change its parts, then compute the digest again."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    content = json.loads(json.loads(data[8 : 8 + size])["__metadata__"]["empirisk"])
    arrays = {name: np.array(array) for name, array in load_arrays(data).items()}
    change(content, arrays)
    content["sha256"] = "0" * 64
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    forged = save_arrays(arrays, {"empirisk": text})
    digest = hashlib.sha256(forged).hexdigest().encode()
    path.write_bytes(forged.replace(b'\\"sha256\\":\\"' + b"0" * 64, b'\\"sha256\\":\\"' + digest))

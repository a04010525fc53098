"""Claims that are changed in one field, which `verify` must refuse."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import empirisk as er
from tests.certificates.sealed import is_refused

# What binds a certificate of planes to its data.
ABOUT_OTHER_DATA: dict[str, Callable[[Any], Any]] = {
    "n_rows": lambda c: c.n_rows + 1,
    "n_columns": lambda c: 4,
    "fit_intercept": lambda c: False,
    "classes": lambda c: (1, -1),
    "fingerprint": lambda c: c.fingerprint[::-1],
}


def assert_found(certificate: Any, name: str, lies: Mapping[str, Callable[[Any], Any]], X: Any, y: Any) -> None:
    """The certificate holds on these data, and with a lie, or with nothing, in this field it does not."""
    assert er.verify(certificate, X, y).holds
    lie = certificate._replace(**{name: lies[name](certificate)})
    assert not er.verify(lie, X, y).holds
    assert is_refused(lie, X, y)
    assert not er.verify(certificate._replace(**{name: None}), X, y).holds

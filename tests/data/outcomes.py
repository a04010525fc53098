"""What a reader makes of a text: what it reads, or the error that it raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from empirisk.data.errors import DataError


def error_of(read: Callable[..., Any], text: str | bytes, **options: Any) -> DataError:
    """The error that the text, read from a stream, must give."""
    with pytest.raises(DataError) as caught:
        read(text, **options)
    assert caught.value.path == "<stream>"
    return caught.value


def read_or_error(read: Callable[..., Any], text: str | bytes) -> Any:
    """What is read, or the error."""
    try:
        return read(text)
    except DataError as error:
        return error

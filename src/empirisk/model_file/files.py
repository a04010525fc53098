"""Models and certificates in files: written whole or not at all, and told apart by what is in them."""

from __future__ import annotations

import errno
import os
import stat
from typing import Any

from empirisk.capabilities import offers
from empirisk.data.files import write_atomically
from empirisk.model_file.certificate_file import certificate_from_bytes, certificate_to_bytes, is_text_object
from empirisk.model_file.checks import ModelFileError
from empirisk.model_file.container import from_stream, is_container, to_bytes


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model or estimator, or a certificate that says which problem it is about, to `path`.

    All of it is written, or nothing, and what was there before survives.
    """
    is_certificate = offers(model, "problem_of")
    write_atomically(path, [certificate_to_bytes(model) if is_certificate else to_bytes(model)])


def load(path: str | os.PathLike[str]) -> Any:
    """Read the model or the certificate that `save` or a command wrote; raises ModelFileError for anything else."""
    name = os.fspath(path)
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    if not stat.S_ISREG(mode):
        raise ModelFileError(f"{name} is not a file")
    with open(path, "rb") as stream:
        head = stream.read(8)
        if is_container(head):
            return from_stream(head, stream, name)
        if is_text_object(head):
            return certificate_from_bytes(head + stream.read(), name)
    raise ModelFileError(f"{name} is not an empirisk model file or certificate, or its beginning is damaged")

"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterable


def write_atomically(path: str | os.PathLike[str], chunks: Iterable[bytes]) -> None:
    """Write to a temporary file beside `path`, sync, rename: at every moment `path` is the old file or the new one."""
    target = os.path.realpath(path)
    mode = None
    with contextlib.suppress(FileNotFoundError):
        mode = os.stat(target).st_mode
    if mode is not None and not stat.S_ISREG(mode):
        code = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
        raise OSError(code, os.strerror(code) if code == errno.EISDIR else "Not a regular file", os.fspath(path))
    folder = os.path.dirname(target)
    temporary = os.path.join(folder, f".{secrets.token_hex(8)}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(handle, "wb") as stream:
            if mode is not None:
                os.chmod(temporary, stat.S_IMODE(mode))
            for chunk in chunks:
                stream.write(chunk)
            stream.flush()
            os.fsync(handle)
        os.replace(temporary, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.filename in (None, temporary):
            error.filename, error.filename2 = os.fspath(path), None
        raise
    _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    """Make the rename last through a power cut, where the system has a way to."""
    if os.name != "posix":
        return
    # The file is written: a folder that cannot be opened or synced is no reason to report a failure.
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

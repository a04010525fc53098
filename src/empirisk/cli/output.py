"""Results on standard output, messages on standard error, files written whole or not at all."""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from empirisk.cli.errors import InputOutput, Usage
from empirisk.cli.streams import file_of, is_closed, is_standard_output

STANDARD_OUTPUT = ("-", "/dev/stdout")
NAME_WIDTH = 11  # of a table


def emit(text: str) -> None:
    """Write a result to standard output."""
    emit_bytes([encoded(text)])


def emit_bytes(chunks: Iterable[bytes]) -> None:
    """Write to standard output; a reader that has gone away ends it quietly."""
    try:
        sys.stdout.flush()
        for chunk in chunks:
            sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
    except OSError as error:
        _close_stdout()
        if not isinstance(error, BrokenPipeError):
            raise InputOutput(f"standard output: {error.strerror}") from None


def emit_json(content: dict[str, Any]) -> None:
    """One JSON object; numbers that JSON cannot hold become null."""
    emit(json.dumps(_finite(content), indent=2, allow_nan=False) + "\n")


def emit_table(rows: Iterable[tuple[str, str]]) -> None:
    """Lines of a name and what is to be said about it; what files and names bring is made safe for a terminal."""
    from empirisk.texts import visible

    emit("".join(f"{name:<{NAME_WIDTH}}{visible(said)}\n" for name, said in rows))


def headline_rows(headline: Iterable[Any]) -> list[tuple[str, str]]:
    """The most important numbers of a certificate, in its own words: a name, a number or a text, and a note each."""
    from empirisk.texts import shown

    rows = []
    for name, value, note in headline:
        first, rest = (name, "") if len(name) < NAME_WIDTH else name.split(" ", 1)
        said = f"{rest} {shown(value) if isinstance(value, float) else value}".strip()
        rows.append((first, f"{said}, {note}" if note else said))
    return rows


def say(text: str, quiet: bool = False) -> None:
    """A message on standard error."""
    if not quiet:
        from empirisk.texts import visible

        with contextlib.suppress(OSError):
            print(visible(text), file=sys.stderr, flush=True)


def write_file(path: str, chunks: Iterable[bytes]) -> None:
    """Write a file, `-` being standard output; a device is written to as it is."""
    from empirisk.data.files import write_atomically

    if path in STANDARD_OUTPUT:
        if is_closed("stdout"):
            raise InputOutput("standard output is closed; name a file with -o")
        emit_bytes(chunks)
    elif _is_device(path):
        try:
            with open(path, "wb") as stream:
                stream.writelines(chunks)
        except OSError as error:
            raise InputOutput(f"{path}: {error.strerror}") from None
    else:
        write_atomically(path, chunks)


def safe_lines(path: str, lines: Iterable[str]) -> Iterable[str]:
    """Lines of a result as they are; on a terminal with labels that it would obey escaped."""
    if path in STANDARD_OUTPUT and sys.stdout.isatty():
        from empirisk.texts import visible

        return (visible(line.removesuffix("\n")) + "\n" for line in lines)
    return lines


def check_writable(path: str, inputs: Sequence[str], takes_devices: bool = False) -> None:
    """Find out before the work whether `path` can be written, and is none of the `inputs`.

    Only what is written as it comes `takes_devices`: models and certificates are files, written whole or not at all.
    """
    if takes_devices and _is_device(path):
        return
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path):
        raise InputOutput(f"{path}: Is a directory")
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputOutput(f"{path}: Not a regular file")
    if not os.path.isdir(folder):
        raise InputOutput(f"{path}: the folder {os.path.dirname(path)} does not exist")
    if not os.access(folder, os.W_OK) or (os.path.exists(path) and not os.access(path, os.W_OK)):
        raise InputOutput(f"{path}: Permission denied")
    for source in inputs:
        is_same = os.path.realpath(source) == os.path.realpath(path)
        if is_same or (file_of(path) is not None and file_of(source) == file_of(path)):
            raise Usage(f"{path} would be both read and overwritten; give the output another name")
    check_standard_output(inputs)


def check_standard_output(inputs: Iterable[str]) -> None:
    """Refuse to read a file that standard output goes into."""
    for source in filter(is_standard_output, inputs):
        name = "<stdin>" if source == "-" else source
        raise Usage(f"{name} would be both read and written to, as it is standard output too; send that elsewhere")


def _is_device(path: str) -> bool:
    """Pipes, terminals and whatever /dev/fd/3 stands for."""
    if path.startswith("/dev/"):
        return True
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def _close_stdout() -> None:
    """Send what is left in the buffers nowhere: the interpreter would complain at its end."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def chunked(lines: Iterable[str], size: int = 1 << 14) -> Iterator[bytes]:
    """Lines joined into chunks worth a write."""
    pending: list[str] = []
    for line in lines:
        pending.append(line)
        if len(pending) == size:
            yield encoded("".join(pending))
            pending.clear()
    yield encoded("".join(pending))


def encoded(text: str) -> bytes:
    """UTF-8; halves of characters, which a label can be made of, as Python escapes them."""
    return text.encode(errors="backslashreplace")

"""A certificate as a file of its own: JSON that anyone can read, with the seal of `certificates.seal`.

Only certificates that say by themselves which problem they speak of (`problem_of`) can be files: with the data alone
they are checked. One field a line; arrays are on the line of `arrays`.
"""

from __future__ import annotations

import json

from empirisk.certificates import from_sealed_json, sealed_json
from empirisk.model_file.checks import INVALID, ModelFileError
from empirisk.protocols import Certificate


def is_text_object(head: bytes) -> bool:
    """Whether a file that begins with these bytes may be a certificate."""
    return head.lstrip(b" \t\r\n").startswith(b"{")


def certificate_to_bytes(certificate: Certificate) -> bytes:
    """The content of the file."""
    try:
        content = sealed_json(certificate)
        lines = [f"{json.dumps(name)}: {json.dumps(value, allow_nan=False)}" for name, value in content.items()]
    except INVALID as error:
        raise ModelFileError(f"this certificate cannot be saved: {error}") from None
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def certificate_from_bytes(data: bytes, name: str) -> Certificate:
    """The certificate of a file; `name` is that of the file, for the sentence of a ModelFileError."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{name} is not a certificate: it is not JSON ({error})") from None
    try:
        return from_sealed_json(content)
    except INVALID as error:
        raise ModelFileError(f"{name} is not a valid certificate: {error}") from None

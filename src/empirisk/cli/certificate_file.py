"""A certificate that stands in a JSON file of its own."""

from __future__ import annotations

import json
from typing import Any

from empirisk.cli.errors import BadData


def read_certificate(path: str, *kinds: Any) -> Any:
    """The certificate in the file, of one of these classes."""
    from empirisk.protocols import name_of

    known = {name_of(kind): kind for kind in kinds}
    with open(path, "rb") as stream:
        text = stream.read()
    try:
        content = json.loads(text)
        if not isinstance(content, dict) or content.get("kind") not in known:
            raise ValueError(f"expected a certificate of kind {' or '.join(known)}")
        return known[content["kind"]].from_json(content)
    except (ValueError, RecursionError) as error:
        raise BadData(f"{path}: {error}") from None

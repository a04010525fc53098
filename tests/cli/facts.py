"""What `--json` printed."""

from __future__ import annotations

import json


def facts(done):
    """Of a run that went well."""
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)

"""The line that verifies what a command has written."""

from __future__ import annotations

import shlex

from empirisk.cli.reading import Reading

USUAL_TOL = 1e-6  # for a certificate alone, which does not say what was asked


def verify_command(file: str, data: str, reading: Reading, tol: float = USUAL_TOL) -> str:
    """What a user types to verify the file, with what it does not know of its data by itself."""
    asked = [] if tol == USUAL_TOL else ["--tol", repr(tol)]
    return shlex.join(["empirisk", "verify", file, data, *reading.as_words(), *asked]) + (" < DATA" * (data == "-"))

"""Fresh Python processes that measure themselves and answer in JSON."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


class Unmeasured(Exception):
    """A measurement that could not be taken; the message says why."""


def last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


def run_script(script: str, *arguments: str, environment: dict[str, str] | None = None, limit: float = 300.0):
    """Run `script` in a fresh interpreter, away from the repository; its last printed line is JSON."""
    command = [sys.executable, "-c", script, *arguments]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=limit,
            cwd=tempfile.gettempdir(),
            env={**os.environ, **(environment or {})},
        )
    except subprocess.TimeoutExpired:
        raise Unmeasured(f"cut off after {limit:.0f} s") from None
    if done.returncode != 0:
        raise Unmeasured(last_line(done.stderr))
    return json.loads(last_line(done.stdout))


def command_line() -> list[str]:
    """How to start `empirisk` as users do: the script beside the interpreter."""
    script = Path(sys.executable).parent / "empirisk"
    if not script.exists():
        raise Unmeasured("the empirisk command is not installed beside this interpreter")
    return [str(script)]

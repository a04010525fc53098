"""The entry point: an interrupt while the commands are still being loaded ends as quietly as a later one."""

from __future__ import annotations

import sys

INTERRUPTED = 130  # as in `errors`, which is not loaded yet


def run() -> None:
    """Run the command line."""
    try:
        from empirisk.cli import main
    except KeyboardInterrupt:
        sys.stderr.write("Error: interrupted\n")
        sys.exit(INTERRUPTED)
    main.run()

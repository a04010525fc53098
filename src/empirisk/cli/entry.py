"""The entry point: an interrupt while the commands are still being loaded ends as quietly as a later one."""

from __future__ import annotations

import gc
import sys

COLLECT_AFTER = 50_000  # new objects: a command loads and compiles much that stays, and is over soon
INTERRUPTED = 130  # as in `errors`, which is not loaded yet


def run() -> None:
    """Run the command line."""
    gc.set_threshold(COLLECT_AFTER)
    try:
        from empirisk.cli import main
    except KeyboardInterrupt:
        sys.stderr.write("Error: interrupted\n")
        sys.exit(INTERRUPTED)
    main.run()

"""Python code that goes on as another user, wherever the interpreter is."""

import os
import subprocess
import sys

import pytest

NOBODY = 65534
LOADED = (
    "\nimport sys\nprint(*(name for name in sys.modules if name.partition('.')[0] not in ('__main__', 'empirisk')))"
)
# The interpreter of root may lie in a folder that is closed to others: what is needed of it is loaded before.
CHANGE = """
import importlib, os, warnings
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for name in {names!r}.split():
        try:
            importlib.import_module(name)
        except ImportError:
            pass
os.setgroups([])
os.setgid({nobody})
os.setuid({nobody})
try:
    open(os.path.join({folder!r}, "mine"), "w")
except PermissionError:
    pass
else:
    raise AssertionError("this user is to have no rights here")
"""


def as_another_user(code, arguments, environment, folder):
    """The same code, begun by a change to a user who cannot write to `folder`; a run of it tells what it loads."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    ran = subprocess.run(
        [sys.executable, "-c", f"import atexit\natexit.register(lambda: exec({LOADED!r}))\n{code}", *arguments],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    return CHANGE.format(names=ran.stdout.splitlines()[-1], nobody=NOBODY, folder=str(folder)) + code

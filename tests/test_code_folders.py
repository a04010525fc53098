"""Machine code that a process can read and not write: another user's, or on a read-only file system."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import empirisk
from tests.another_user import NOBODY, as_another_user

# Losses of the smallest kernel that calls one: what was found in the cache, and what was compiled.
CODE = """
import sys
import numpy as np
from empirisk.compiled import adopt
from empirisk.losses import as_loss
from empirisk.losses.laws.machine_code import _values
for name in sys.argv[1:]:
    loss = as_loss(name)
    adopt(loss)
    _values(loss, np.zeros(3), np.ones(3), np.empty(3))
print(sum(_values.stats.cache_hits.values()), sum(_values.stats.cache_misses.values()))
"""


@pytest.fixture(scope="module")
def place():
    """A folder that everybody can enter, with a copy of the package: pytest's own are for one user."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        package = Path(empirisk.__file__).parent
        shutil.copytree(package, Path(name) / "src" / "empirisk", ignore=shutil.ignore_patterns("__pycache__"))
        yield Path(name)


def environment(place, **others):
    """Of a process without a home; with `others` in it."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA")}
    return {**kept, "PYTHONPATH": str(place / "src"), "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1", **others}


def counts(place, *losses, code=CODE, before=(), given=None):
    """How many kernels were found, and compiled, in a process where warnings are errors; it says nothing else."""
    ran = subprocess.run(
        [*before, sys.executable, "-W", "error", "-c", code, *losses],
        cwd=place,
        env=environment(place, **(given or {})),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stderr
    return tuple(map(int, ran.stdout.split()))


def files(folder):
    """Every file below it, with what tells whether it was changed."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def cache(place):
    """A cache with one loss in it, and the variable that names it."""
    given = {"NUMBA_CACHE_DIR": str(place / "cache")}
    assert counts(place, "logistic", given=given) == (0, 1)
    assert counts(place, "logistic", given=given) == (1, 0)
    return given


@pytest.fixture(scope="module")
def elsewhere(place, cache):
    """The code as another user runs it."""
    spare = environment(place, NUMBA_CACHE_DIR=str(place / "spare"))
    code = as_another_user(CODE, ["logistic", "hinge"], spare, place)
    shutil.rmtree(place / "spare")
    return code


def test_another_user_compiles_nothing_that_is_there(place, cache, elsewhere):
    before = files(place)
    assert counts(place, "logistic", given=cache, code=elsewhere) == (1, 0)
    assert counts(place, "logistic", "hinge", given=cache, code=elsewhere) == (1, 1)  # what is not there, for itself
    assert files(place) == before


def test_what_another_user_left_beside_the_sources_is_found(place, elsewhere):
    assert counts(place, "squared") == (0, 1)
    assert list((place / "src").rglob("*.nbc"))
    assert counts(place, "squared", code=elsewhere) == (1, 0)


def test_another_user_keeps_what_is_new_in_a_folder_of_its_own(place, cache, elsewhere):
    home = place / "home"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    at_home = {**cache, "HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache")}
    assert counts(place, "logistic", "hinge", given=at_home, code=elsewhere) == (1, 1)
    assert counts(place, "logistic", "hinge", given=at_home, code=elsewhere) == (2, 0)


def test_a_folder_without_the_right_to_write_is_read(place, cache):
    """As the same user; root may write all the same, and finds the same."""
    folder = place / "locked"
    shutil.copytree(place / "cache", folder)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert counts(place, "logistic", given={"NUMBA_CACHE_DIR": str(folder)}) == (1, 0)
    finally:
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755)


def test_a_read_only_file_system_is_read(place, cache):
    """The whole folder is mounted anew, read-only, for this process alone; its root cannot write either."""
    unshare = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    lock = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0"'
    try:
        subprocess.run([*unshare, "sh", "-c", lock, str(place)], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this system lets no process mount a file system")
    before, inside = files(place), [*unshare, "sh", "-c", f'{lock} && exec "$@"', str(place)]
    assert counts(place, "logistic", before=inside, given=cache) == (1, 0)
    assert counts(place, "logistic", "hinge", before=inside, given=cache) == (1, 1)
    assert files(place) == before


def test_a_folder_that_can_be_written_is_the_only_one_that_is_read(place, cache):
    """So that what is compiled into a new folder, for an image, is all there."""
    assert counts(place, "logistic", given={"NUMBA_CACHE_DIR": str(place / "new")}) == (0, 1)
    assert list((place / "new").rglob("*.nbc"))

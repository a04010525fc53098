"""Machine code ahead of time: what was warmed up is used from elsewhere, and nothing is compiled there."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import empirisk
from empirisk import warm_up
from tests.another_user import as_another_user

KINDS = "squared,files"
RUN = "from empirisk.cli.entry import run; run()"
FIT = ["fit", "t.csv", "-o", "out/m", "--label", "price", "--loss", "squared", "--json"]
TABLE = "area,rooms,price\n" + "".join(f"{50 + 7 * i % 60},{i % 5},{90 + 13 * i % 77}\n" for i in range(40))


@pytest.mark.interpreted
@pytest.mark.parametrize("kind", [*warm_up.KINDS, "logistic", "hinge", "poisson"])
def test_every_kind_can_be_solved(kind, monkeypatch):
    monkeypatch.setattr(warm_up, "SHAPES", {"dense": ((12, 2),), "sparse": ((24, 3),)})
    assert warm_up._warmed(kind, warm_up.ROWS).kind == kind


def test_losses_that_can_be_fitted_are_kinds():
    warm_up.check_kinds([*warm_up.USUAL, *warm_up.FITTED])
    with pytest.raises(ValueError, match="no kind is called 'zero_one'"):
        warm_up.check_kinds(["zero_one"])


@pytest.fixture(scope="module")
def image():
    """What an image holds: the package, machine code, data; and a folder that everybody can write to."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        package = Path(empirisk.__file__).parent
        shutil.copytree(package, folder / "src" / "empirisk", ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "t.csv").write_text(TABLE)
        (folder / "out").mkdir()
        (folder / "out").chmod(0o777)
        told = command(folder, "warm-up", "--only", KINDS, "--rows", "dense", "--json")
        assert told["kernels"] > 0
        assert told["folder"] == str(folder / "cache")
        yield folder


def environment(folder):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA")}
    others = {"NUMBA_CACHE_DIR": str(folder / "cache"), "HOME": "/nonexistent"}
    return {**kept, **others, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}


def command(folder, *arguments, code=RUN, before=()):
    """The JSON of a command, which says nothing of compiling where nothing is compiled."""
    ran = subprocess.run(
        [*before, sys.executable, "-W", "error", "-c", code, *arguments],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert ("compil" in ran.stderr) == (told["compile_seconds"] > 0.0 and arguments[0] != "warm-up")
    return told


def machine_code(folder):
    """Every file of it, and what tells whether it was written again."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")}


def test_nothing_is_compiled_twice(image):
    before = machine_code(image)
    told = command(image, "warm-up", "--only", KINDS, "--rows", "dense", "--json")
    assert (told["kernels"], told["compile_seconds"]) == (0, 0.0)
    assert command(image, *FIT)["compile_seconds"] == 0.0
    assert machine_code(image) == before


def test_another_user_has_nothing_to_compile(image):
    code = as_another_user(RUN, FIT, environment(image), image)
    (image / "out" / "m").unlink()
    told = command(image, *FIT, code=code)
    assert told["certified"]
    assert told["compile_seconds"] == 0.0
    assert (image / "out" / "m").stat().st_uid != os.geteuid()


def test_on_a_read_only_file_system_there_is_nothing_to_compile(image):
    """But for one folder; what cannot be kept is compiled for the process alone, which is said."""
    unshare = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    lock = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && mount -t tmpfs tmpfs "$0/out" && cd "$0"'
    try:
        subprocess.run([*unshare, "sh", "-c", lock, str(image)], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this system lets no process mount a file system")
    inside, before = [*unshare, "sh", "-c", f'{lock} && exec "$@"', str(image)], machine_code(image)
    assert command(image, *FIT, before=inside)["compile_seconds"] == 0.0
    assert command(image, *FIT, "--loss", "absolute", before=inside)["compile_seconds"] > 0.0
    assert machine_code(image) == before


def test_where_nothing_can_be_written_a_warm_up_says_so(image):
    code = as_another_user(RUN, ["warm-up", "--help"], environment(image), image)
    ran = subprocess.run(
        [sys.executable, "-c", f"import empirisk.code_folders, empirisk.compiled\n{code}", "warm-up"],
        cwd=image,
        env=environment(image),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (ran.returncode, ran.stdout) == (4, "")
    assert ran.stderr.startswith("Error: no folder for machine code can be written to")

"""Atomic writes: at every moment the file is the old one or the new one."""

import os
import re
import resource
import subprocess
import sys

import pytest

from empirisk.data.files import write_atomically


def test_an_interrupt_while_writing_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "model"
    path.write_text("old")

    def chunks():
        yield b"new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, chunks())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_size_limit_leaves_the_old_file_and_nothing_else(tmp_path):
    """The kernel itself refuses the bytes, as on a full disk."""
    path = tmp_path / "model"
    path.write_text("old")
    code = "import sys; from empirisk.data.files import write_atomically; write_atomically(sys.argv[1], [b'x' * 99999])"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)),
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "NUMBA_DISABLE_JIT": "1"},
        check=False,
    )
    assert re.search(r"OSError: \[Errno \d+\] File too large: '.*model'", done.stderr)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_mode_of_an_existing_file_and_the_target_of_a_link_are_kept(tmp_path):
    path, link = tmp_path / "model", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_atomically(link, [b"n", b"ew"])
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert path.read_text() == "new"


def test_devices_and_folders_are_not_replaced(tmp_path):
    with pytest.raises(OSError, match="Is a directory"):
        write_atomically(tmp_path, [b"new"])
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="Not a regular file"):
        write_atomically(tmp_path / "pipe", [b"new"])

"""Files that are standard input or standard output too."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest

from empirisk.cli.errors import Usage
from empirisk.cli.output import check_standard_output, check_writable


@contextlib.contextmanager
def stream(number: int, path: Path, flags: int):
    """The standard stream of this number, from or into a file."""
    usual, file = os.dup(number), os.open(path, flags)
    os.dup2(file, number)
    try:
        yield
    finally:
        os.dup2(usual, number)
        os.close(usual)
        os.close(file)


def test_what_standard_input_comes_from_is_not_overwritten(rows, tmp_path):
    os.link(rows, tmp_path / "other.svm")
    (tmp_path / "link.svm").symlink_to(rows)
    with stream(0, rows, os.O_RDONLY):
        for name in ("rows.svm", "other.svm", "link.svm"):
            with pytest.raises(Usage, match=f"{name} would be both read and overwritten"):
                check_writable(name, ["-"])
        check_writable("m", ["-"])
        check_writable("rows.svm", [])


def test_a_second_name_of_an_input_is_not_overwritten(rows, tmp_path):
    os.link(rows, tmp_path / "other.svm")
    with pytest.raises(Usage, match=r"other\.svm would be both read and overwritten"):
        check_writable("other.svm", ["rows.svm"])
    with pytest.raises(Usage, match="both read and overwritten"):
        check_writable("new", ["rows.svm", "new"])  # of two outputs neither is there yet


def test_what_standard_output_goes_into_is_not_read(rows, tmp_path):
    with stream(1, rows, os.O_WRONLY | os.O_APPEND):
        with pytest.raises(Usage, match=r"rows\.svm would be both read and written to"):
            check_standard_output(["m", str(rows)])
        with pytest.raises(Usage, match=r"rows\.svm would be both read and written to"):
            check_writable("m", ["rows.svm"])
        with stream(0, rows, os.O_RDONLY), pytest.raises(Usage, match="<stdin> would be both read"):
            check_standard_output(["-"])
        check_standard_output(["other.svm", "-"])
    check_standard_output([str(rows)])


def test_devices_may_be_both():
    with stream(0, Path(os.devnull), os.O_RDONLY), stream(1, Path(os.devnull), os.O_WRONLY):
        check_standard_output(["-", os.devnull])

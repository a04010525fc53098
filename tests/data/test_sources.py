"""Formats by the first bytes, the name and the first line."""

import io
import sys

import pytest

from empirisk.data.sources import HEAD, Held, format_of, format_of_text, head_of, name_of, opened


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("a.csv", b"", "csv"),
        ("a.CSV.gz", b"", "csv"),
        ("a.tsv", b"", "csv"),
        ("a.tab.gz", b"", "csv"),
        ("a.svm", b"", "svmlight"),
        ("a.libsvm.bz2", b"", "svmlight"),
        ("a.svmlight.xz", b"", "svmlight"),
        ("a.npy", b"", "npy"),
        ("a.npz", b"", "npz"),
        ("a.txt", b"a,b\n", None),
        ("-", b"a,b\n", None),
        ("a.csv", b"\x93NUMPY\x01\x00", "npy"),
        ("-", b"PK\x03\x04", "npz"),
        ("a.zip", b"PK\x05\x06", "npz"),
    ],
)
def test_bytes_and_names(name, content, format):
    assert format_of(name, Held(content, name)) == format


@pytest.mark.parametrize(
    ("text", "format"),
    [
        (b"", "csv"),
        (b"a,b\n1,2\n", "csv"),
        (b"1,2\n", "csv"),
        (b"1\t2\n", "csv"),
        ("näme;b\n".encode("utf-16"), "csv"),
        (b"+1\t3:4 7:.5\n", "svmlight"),
        (b"\n\n1 1:2\n", "svmlight"),
        (b"# a comment\n1 1:2\n", "svmlight"),
        (b"-1\n1 1:2\n", "svmlight"),
        (b"1 " + b" ".join(b"%d:1" % j for j in range(HEAD)), "svmlight"),
        (b",".join(b"x%d" % j for j in range(HEAD)), "csv"),
    ],
    ids=range(11),
)
def test_the_first_line(text, format):
    source = Held(text, "-")
    assert format_of_text(source) == format
    assert source.read() == text  # nothing was used up


def test_standard_input_and_files(monkeypatch, tmp_path):
    class Input:
        buffer = io.BytesIO(b"1 1:2\n")

    monkeypatch.setattr(sys, "stdin", Input)
    with opened("-") as source:
        assert name_of(source) == "<stdin>"
        assert head_of(source, 3) == b"1 1"
    path = str(tmp_path / "a.svm")
    (tmp_path / "a.svm").write_bytes(b"1 1:2\n")
    with opened(path) as source:
        assert source == path
    with pytest.raises(FileNotFoundError), opened(str(tmp_path / "none")):
        pass
    with pytest.raises(IsADirectoryError), opened(str(tmp_path)):
        pass

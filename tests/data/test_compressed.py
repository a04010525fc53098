"""Archives are read as what was compressed, and every damage is told."""

import bz2
import contextlib
import gzip
import io
import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.data.compressed import COMPRESSIONS, Decompressed, compression_of, without_suffix
from empirisk.data.errors import DataError

COMPRESS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}
EACH = pytest.mark.parametrize("compression", COMPRESSIONS, ids=lambda compression: compression.name)


def decompressed(compression, archive):
    return Decompressed(compression.open(io.BytesIO(archive)), compression, "d.csv.gz")


@EACH
@given(content=st.binary(max_size=300), size=st.integers(1, 50))
def test_the_bytes_come_back_whole_and_in_parts(compression, content, size):
    archive = COMPRESS[compression.name](content)
    assert compression_of("any", archive) is compression
    stream = decompressed(compression, archive)
    assert stream.read() == content
    stream.rewind()
    parts = iter(lambda: stream.read(size), b"")
    assert b"".join(parts) == content


@EACH
@given(data=st.data())
def test_a_damaged_archive_is_an_error_or_whole(compression, data):
    """Bytes that no check covers, such as the time in a header, may change; the content never does unnoticed."""
    content = b"1 1:2.5 7:1\n" * 20
    archive = bytearray(COMPRESS[compression.name](content))
    at = data.draw(st.integers(0, len(archive) - 1))
    archive[at] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(DataError):
        assert decompressed(compression, bytes(archive)).read() == content


@EACH
@given(data=st.data())
def test_a_cut_archive_is_an_error(compression, data):
    archive = COMPRESS[compression.name](b"1 1:2.5 7:1\n" * 20)
    length = data.draw(st.integers(10, len(archive) - 1))
    with pytest.raises(DataError, match=r"d\.csv\.gz: expected .*cut off"):
        decompressed(compression, archive[:length]).read()


@EACH
def test_a_name_that_promises_too_much(compression):
    with pytest.raises(DataError, match=f"expected an? {compression.name} archive as the name says, found other data"):
        compression_of("train.csv" + compression.suffix.upper(), b"a,b\n1,2\n")
    assert compression_of("train.csv", b"a,b\n1,2\n") is None


def test_names_without_the_suffix():
    assert without_suffix("a/train.csv.GZ") == "a/train.csv"
    assert without_suffix("train.svm") == "train.svm"


def test_an_error_of_the_disk_is_no_error_of_the_data():
    class Broken(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            raise OSError(5, "Input/output error")

    gzip_ = COMPRESSIONS[0]
    with gzip_.open(io.BufferedReader(Broken())) as stream, pytest.raises(OSError, match="Input/output error"):
        Decompressed(stream, gzip_, "d").read(1)

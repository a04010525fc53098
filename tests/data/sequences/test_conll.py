"""Columns of words and tags, one sequence after the other."""

import gzip
import io

import pytest

from empirisk.data.errors import DataError
from empirisk.data.sequences import column_text, read_conll

PLAIN = "the DT B-NP\ndog NN I-NP\n\nbarks VBZ B-VP\n"


def written(tmp_path, data, name="train.txt"):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return str(path)


def columns_of(found):
    return [column.texts() for column in found.columns]


EXPECTED = [["the", "dog", "barks"], ["DT", "NN", "VBZ"], ["B-NP", "I-NP", "B-VP"]]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (PLAIN, [1, 2, 4]),
        (PLAIN.replace(" ", "\t"), [1, 2, 4]),
        (PLAIN.replace("\n", "\r\n"), [1, 2, 4]),
        (PLAIN.removesuffix("\n"), [1, 2, 4]),
        ("\ufeff" + PLAIN, [1, 2, 4]),
        (PLAIN.replace("\n\n", "\n \t\n\n"), [1, 2, 5]),
        ("\n\n" + PLAIN + "\n\n", [3, 4, 6]),
        (PLAIN.replace("the DT B", "  the \t DT  B"), [1, 2, 4]),
        ("-DOCSTART- -X- O\n\n" + PLAIN, [3, 4, 6]),
        ("-DOCSTART-\n" + PLAIN, [2, 3, 5]),
        (PLAIN.replace("\n\n", "\n-DOCSTART- -X-\n"), [1, 2, 4]),
    ],
    ids=["blanks", "tabs", "crlf", "no end", "mark", "more", "empty", "runs", "document", "alone", "between"],
)
def test_what_files_look_like(tmp_path, text, lines):
    found = read_conll(written(tmp_path, text))
    assert columns_of(found) == EXPECTED
    assert found.starts.tolist() == [0, 2, 3]
    assert found.origin.lines.tolist() == lines


def test_a_word_that_begins_as_the_line_between_documents_does(tmp_path):
    found = read_conll(written(tmp_path, "-DOCSTART-s X\n# X\n"))
    assert columns_of(found)[0] == ["-DOCSTART-s", "#"]


def test_parts_are_put_together(tmp_path, monkeypatch):
    """Cells are known for some tokens at a time."""
    path = written(tmp_path, PLAIN * 5)
    whole = read_conll(path)
    for size in (1, 2, 3, 4):
        monkeypatch.setattr(column_text, "AT_ONCE", size)
        found = read_conll(path)
        assert columns_of(found) == columns_of(whole)
        assert found.starts.tolist() == whole.starts.tolist() == [0, 2, 5, 8, 11, 14, 15]
        assert found.origin.lines.tolist() == whole.origin.lines.tolist()


def test_archives_and_standard_input(tmp_path, monkeypatch):
    found = read_conll(written(tmp_path, gzip.compress(PLAIN.encode()), "train.txt.gz"))
    assert columns_of(found) == EXPECTED

    class Piped:
        buffer = io.BytesIO(PLAIN.encode())

    monkeypatch.setattr("sys.stdin", Piped)
    found = read_conll("-")
    assert columns_of(found) == EXPECTED
    assert found.origin.path == "<stdin>"


def test_other_encodings(tmp_path):
    path = written(tmp_path, "über ADP\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"train.txt:1:1: expected text in UTF-8, found the byte 0xfc"):
        read_conll(path)
    assert columns_of(read_conll(path, "latin-1"))[0] == ["über"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"expected lines of tokens, found none"),
        ("\n \n", r"expected lines of tokens, found none"),
        ("-DOCSTART- x\n\n", r"expected lines of tokens, found none"),
        ("\na b c\nd e\n", r"train.txt:3: expected 3 columns as in line 2, found 2$"),
        ("a b\n\nd e f\n", r"train.txt:3: expected 2 columns as in line 1, found 3$"),
        ("a\tb\nNew York\tb\n", r":2: expected 2 columns as in line 1, found 3; both tabs and blanks part columns"),
    ],
)
def test_bad_files(tmp_path, text, said):
    with pytest.raises(DataError, match=said):
        read_conll(written(tmp_path, text))


def test_errors_name_lines(tmp_path):
    found = read_conll(written(tmp_path, "\n" + PLAIN))
    assert str(found.origin.error("no", 2)).endswith("train.txt:5: no")

"""CoNLL-U: ten columns, comments, and lines that are no words."""

import pytest

from empirisk.data.errors import DataError
from empirisk.data.sequences import format_of_sequences, read_conllu, read_sequences
from empirisk.data.sequences.conllu import KEPT


def line(number, form, upos="X"):
    return "\t".join([number, form, form.lower(), upos, "_", "_", "0", "root", "_", "_"]) + "\n"


TEXT = (
    "# newdoc\n# sent_id = first-1\n# text = Vámonos al mar\n"
    + line("1-2", "Vámonos", "_")
    + line("1", "Vamos", "VERB")
    + line("2", "nos", "PRON")
    + line("2.1", "nada", "_")
    + "\n"
    + line("1", "in casa", "NOUN")
    + "\n\n# sent_id=third\n"
    + line("1", "#", "SYM")
)


def read(tmp_path, text):
    path = tmp_path / "train.conllu"
    path.write_text(text, encoding="utf-8")
    return read_conllu(str(path))


def test_words_alone(tmp_path):
    found = read(tmp_path, TEXT)
    form, upos = (found.columns[KEPT.index(name)].texts() for name in ("form", "upos"))
    assert form == ["Vamos", "nos", "in casa", "#"]
    assert upos == ["VERB", "PRON", "NOUN", "SYM"]
    assert found.starts.tolist() == [0, 2, 3, 4]
    assert found.names == KEPT
    assert found.origin.names == ["first-1", "", "third"]
    assert found.origin.lines.tolist() == [5, 6, 9, 13]


def test_errors_name_sentences(tmp_path):
    origin = read(tmp_path, TEXT).origin
    assert str(origin.error("no", 0, 0)).endswith("train.conllu:5: no (sentence first-1)")
    assert str(origin.error("no", 2, 1)).endswith("train.conllu:9: no")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# sent_id = 1\n", "expected lines of tokens, found none"),
        ("1\ta\n", ":1: expected 10 columns with a tab between them, found 2"),
        (
            line("1", "a") + line("2", "b").replace("\t_", " _"),
            ":2: expected 10 columns with a tab between them, found 6",
        ),
        (line("one", "a"), ":1: expected the number of a word in the first column, found 'one'"),
        (line("", "a"), ":1: expected the number of a word in the first column, found ''"),
    ],
)
def test_bad_files(tmp_path, text, said):
    with pytest.raises(DataError, match=said):
        read(tmp_path, text)


def test_formats_go_by_the_name(tmp_path):
    names = {"a.conllu": "conllu", "b.conllu.xz": "conllu", "c.crfsuite": "crfsuite", "d.txt.gz": "conll", "-": "conll"}
    assert {name: format_of_sequences(name) for name in names} == names
    path = tmp_path / "x.txt"
    path.write_text(TEXT, encoding="utf-8")
    assert read_sequences(str(path), "conllu").starts.tolist() == [0, 2, 3, 4]
    with pytest.raises(ValueError, match=r"format must be one of conll, conllu, crfsuite, got 'conlu'; did you mean"):
        read_sequences(str(path), "conlu")

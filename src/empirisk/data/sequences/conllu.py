"""CoNLL-U, the format of Universal Dependencies: ten columns with a tab between them, and comments."""

from __future__ import annotations

import numpy as np

from empirisk.data.csv_text import Text
from empirisk.data.sequences.column_text import Found, Layout, read_cells, token_columns
from empirisk.data.sequences.text import read_text
from empirisk.data.sequences.token_columns import TokenColumns

NAMES = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
KEPT = ("form", "lemma", "upos", "xpos", "feats", "deprel")  # the others number tokens, or are about one token alone


def read_conllu(path: str, encoding: str | None = None) -> TokenColumns:
    """Read a path, `-` being standard input, compressed or not: words with their form, lemma, tags and relation.

    Ranges such as 1-2 and empty nodes such as 1.1 are no words and left out; `# sent_id` is what errors call a sentence
    (J. Nivre et al., 2016). Bad data raises `DataError`.
    """
    text = read_text(path, encoding)
    found = read_cells(text, Layout(len(NAMES), tuple(map(NAMES.index, KEPT)), has_comments=True), first_line=1)
    return token_columns(text, found, _sentence_names(text, found), KEPT)


def _sentence_names(text: Text, found: Found) -> list[str]:
    """What comments call each sentence; '' without one."""
    names = [""] * found.comments.size
    for j in np.flatnonzero(found.comments >= 0):
        p = int(found.comments[j])
        while text.data.startswith(b"#", p):
            stop = text.data.index(b"\n", p)
            key, mark, value = text.data[p + 1 : stop].partition(b"=")
            if mark and key.strip() == b"sent_id":
                names[j] = value.strip().decode()
                break
            p = stop + 1
    return names

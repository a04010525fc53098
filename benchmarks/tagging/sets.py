"""Data sets of sequences: token columns in memory, attributes made of them as a user of CRFsuite would, and scores.

FOLDER is a folder with `structured/conll2000`, `conll2002`, `ud_english_ewt` and `ocr_letters.npz`. Letters have an
attribute for each pixel that is on; fold 0 of ten trains and the others test, or the other way round.
"""

import gzip
import lzma
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from empirisk.chains.features.functions import FUNCTIONS
from empirisk.chains.features.template_files import as_templates

Sentence = tuple[list, ...]  # columns, the last one the labels
BOS, EOS = "__BOS__", "__EOS__"  # what CRFsuite gets where we have weights of the start and the end


class TaggingSet(NamedTuple):
    """Sequences as columns, or (without templates) as lists of attributes, and their labels."""

    name: str
    templates: str | None
    X: list[Any]
    y: list[list[str]]
    test_X: list[Any]
    test_y: list[list[str]]
    has_chunks: bool  # whether F1 of chunks is the score, or the share of tokens

    @property
    def n_tokens(self) -> int:
        return sum(map(len, self.y))

    def score(self, answers: list[list[str]]) -> float:
        """In per cent."""
        if self.has_chunks:
            return 100.0 * chunk_f1(self.test_y, answers)
        pairs = zip(self.test_y, answers, strict=True)
        right = sum(sum(a == b for a, b in zip(true, found, strict=True)) for true, found in pairs)
        return 100.0 * right / sum(map(len, self.test_y))

    def train_attributes(self) -> list[list[list[str]]]:
        return [attributes_of(x, self.templates) for x in self.X]

    def test_attributes(self) -> list[list[list[str]]]:
        return [attributes_of(x, self.templates) for x in self.test_X]


def column_sentences(path: Path) -> Iterator[Sentence]:
    """Sentences of a file of columns, one by one."""
    rows: list[list[str]] = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            cells = line.split()
            if cells and cells[0] != "-DOCSTART-":
                rows.append(cells)
            elif rows:
                yield tuple(map(list, zip(*rows, strict=True)))
                rows = []
    if rows:
        yield tuple(map(list, zip(*rows, strict=True)))


def universal_sentences(path: Path) -> Iterator[Sentence]:
    """Words and universal parts of speech of a CoNLL-U file, without ranges and empty nodes."""
    rows: list[list[str]] = []
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            cells = line.rstrip("\n").split("\t")
            if cells[0].isdigit():
                rows.append([cells[1], cells[3]])
            elif not line.strip() and rows:
                yield tuple(map(list, zip(*rows, strict=True)))
                rows = []


def of_sentences(name: str, templates: str, train: Iterator, test: Iterator, has_chunks: bool) -> TaggingSet:
    parts: list[list] = []
    for sentences in (train, test):
        some = list(sentences)
        parts += [[one[:-1] for one in some], [one[-1] for one in some]]
    return TaggingSet(name, templates, *parts, has_chunks)


def conll2000(folder: Path) -> TaggingSet:
    files = (column_sentences(folder / "structured/conll2000" / f"{part}.txt.gz") for part in ("train", "test"))
    return of_sentences("CoNLL-2000", "chunk", *files, True)


def conll2002(folder: Path) -> TaggingSet:
    files = (column_sentences(folder / "structured/conll2002" / f"esp.{part}.gz") for part in ("train", "testb"))
    return of_sentences("CoNLL-2002", "ner", *files, True)


def ewt(folder: Path) -> TaggingSet:
    names = (f"en_ewt-ud-{part}.conllu.xz" for part in ("train", "test"))
    files = (universal_sentences(folder / "structured/ud_english_ewt" / name) for name in names)
    return of_sentences("EWT", "pos", *files, False)


def letters(folder: Path, trains_on_fold: bool) -> TaggingSet:
    stored = np.load(folder / "structured/ocr_letters.npz", allow_pickle=False)
    pixels = np.unpackbits(stored["pixels"], axis=1)[:, : int(stored["n_pixels"])]
    names = np.array([f"p{k}" for k in range(pixels.shape[1])])
    tokens = [names[row != 0].tolist() for row in pixels]
    labels = [chr(ord("a") + int(label)) for label in stored["labels"]]
    starts = np.concatenate([[0], np.cumsum(stored["lengths"])]).tolist()
    words: dict[bool, list[tuple]] = {True: [], False: []}
    for j, fold in enumerate(stored["folds"].tolist()):
        some = slice(starts[j], starts[j + 1])
        words[(fold == 0) == trains_on_fold].append((tokens[some], labels[some]))
    train, test = (list(zip(*words[part], strict=True)) for part in (True, False))
    name = "OCR fold 0" if trains_on_fold else "OCR the rest"
    return TaggingSet(name, None, list(train[0]), list(train[1]), list(test[0]), list(test[1]), False)


SETS: dict[str, Callable[[Path], TaggingSet]] = {
    "conll2000": conll2000,
    "conll2002": conll2002,
    "ewt": ewt,
    "ocr_fold": lambda folder: letters(folder, True),
    "ocr_rest": lambda folder: letters(folder, False),
}


def attributes_of(x: Any, templates: str | None) -> list[list[str]]:
    """What CRFsuite is given of a sequence: the names that our templates give, made a column at a time."""
    if templates is None:
        return x
    wanted = as_templates(templates)
    columns = dict(zip((name for name in wanted.columns if name != wanted.label), x, strict=True))
    size = len(x[0])
    values: dict[tuple, list] = {}
    tokens: list[list[str]] = [[] for _ in range(size)]
    for text, terms in wanted.features:
        if not terms:
            for token in tokens:
                token.append(text)
            continue
        shifted = []
        for term in terms:
            source = term.column, term.functions
            if source not in values:
                found = columns[term.column]
                for applied in term.functions:
                    found = FUNCTIONS[applied.function].of_all(found, *applied.numbers)
                values[source] = found
            k = term.offset
            padded = [None] * -k + values[source] + [None] * k
            shifted.append(padded[max(k, 0) : max(k, 0) + size])
        begin = text + "="
        for token, *parts in zip(tokens, *shifted, strict=True):
            if None not in parts:
                token.append(begin + "|".join(parts))
    return tokens


def with_ends(tokens: list[list[str]]) -> list[list[str]]:
    """The same with an attribute of the first and of the last token."""
    ended = [*tokens[:-1], [*tokens[-1], EOS]]
    ended[0] = [*ended[0], BOS]
    return ended


def chunks_of(labels: list[str]) -> set[tuple[str, int, int]]:
    """Type, first and last token of each chunk, as conlleval reads tags of B, I and O."""
    found, begin, before = set(), 0, "O"
    for t, label in enumerate([*labels, "O"]):
        goes_on = label[0] == "I" and before != "O" and label[2:] == before[2:]
        if not goes_on:
            if before != "O":
                found.add((before[2:], begin, t - 1))
            begin = t
        before = label
    return found


def chunk_f1(true: list[list[str]], answers: list[list[str]]) -> float:
    counts = [0, 0, 0]
    for gold, found in zip(true, answers, strict=True):
        a, b = chunks_of(gold), chunks_of(found)
        counts = [counts[0] + len(a & b), counts[1] + len(a), counts[2] + len(b)]
    return 2.0 * counts[0] / (counts[1] + counts[2])

"""Templates that come with the package: chunks of phrases, names, parts of speech."""

from __future__ import annotations

import functools

from empirisk.chains.features.templates import Templates, parse_templates

NEIGHBORS = range(-2, 3)

# Those of the example chunking.py of CRFsuite (N. Okazaki, 2007): words and tags of tokens at most two away.
CHUNK = (
    *(f"word[{k}]" for k in NEIGHBORS),
    "word[-1]|word[0]",
    "word[0]|word[1]",
    *(f"pos[{k}]" for k in NEIGHBORS),
    *(f"pos[{k}]|pos[{k + 1}]" for k in range(-2, 2)),
    *(f"pos[{k}]|pos[{k + 1}]|pos[{k + 2}]" for k in range(-2, 1)),
)

ENDS = tuple(f"{end}(word[0], {size})" for end in ("prefix", "suffix") for size in range(1, 5))

NER = (
    "bias",
    *(f"word[{k}]" for k in NEIGHBORS),
    *(f"lower(word[{k}])" for k in (-1, 0, 1)),
    "lower(word[-1])|lower(word[0])",
    "lower(word[0])|lower(word[1])",
    *(f"pos[{k}]" for k in NEIGHBORS),
    "pos[-1]|pos[0]",
    "pos[0]|pos[1]",
    *(f"short_shape(word[{k}])" for k in NEIGHBORS),
    "short_shape(word[-1])|short_shape(word[0])",
    "short_shape(word[0])|short_shape(word[1])",
    "short_shape(word[-1])|short_shape(word[0])|short_shape(word[1])",
    "shape(word[0])",
    *ENDS,
)

POS = (
    "bias",
    *(f"word[{k}]" for k in NEIGHBORS),
    "lower(word[0])",
    "lower(word[-1])|lower(word[0])",
    "lower(word[0])|lower(word[1])",
    "suffix(word[-1], 3)",
    "suffix(word[1], 3)",
    *(f"short_shape(word[{k}])" for k in (-1, 0, 1)),
    "shape(word[0])",
    *ENDS,
)

COLUMNS = {
    "chunk": (("word", "pos", "chunk"), CHUNK),
    "ner": (("word", "pos", "tag"), NER),
    "pos": (("word", "tag"), POS),
}
BUILT_IN = tuple(COLUMNS)


@functools.cache
def built_in(name: str) -> Templates:
    """The templates of this name; the last column is the label."""
    columns, features = COLUMNS[name]
    return parse_templates(columns, columns[-1], features)

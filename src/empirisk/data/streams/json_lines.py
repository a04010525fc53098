"""JSON lines as a stream, by the standard library: an object a line.

Objects inside are namespaces, numbers are values, texts are categories, true and false are 1 and 0, null is absent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from empirisk.arithmetic.exact_floats import WAYS_OUT, is_exact
from empirisk.data.blocks import Block
from empirisk.data.errors import shortened
from empirisk.data.hashing import hashed
from empirisk.data.streams.label_words import unknown_word
from empirisk.data.streams.parsed import ABSENT_LABEL, LABEL_NAMES, Parsed

Entry = tuple[str, int, float]  # name, hash, value
LARGEST = float(np.finfo(np.float64).max)


class _Refused(ValueError):
    """A sentence about a line."""


class JSONReader:
    """Reads objects, a line each."""

    is_begun = True

    def __init__(self, options: Mapping[str, Any], words: Mapping[str, float] | None, is_labeled: bool) -> None:
        self._options, self._words, self._is_labeled = options, words, is_labeled
        self._decoder = json.JSONDecoder(object_pairs_hook=_once_each, parse_constant=_refuse_constant)

    def begin(self, block: Block) -> Block:
        """Nothing stands above the first row."""
        return block

    def parse(self, block: Block) -> Parsed:
        """All rows of a block, or the error of a line."""
        starts, ends, labels, weights, entries = [], [], [], [], list[Entry]()
        start = 0
        for end in block.line_ends().tolist():
            line = bytes(block.text[start:end])
            if line.strip():
                row = start + len(line) - len(line.lstrip())
                label, weight = self._row(block, line, start, row, entries)
                starts.append(row)
                labels.append(label)
                weights.append(weight)
                ends.append(len(entries))
            start = end
        bits, names = self._options["bits"], None
        if bits is None:
            known = dict[str, int]()
            indices = [known.setdefault(name, len(known)) for name, _, _ in entries]
            names = [name.encode("utf-8", "backslashreplace").decode() for name in known]  # halves of pairs
        else:
            indices = [column & ((1 << bits) - 1) for _, column, _ in entries]
        row_starts = np.array(starts, np.int64)
        values = np.array([value for _, _, value in entries], np.float64)
        content = np.array(ends, np.int64), np.array(indices, np.int64), values
        found = Parsed(np.array(labels, np.float64), row_starts, *content, names=names)
        if self._options["weights"] is None:
            return found
        return found._replace(weights=np.array(weights, np.float64), weight_starts=row_starts)

    def commit(self, parsed: Parsed) -> None:
        """Nothing is learned from rows."""

    def settled(self, n_rows: int) -> Mapping[str, Any]:
        """Nothing."""
        return {}

    def _row(self, block: Block, line: bytes, start: int, row: int, entries: list[Entry]) -> tuple[float, float]:
        """Label and weight of a line; its entries are appended."""
        try:
            found = self._decoder.decode(line.decode().strip())
            if not isinstance(found, dict):
                raise _Refused(f"expected an object, found {shortened(line.decode().strip())!r}")
            label, weight = self._label(found), self._weight(found)
            for key in self._options["ignore"]:
                found.pop(key, None)
            entries.extend(_entries(found, "", 0))
        except json.JSONDecodeError as error:
            p = row + len(line.decode().strip()[: error.pos].encode())
            said = error.msg[:1].lower() + error.msg[1:]
            raise block.error(f"expected an object of JSON: {said}", min(p, start + len(line) - 1)) from None
        except UnicodeDecodeError as error:
            raise block.error("expected text in UTF-8, found other bytes", start + error.start) from None
        except RecursionError:
            raise block.error("expected an object of JSON, found one inside another too often", row) from None
        except _Refused as error:
            raise block.error(str(error), row) from None
        except ValueError:  # digits beyond what Python turns into an integer
            raise block.error("expected numbers within the range of float64", row) from None
        return label, weight

    def _label(self, found: dict[str, Any]) -> float:
        """Taken out of the object."""
        asked = self._options["label"]
        keys = [key for key in found if (key == asked if asked is not None else key.lower() in LABEL_NAMES)]
        if len(keys) > 1:
            raise _Refused(f"expected one label, found {keys[0]!r} and {keys[1]!r}; name it with label=...")
        if not self._is_labeled:
            for key in keys:
                del found[key]
            return ABSENT_LABEL
        if not keys:
            wanted = f"the label {asked!r}" if asked is not None else "a label named label, target, class or y"
            hint = "" if asked is not None else "; label=... names another"
            raise _Refused(f"expected {wanted}, found none{hint}")
        label = found.pop(keys[0])
        if self._words is not None:
            if not isinstance(label, str):
                raise _Refused(f"expected a text as the label, found {shortened(json.dumps(label))}")
            if label not in self._words:
                raise _Refused(unknown_word(self._words, label))
            return self._words[label]
        if isinstance(label, str):
            raise _Refused(f"expected a number as the label, found {shortened(label)!r}; classes=... names texts")
        return _number(keys[0], label)

    def _weight(self, found: dict[str, Any]) -> float:
        """Taken out of the object."""
        asked = self._options["weights"]
        if asked is None:
            return 1.0
        if asked not in found and not self._is_labeled:
            return 1.0
        if asked not in found:
            raise _Refused(f"expected the weight {asked!r}, found none")
        return _number(asked, found.pop(asked))


def _entries(found: dict[str, Any], above: str, seed: int) -> Iterator[Entry]:
    """The entries of an object, and those of the objects in it."""
    for key, value in found.items():
        name = f"{above}{key}"
        if value is None:
            continue
        if isinstance(value, dict):
            yield from _entries(value, f"{name}^", hashed(key, seed))
        elif isinstance(value, str):
            yield f"{name}={value}", hashed(value, hashed(key, seed)), 1.0
        else:
            number = _number(name, value)
            if number != 0.0:
                yield name, hashed(key, seed), number


def _number(name: str, value: Any) -> float:
    """A finite number that float64 holds."""
    if not isinstance(value, (bool, int, float)):
        raise _Refused(f"expected a number or a text for {shortened(name)!r}, found {shortened(json.dumps(value))}")
    if not -LARGEST <= value <= LARGEST:
        raise _Refused(f"expected a number within the range of float64 for {shortened(name)!r}")
    if isinstance(value, int) and not is_exact(value):
        raise _Refused(f"expected a number that float64 holds exactly for {shortened(name)!r}: {WAYS_OUT}")
    return float(value)


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        again = next(key for place, key in enumerate(keys) if key in keys[:place])
        raise _Refused(f"expected each name once in an object, found {shortened(again)!r} again")
    return found


def _refuse_constant(found: str) -> Any:
    raise _Refused(f"expected a finite number, found {found}")

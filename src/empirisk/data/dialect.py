"""How a table is written: what stands between its columns, its encoding, and what says that a value is missing."""

from __future__ import annotations

import codecs
from typing import NamedTuple

NAMES = {",": "comma", "\t": "tab", ";": "semicolon", "|": "pipe"}  # those that are found without being told
SAMPLE = 'name,"x"\n1;2\t3|4.5\n'  # what a table is made of
UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Dialect(NamedTuple):
    """What a user says of a table; None is what the content says."""

    separator: str | None = None
    encoding: str | None = None  # UTF-8 without it, or UTF-16 where the first two bytes say so
    na: tuple[str, ...] | None = None  # the cells that are missing values

    def checked(self) -> Dialect:
        """Itself, a separator by name turned into the character; ValueError for what cannot be."""
        separator = self.separator
        if separator is not None:
            characters = {name: character for character, name in NAMES.items()} | {"\\t": "\t"}
            separator = characters.get(separator.lower(), separator)
            is_mark = len(separator) == 1 and separator.isascii() and (separator == "\t" or separator.isprintable())
            if not is_mark or separator.isalnum() or separator in " \"'+-.":
                wanted = "one character of punctuation, or tab, comma, semicolon or pipe"
                raise ValueError(f"separator must be {wanted}, got {self.separator!r}")
        if self.encoding is not None:
            try:
                is_known = SAMPLE.encode(self.encoding, "replace").decode(self.encoding, "ignore") == SAMPLE
            except (LookupError, UnicodeError, ValueError):
                is_known = False
            if not is_known:
                wanted = "an encoding of text that Python knows, such as utf-8, latin-1, cp1252 or utf-16"
                raise ValueError(f"encoding must be {wanted}, got {self.encoding!r}")
        return self._replace(separator=separator)

    def as_words(self) -> list[str]:
        """The options of the command line that say so."""
        separator = None if self.separator is None else NAMES.get(self.separator, self.separator)
        said = {"separator": separator, "encoding": self.encoding, "na": None if self.na is None else ",".join(self.na)}
        return [word for name, value in said.items() if value is not None for word in (f"--{name}", value)]


AS_FOUND = Dialect()


def name_of_separator(separator: str) -> str:
    """`tab` for a tab, else its name or the character itself in quotes."""
    return NAMES.get(separator, repr(separator))

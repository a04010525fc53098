"""What a reader raises when a file does not say what it should."""

from __future__ import annotations

LONGEST_QUOTE = 40  # characters of a file that an error repeats


def shortened(text: str) -> str:
    """A text fit to be quoted in an error."""
    return text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "..."


class DataError(ValueError):
    """Bad data: one sentence that names the file, the line, the column and what was expected there.

    Lines count from 1. A column is a byte of the line, counted from 1, or the name of a column of a table.
    """

    def __init__(self, message: str, path: str, line: int | None = None, column: int | str | None = None) -> None:
        self.message, self.path, self.line, self.column = message, path, line, column
        place = path if line is None else f"{path}:{line}"
        if isinstance(column, int):
            place += f":{column}"
        elif column is not None:
            place += f": column {column!r}"
        super().__init__(f"{place}: {message}")

    def __reduce__(self) -> tuple[type[DataError], tuple[str, str, int | None, int | str | None]]:
        """Survive the way back from another process: the default would rebuild it from the sentence alone."""
        return type(self), (self.message, self.path, self.line, self.column)

"""Machine code of the readers: the same rows as the interpreter's, on all kinds of lines at once."""

from __future__ import annotations

from tests.data.streams.reading import collected
from tests.data.streams.test_csv import TEXT
from tests.data.streams.test_vw import VECTORS


def test_vowpal_wabbit_text():
    rows, errors = collected("\n".join([*VECTORS, "1 | a:nan", "1 | 5 5 4:4.9e-324"]).encode(), "vw")
    assert [row[2] for row in rows] == [*VECTORS.values(), {4: 5e-324, 5: 2.0}]
    assert [row[1] for row in rows[:-1]] == [2.0 if line.startswith("1 2 ") else 1.0 for line in VECTORS]
    assert len(errors) == 1
    rows, _ = collected("\n".join(VECTORS).encode(), "vw", features="exact")
    assert rows[4][2] == {"ns^colour=red": 1.0, "ns^size=x:y": 1.0}


def test_csv():
    rows, errors = collected(TEXT, "csv", ignore=["id"], weights="w", features="exact")
    assert [row[:2] for row in rows] == [(1.0, 2.0), (-1.0, 0.5), (1.0, 0.0)]
    assert rows[2][2] == {"age": 41.5, "city=Oslo": 1.0}
    assert errors == []

"""The generated pages and pictures are what the docstrings say, and the generator reads and draws them rightly."""

import xml.etree.ElementTree
from typing import NamedTuple

import pytest

from empirisk.losses import Absolute
from tests.test_documentation import DOCS, PAGES
from tools.documentation.curves import curves
from tools.documentation.docstrings import MissingPart, described
from tools.documentation.markdown import prose, table
from tools.documentation.pages import PICTURES, pages

pytestmark = pytest.mark.interpreted  # learners play, each once

LARGEST_PICTURE = 12_000  # bytes


@pytest.fixture(scope="module")
def generated():
    return pages()


def test_generated_pages_are_up_to_date(generated):
    """Where this fails, a docstring, a registry or a solver's needs have changed: run `make docs` and look."""
    stale = [name for name, text in generated.items() if not _is_on_disk(name, text)]
    assert stale == [], "run `make docs`, and commit what it writes"
    shown = {f"{PICTURES}/{path.name}" for path in (DOCS / PICTURES).iterdir()}
    assert shown == {name for name in generated if name.startswith(PICTURES)}, "run `make docs`"


def _is_on_disk(name, text):
    path = DOCS / name
    return path.is_file() and path.read_bytes() == text.encode()


def test_pictures_are_small_have_words_and_are_shown(generated):
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    for name, content in generated.items():
        if not name.startswith(PICTURES):
            continue
        svg = "{http://www.w3.org/2000/svg}"
        root = xml.etree.ElementTree.fromstring(content)
        assert root.tag == f"{svg}svg"
        assert root.get("role") == "img"
        assert all(root.findtext(f"{svg}{part}") for part in ("title", "desc")), name
        assert len(content) <= LARGEST_PICTURE, name
        assert "nan" not in content
        assert "inf" not in content
        assert f"({name})" in text


def test_a_part_that_a_docstring_lacks_is_named():
    class Blank(NamedTuple):
        """Nothing: 0.

        A note.
        Conjugate: infinite, and that
        over two lines.
        Use it never. Reference: none.
        """

        scale: float = 1.0

    found = described(Blank, ("Conjugate", "Use it"))
    assert found.sentence == "Nothing"
    assert found.formula == "0"
    assert found.note == "A note."
    assert found.parts == {
        "Conjugate": "infinite, and that over two lines.",
        "Use it": "Use it never. Reference: none.",
    }
    with pytest.raises(MissingPart, match=r"docstring of Blank has no part 'Smoothness'"):
        described(Blank, ("Conjugate", "Smoothness"))
    Blank.__doc__ = "Nothing: 0."
    with pytest.raises(MissingPart, match=r"docstring of Blank has no part 'Conjugate'"):
        described(Blank, ("Conjugate",))
    Blank.__doc__ = "No formula."
    with pytest.raises(MissingPart, match="docstring of Blank must begin with"):
        described(Blank, ())


def test_curves_break_at_jumps_and_end_with_the_domain():
    loss = Absolute()
    derivative = curves(lambda z: loss.derivative(z, 0.0), -1.0, 1.0)
    assert derivative.jumps == [(0.0, 0.0)]
    assert [piece[-1][1] for piece in derivative.pieces] == [-1.0, 1.0]
    conjugate = curves(lambda u: loss.conjugate(u, 0.0), -2.0, 2.0)
    assert [x for x, _ in conjugate.ends] == pytest.approx([-1.0, 1.0])
    assert conjugate.pieces[0][0][0] == pytest.approx(-1.0)
    assert conjugate.jumps == curves(lambda z: loss.value(z, 0.0), -1.0, 1.0).jumps == []


def test_formulas_stay_text():
    assert prose("a * b * c, <w, x> <= 1, f[p](q)") == r"a \* b \* c, \<w, x> <= 1, f[p]\(q)"
    assert table(("a",), [("|w|",)]).splitlines()[-1] == r"| \|w\| |"

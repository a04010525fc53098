"""`python -m tools.documentation` (`make docs`): write the generated pages and pictures into docs/."""

from __future__ import annotations

from pathlib import Path

from tools.documentation.pages import PICTURES, pages

DOCS = Path(__file__).resolve().parents[2] / "docs"


def main() -> None:
    """Write every file, and remove pictures that no page shows any more."""
    written = pages()
    (DOCS / PICTURES).mkdir(exist_ok=True)
    for name, content in written.items():
        (DOCS / name).write_text(content, encoding="utf-8", newline="\n")
    for old in (DOCS / PICTURES).iterdir():
        if f"{PICTURES}/{old.name}" not in written:
            old.unlink()
    print(f"{len(written)} files in {DOCS.name}/")


if __name__ == "__main__":
    main()

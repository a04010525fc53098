"""The documentation is true: its code runs and prints what it shows, its links lead somewhere, no name is forgotten."""

import contextlib
import io
import re
import shlex
import subprocess
import sys
import tomllib
import types
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

import empirisk
from empirisk.certificates import KINDS as CERTIFICATES
from empirisk.cli.main import main
from empirisk.constraints import CONSTRAINTS
from empirisk.losses import LOSSES
from empirisk.online import LEARNERS
from empirisk.regularizers import REGULARIZERS
from empirisk.solution import Status
from empirisk.solvers import SOLVERS
from tests.cli.every_command import every_command

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")] + sorted(DOCS.rglob("*.md"))
RESULTS = sorted((ROOT / "benchmarks" / "results").glob("*.md"))  # tables of measurements, behind docs/performance.md
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
KINDS = ("python", "shell", "console", "text", "csv", "json")
FENCED = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]\n]+\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LONG, CLOSE = 6, 1e-4  # digits of a number that must be as shown, and how closely
NUMBER = re.compile(r"(?<![\w=])[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?(?!\w)")
EXIT_CODE = re.compile(r"\s+# exit code (\d+)$")


class Block(NamedTuple):
    """A fenced block, and the output that the page shows for it: the text block right after it."""

    kind: str
    content: str
    line: int
    shown: str | None


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = list(FENCED.finditer(text))
    blocks = []
    for k, match in enumerate(found):
        after = found[k + 1] if k + 1 < len(found) else None
        follows = after is not None and after[1] == "text" and not text[match.end() : after.start()].strip()
        line = text.count("\n", 0, match.start()) + 2
        blocks.append(Block(match[1], match[2], line, after[2] if follows else None))
    return blocks


def commands_of(block: Block) -> list[str]:
    """The lines of a shell block that run empirisk."""
    if block.kind not in ("shell", "console"):
        return []
    lines = (line.removeprefix("$ ") for line in block.content.splitlines())
    return [line for line in lines if line.startswith("empirisk ")]


def is_runnable(page: Path) -> bool:
    return any(block.kind == "python" or commands_of(block) for block in blocks_of(page))


def words(text: str) -> list[str]:
    """The text without its numbers, which may differ in the last digits or be times."""
    return NUMBER.sub("#", text).split()


def long_numbers(text: str) -> dict[int, float]:
    """By place, those of six digits or more, which are no times and no gaps."""
    found = enumerate(match[0] for match in NUMBER.finditer(text))
    return {k: float(number) for k, number in found if len(re.sub(r"e.*|\D|^[-+.0]+", "", number)) >= LONG}


def run_python(block: Block, namespace: dict[str, object], page: Path) -> str:
    code = compile("\n" * (block.line - 1) + block.content, str(page), "exec")  # tracebacks name the page's own line
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, namespace)
    return printed.getvalue()


def run_command(line: str) -> str:
    expected = EXIT_CODE.search(line)
    arguments, input_file = shlex.split(EXIT_CODE.sub("", line))[1:], None
    if "<" in arguments:
        arguments, input_file = arguments[: arguments.index("<")], Path(arguments[-1])
    result = CliRunner().invoke(main, arguments, input=None if input_file is None else input_file.read_bytes())
    code = 0 if expected is None else int(expected[1])
    assert result.exit_code == code, f"{line}: exit code {result.exit_code}\n{result.output}"
    return result.stdout if code in (0, 1) else result.stderr


def certificates() -> list[str]:
    """The classes of all kinds; those of chapters are registered when the front door loads them."""
    for name in empirisk.__all__:
        getattr(empirisk, name)
    return [cls.__name__ for cls in CERTIFICATES.values()]


@pytest.fixture
def registry():
    """What a page registers is gone after it."""
    yield
    for kind in [kind for kind, cls in CERTIFICATES.items() if cls.__module__.startswith("page_")]:
        del CERTIFICATES[kind]


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize("page", list(filter(is_runnable, PAGES)), ids=lambda page: page.name)
def test_code_runs_and_prints_what_is_shown(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EMPIRISK_TRACEBACK", "1")
    module = types.ModuleType(f"page_{page.stem}")  # classes of a page need a module to belong to
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for block in blocks_of(page):
        kind, _, name = block.kind.partition(" ")
        printed = None
        if kind == "csv":
            (tmp_path / name).write_text(block.content)
        elif kind == "python":
            printed = run_python(block, vars(module), page)
        for command in commands_of(block):
            printed = run_command(command)  # the page shows what the last one of a block prints
        if printed is not None and block.shown is not None:
            place = f"{page.name}, line {block.line} prints:\n{printed}"
            assert words(printed) == words(block.shown), place
            shown, now = long_numbers(block.shown), long_numbers(printed)
            for k in shown.keys() & now.keys():
                assert shown[k] == pytest.approx(now[k], rel=CLOSE), f"{place}\nwhere it shows {shown[k]}"


def test_kinds_of_blocks_are_known():
    for page in PAGES:
        for block in blocks_of(page):
            kind, _, name = block.kind.partition(" ")
            assert kind in KINDS, f"{page.name}, line {block.line}: {block.kind!r}"
            assert bool(name) == (kind == "csv"), f"{page.name}, line {block.line}: a csv block needs a file name"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_example_runs(example, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example)], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) >= 5
    assert list(tmp_path.iterdir()) == []  # leaves nothing behind


def test_there_are_examples():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert EXAMPLES
    for example in EXAMPLES:
        assert f"(examples/{example.name})" in readme


@pytest.mark.parametrize("page", [*PAGES, *RESULTS], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    prose = FENCED.sub("", page.read_text(encoding="utf-8"))
    for target in LINK.findall(prose):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        found = page if not path else page.parent / path
        assert found.exists(), f"{page.name}: {target}"
        if anchor:
            assert anchor in anchors(found), f"{page.name}: {target}"


def anchors(page: Path) -> set[str]:
    """The anchors of the headings, as the usual hosts make them."""
    prose = FENCED.sub("", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(prose)}


def test_every_page_is_linked_from_the_readme_or_from_contributing():
    for page in PAGES[1:]:
        index = "CONTRIBUTING.md" if page.parent.name == "contributing" else "README.md"
        assert f"({page.relative_to(ROOT).as_posix()}" in (ROOT / index).read_text(encoding="utf-8"), page.name


def test_every_table_of_measurements_says_how_it_is_repeated():
    index = (ROOT / "benchmarks" / "results" / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\[([\w-]+\.md)\]\(\1\)", index))
    assert named == {page.name for page in RESULTS} - {"README.md"}


def test_every_public_name_is_documented():
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES if page.parent.name == "docs")
    missing = [name for name in empirisk.__all__ if not re.search(rf"\b{name}\b", text)]
    assert missing == []


def test_every_name_that_the_pages_use_is_public():
    for page in PAGES:
        used = re.findall(r"\ber\.([A-Za-z_]\w*)(?:\.([A-Za-z_]\w*))?", page.read_text(encoding="utf-8"))
        assert sorted({name for name, _ in used} - set(dir(empirisk))) == [], page.name
        rooms = [(getattr(empirisk, name), part) for name, part in used if part and name not in empirisk.__all__]
        assert [part for room, part in rooms if part not in room.__all__] == [], page.name


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("losses.md", [*LOSSES, "softmax"]),
        ("constraints.md", [*CONSTRAINTS, *REGULARIZERS, "elastic_net"]),
        ("certificates.md", certificates()),
        ("solvers.md", list(SOLVERS)),
        ("online_learning.md", list(LEARNERS)),
        ("conventions.md", [status.value for status in Status]),
        ("conventions.md", [status.name for status in Status]),
    ],
)
def test_every_entry_of_a_registry_is_documented(page, names):
    text = (DOCS / page).read_text(encoding="utf-8")
    assert [name for name in names if name not in text] == []


@pytest.mark.parametrize("name", every_command())
def test_every_option_of_a_command_is_documented_and_no_other(name):
    command = every_command()[name]
    text = (DOCS / "command_line.md").read_text(encoding="utf-8")
    section = text.split(f"\n## empirisk {name}\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `-")]
    documented = {option for row in rows for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", row)}
    options = {option for parameter in command.params for option in parameter.opts if option.startswith("-")}
    assert documented == options


def test_the_table_of_layers_is_that_of_the_import_linter():
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("| layer | subject |")[1].split("\n\n")[0]
    told = [sorted(re.findall(r"`(\w+)`", row.split("|")[1])) for row in table.splitlines()[2:]]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    assert told == [sorted(layer.split(" | ")) for layer in layers]

"""The compiled core, in processes of its own: what is cached, what is not, and who is harmed by whom (nobody)."""

import gc
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numba.core import event

import empirisk
import empirisk as er
from empirisk import compiled
from empirisk.capabilities import name_of
from empirisk.code_files import KeyedFiles
from empirisk.losses import as_loss
from empirisk.problems.passes import gradient

PACKAGE = Path(empirisk.__file__).parent

# The smallest kernel that calls a loss, where the cache is the subject.
VALUES = """
import numpy as np
from empirisk.compiled import adopt
from empirisk.losses import as_loss
from empirisk.losses.laws.machine_code import _values
loss, out = as_loss({loss}), np.empty(30)
adopt(loss)
_values(loss, np.linspace(-2.0, 3.0, 30), np.where(np.arange(30) % 2, 1.0, -1.0), out)
print(sum(_values.stats.cache_hits.values()), sum(_values.stats.cache_misses.values()), repr(float(out.sum())))
"""

FIT = """
import numpy as np, empirisk as er
from empirisk.losses import on_vectors
from empirisk.problems.passes import gradient
rng = np.random.default_rng(0)
X, y = rng.normal(size=(30, 3)), np.where(rng.random(30) < 0.5, -1.0, 1.0)
problem = er.EmpiricalRisk(X, y, {loss}, l2=0.1)
at = gradient(problem, np.append(np.ones(3), 0.0), np.empty(30))
stats = on_vectors.values_and_slopes.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()), repr(at.objective))
"""

USER_LOSS = """
from typing import NamedTuple
import math

class Mine(NamedTuple):
    scale: float = 1.0
    def value(self, z, y):
        return self.scale * self.shape(z - y)
    def derivative(self, z, y):
        return 2.0 * self.scale * {factor} * (z - y)
    def shape(self, r):
        return {factor} * r * r
"""


@pytest.fixture
def sandbox(tmp_path):
    """A copy of the package with a cache of its own, and a way to run Python in it."""
    copy = tmp_path / "src" / "empirisk"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA")}
    environment |= {"PYTHONPATH": str(tmp_path / "src"), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def start(code, script="script.py"):
        (tmp_path / script).write_text(textwrap.dedent(code))
        return subprocess.Popen(
            [sys.executable, script],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(code, script="script.py"):
        process = start(code, script)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        hits, misses, value = out.split()
        return int(hits), int(misses), float(value)

    sandbox = type("Sandbox", (), {"start": staticmethod(start), "run": staticmethod(run), "path": copy})
    return sandbox


def test_hit_miss_after_an_edit_and_reuse_after_a_revert(sandbox):
    code = VALUES.format(loss='"logistic"')
    hits, misses, value = sandbox.run(code)
    assert (hits, misses) == (0, 1)
    assert sandbox.run(code) == (1, 0, value)

    source = sandbox.path / "losses" / "logistic.py"
    original = source.read_text()
    changed = original.replace("return self.scale * (log1p_", "return 2.0 * self.scale * (log1p_")
    assert changed != original
    source.write_text(changed)
    hits, misses, doubled = sandbox.run(code)
    assert (hits, misses) == (0, 1)
    assert doubled > 1.5 * value

    source.write_text(original)
    assert sandbox.run(code) == (1, 0, value)


def test_editing_one_loss_leaves_the_others_cached(sandbox):
    code = VALUES.format(loss='"logistic"')
    sandbox.run(code)
    source = sandbox.path / "losses" / "hinge.py"
    source.write_text(source.read_text() + "\n# an edit\n")
    assert sandbox.run(code)[:2] == (1, 0)


def test_a_users_class_is_cached_and_harms_nobody(sandbox, tmp_path):
    built_in = VALUES.format(loss='"squared"')
    mine = "from mine import Mine\n" + VALUES.format(loss="Mine()")
    (tmp_path / "mine.py").write_text(USER_LOSS.format(factor=0.5))
    assert sandbox.run(mine)[:2] == (0, 1)
    assert sandbox.run(mine)[:2] == (1, 0)
    (tmp_path / "mine.py").rename(tmp_path / "elsewhere.py")  # others cannot import it
    assert sandbox.run(built_in)[:2] == (0, 1)
    assert sandbox.run(built_in)[:2] == (1, 0)
    (tmp_path / "mine.py").write_text(USER_LOSS.format(factor=1.5))
    hits, misses, value = sandbox.run(mine)
    assert (hits, misses) == (0, 1)
    assert value > 1.0


def test_a_class_of_the_main_script_is_cached(sandbox):
    code = (
        USER_LOSS.format(factor=0.5)
        + FIT.format(loss="Mine()")
        + "assert len(on_vectors.values_and_slopes.overloads) == 1\n"
    )
    assert sandbox.run(code)[:2] == (0, 1)
    assert sandbox.run(code)[:2] == (1, 0)


def test_a_class_without_a_file_runs_uncached(sandbox):
    code = "def make():\n" + textwrap.indent(USER_LOSS.format(factor=0.5), "    ") + "    return Mine()\n"
    code += VALUES.format(loss="make()")
    assert sandbox.run(code)[:2] == (0, 1)
    assert sandbox.run(code)[:2] == (0, 1)


def test_two_processes_compiling_at_once(sandbox):
    code = VALUES.format(loss='"hinge"')
    processes = [sandbox.start(code, f"script{k}.py") for k in range(2)]
    outputs = [process.communicate(timeout=300) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], outputs
    values = {out.split()[2] for out, _ in outputs}
    assert len(values) == 1
    assert sandbox.run(code)[:2] == (1, 0)


def test_a_damaged_cache_file_is_compiled_again(sandbox, tmp_path):
    code = VALUES.format(loss='"logistic"')
    value = sandbox.run(code)[2]
    entries = list((tmp_path / "cache").rglob("*.nbc"))
    assert entries
    for damage in (lambda whole: whole[:100], flipped_in_the_machine_code):
        for entry in entries:
            entry.write_bytes(damage(entry.read_bytes()))
        assert sandbox.run(code) == (0, 1, value)
    assert sandbox.run(code) == (1, 0, value)


def flipped_in_the_machine_code(whole):
    """The object file's own header is changed, where it is one of Linux: LLVM would end the process."""
    place = max(0, whole.find(b"\x7fELF"))
    return whole[:place] + bytes(255 - byte for byte in whole[place : place + 64]) + whole[place + 64 :]


def test_only_the_bytes_that_were_written_for_a_key_are_loaded(tmp_path):
    files = KeyedFiles(tmp_path, "kernel")
    files.save("key", {"code": bytes(range(64))})
    (entry,) = tmp_path.iterdir()
    whole = entry.read_bytes()
    assert files.load("key") == {"code": bytes(range(64))}
    for place in range(len(whole)):
        entry.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        assert files.load("key") is None
        entry.write_bytes(whole[:place])
        assert files.load("key") is None
    entry.write_bytes(whole + b"\0")
    assert files.load("key") is None
    files.save("other", {"code": b""})
    shutil.copy(next(path for path in tmp_path.iterdir() if path != entry), entry)
    assert files.load("key") is None
    files.save("key", {"code": b"anew"})
    assert files.load("key") == {"code": b"anew"}


def test_interpreted_gives_the_same(sandbox):
    compiled = sandbox.run(VALUES.format(loss='"logistic"'))[2]
    code = "import os; os.environ['NUMBA_DISABLE_JIT'] = '1'\n" + VALUES.format(loss='"logistic"')
    code = code[: code.index("print(")] + "print(0, 0, repr(float(out.sum())))\n"
    assert sandbox.run(code)[2] == pytest.approx(compiled, rel=1e-14)


def test_an_edit_of_what_a_users_loss_imports_is_noticed(sandbox, tmp_path):
    (tmp_path / "settings.py").write_text("FACTOR = 0.5\n")
    body = USER_LOSS.format(factor="FACTOR").replace("import math", "from settings import FACTOR")
    (tmp_path / "mine.py").write_text(body)
    mine = "from mine import Mine\n" + VALUES.format(loss="Mine()")
    _, _, half = sandbox.run(mine)
    (tmp_path / "settings.py").write_text("FACTOR = 5.0\n")
    hits, misses, five = sandbox.run(mine)
    assert (hits, misses) == (0, 1)
    assert five > 2 * half


def test_a_cache_that_cannot_be_written_costs_nothing_else(sandbox, tmp_path):
    code = VALUES.format(loss='"logistic"')
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    limit += "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    assert sandbox.run(limit + code)[:2] == (0, 1)
    assert not list((tmp_path / "cache").rglob("*.tmp"))


def asymmetric(weight):
    """A class of the name of a built-in one."""

    class Squared(NamedTuple):
        scale: float = 1.0

        def value(self, z, y):
            return 0.5 * (z - y) ** 2 * (weight if z < y else 1.0)

        def derivative(self, z, y):
            return (z - y) * (weight if z < y else 1.0)

    return Squared()


def test_classes_of_one_name_keep_their_own_machine_code():
    """Numba goes by the name and the fields of a named tuple's class; a notebook defines the same class again."""
    rng = np.random.default_rng(0)
    X, w, b = rng.normal(size=(60, 2)), np.array([0.5, -0.2]), 0.1
    y = X @ [1.0, -1.0] + rng.normal(size=60)
    r = X @ w + b - y
    for weight, loss in ((1.0, "squared"), (4.0, asymmetric(4.0)), (9.0, asymmetric(9.0))):
        at = gradient(er.EmpiricalRisk(X, y, loss, l2=0.0), np.append(w, b), np.empty(60))
        factors = np.where(r < 0.0, weight, 1.0)
        assert at.objective == pytest.approx(np.mean(0.5 * factors * r**2))
        np.testing.assert_allclose(at.slope[:-1], X.T @ (factors * r) / 60)
        assert name_of(as_loss(loss)) == "squared"


class Clashing(NamedTuple):
    """A loss with a field that has the name of a method of other losses."""

    derivative_at: float = 1.0
    conjugate: float = 1.0

    def value(self, z, y):
        return 0.5 * (z - y) ** 2

    def derivative(self, z, y):
        return z - y


def test_a_field_with_the_name_of_a_method_is_refused_in_one_sentence():
    er.EmpiricalRisk(np.ones((2, 1)), np.array([1.0, -1.0]), "squared")
    with pytest.raises(TypeError, match="'conjugate' is a field here and a method elsewhere"):
        er.EmpiricalRisk(np.ones((2, 1)), np.array([1.0, -1.0]), Clashing())


class Collecting(event.Listener):
    """Whether garbage is collected, at the beginning and at the end of each compiling."""

    def __init__(self):
        self.seen = []

    def on_start(self, _):
        self.seen.append(gc.isenabled())

    on_end = on_start


@pytest.mark.parametrize("is_enabled", [True, False])
def test_no_garbage_is_collected_while_numba_compiles_and_after_it_as_before(is_enabled):
    inner = compiled.kernel(lambda x: x + 1.0)
    outer = compiled.kernel(lambda x: 2.0 * inner(x))
    before, listener = gc.isenabled(), Collecting()
    event.register("numba:compile", listener)
    (gc.enable if is_enabled else gc.disable)()
    try:
        assert outer(1.0) == 4.0
        assert gc.isenabled() == is_enabled
    finally:
        event.unregister("numba:compile", listener)
        (gc.enable if before else gc.disable)()
    assert len(listener.seen) == 4
    assert not any(listener.seen[1:3])  # the inner one: Numba's order of listeners decides about the outer one

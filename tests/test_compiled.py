"""The compiled core, in processes of its own: what is cached, what is not, and who is harmed by whom (nobody)."""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import empirisk
import empirisk as er
from empirisk.protocols import name_of

PACKAGE = Path(empirisk.__file__).parent

FIT = """
import numpy as np, empirisk as er
from empirisk.problems import passes
rng = np.random.default_rng(0)
X, y = rng.normal(size=(30, 3)), np.where(rng.random(30) < 0.5, -1.0, 1.0)
problem = er.EmpiricalRisk(X, y, {loss}, l2=0.1)
at = passes.gradient(problem, np.append(np.ones(3), 0.0), np.empty(30))
stats = passes._gradient.stats
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
    code = FIT.format(loss='"logistic"')
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
    code = FIT.format(loss='"logistic"')
    sandbox.run(code)
    source = sandbox.path / "losses" / "hinge.py"
    source.write_text(source.read_text() + "\n# an edit\n")
    assert sandbox.run(code)[:2] == (1, 0)


def test_a_users_class_is_cached_and_harms_nobody(sandbox, tmp_path):
    built_in = FIT.format(loss='"squared"')
    mine = "from mine import Mine\n" + FIT.format(loss="Mine()")
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
    code = USER_LOSS.format(factor=0.5) + FIT.format(loss="Mine()") + "assert len(passes._gradient.overloads) == 1\n"
    assert sandbox.run(code)[:2] == (0, 1)
    assert sandbox.run(code)[:2] == (1, 0)


def test_a_class_without_a_file_runs_uncached(sandbox):
    code = "def make():\n" + textwrap.indent(USER_LOSS.format(factor=0.5), "    ") + "    return Mine()\n"
    code += FIT.format(loss="make()")
    assert sandbox.run(code)[:2] == (0, 1)
    assert sandbox.run(code)[:2] == (0, 1)


def test_two_processes_compiling_at_once(sandbox):
    code = FIT.format(loss='"hinge"')
    processes = [sandbox.start(code, f"script{k}.py") for k in range(2)]
    outputs = [process.communicate(timeout=300) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], outputs
    values = {out.split()[2] for out, _ in outputs}
    assert len(values) == 1
    assert sandbox.run(code)[:2] == (1, 0)


def test_a_damaged_cache_file_is_compiled_again(sandbox, tmp_path):
    code = FIT.format(loss='"logistic"')
    value = sandbox.run(code)[2]
    entries = list((tmp_path / "cache").rglob("*.nbc"))
    assert entries
    for entry in entries:
        entry.write_bytes(entry.read_bytes()[:100])
    assert sandbox.run(code) == (0, 1, value)


def test_interpreted_gives_the_same(sandbox):
    compiled = sandbox.run(FIT.format(loss='"logistic"'))[2]
    code = "import os; os.environ['NUMBA_DISABLE_JIT'] = '1'\n" + FIT.format(loss='"logistic"')
    code = code.replace("stats = passes._gradient.stats", "").replace(
        "sum(stats.cache_hits.values()), sum(stats.cache_misses.values())", "0, 0"
    )
    assert sandbox.run(code)[2] == pytest.approx(compiled, rel=1e-14)


def test_an_edit_of_what_a_users_loss_imports_is_noticed(sandbox, tmp_path):
    (tmp_path / "settings.py").write_text("FACTOR = 0.5\n")
    body = USER_LOSS.format(factor="FACTOR").replace("import math", "from settings import FACTOR")
    (tmp_path / "mine.py").write_text(body)
    mine = "from mine import Mine\n" + FIT.format(loss="Mine()")
    _, _, half = sandbox.run(mine)
    (tmp_path / "settings.py").write_text("FACTOR = 5.0\n")
    hits, misses, five = sandbox.run(mine)
    assert (hits, misses) == (0, 1)
    assert five > 2 * half


def test_a_cache_that_cannot_be_written_costs_nothing_else(sandbox, tmp_path):
    code = FIT.format(loss='"logistic"')
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
    X = rng.normal(size=(60, 2))
    y = X @ [1.0, -1.0] + rng.normal(size=60)
    built_in = er.minimize(er.EmpiricalRisk(X, y, "squared"), "lbfgs")
    for weight in (4.0, 9.0):
        own = er.minimize(er.EmpiricalRisk(X, y, asymmetric(weight)), "lbfgs")
        assert own.certified
        r = X @ own.weights + own.intercept - y
        risk = np.mean(0.5 * r**2 * np.where(r < 0, weight, 1.0))
        assert own.objective == pytest.approx(risk + 0.5e-4 * own.weights @ own.weights)
        assert own.intercept > built_in.intercept + 0.1
        assert name_of(asymmetric(weight)) == "squared"


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

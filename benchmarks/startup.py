"""python -m benchmarks.startup: what users wait for before any mathematics happens."""

import functools
import json
import subprocess
import tempfile
import time
from pathlib import Path

import click

from benchmarks import machine, parsing
from benchmarks.processes import Unmeasured, command_line, last_line, run_script
from benchmarks.publish import publish

IMPORT = """
import importlib, json, sys, time
start = time.perf_counter()
module = importlib.import_module(sys.argv[1])
for name in sys.argv[2:]:
    getattr(module, name)
print(json.dumps(time.perf_counter() - start))
"""

FIRST_FIT = """
import json, time
import numpy as np
rng = np.random.default_rng(0)
X = rng.standard_normal((500, 20))
y = np.where(X[:, 0] + rng.standard_normal(500) > 0, 1, -1)
start = time.perf_counter()
import empirisk as er
er.LinearClassifier(loss="logistic", l2=1e-2).fit(X, y)
print(json.dumps(time.perf_counter() - start))
"""


def least(measure, repeats: int) -> float:
    return min(measure() for _ in range(repeats))


def import_seconds(repeats: int, module: str, *names: str) -> float:
    """The import, and the loading of `names`, which a lazy module puts off until they are used."""
    return least(lambda: run_script(IMPORT, module, *names), repeats)


def wall_seconds(command: list[str], accepted: tuple[int, ...] = (0,)) -> float:
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tempfile.gettempdir())
    seconds = time.perf_counter() - start
    if done.returncode not in accepted:
        raise Unmeasured(f"exit code {done.returncode}: {last_line(done.stderr)}")
    return seconds


def help_seconds(repeats: int) -> float:
    return least(lambda: wall_seconds([*command_line(), "--help"]), repeats)


def first_fit_seconds() -> dict[str, float]:
    """The import and the first fit ever, with nothing compiled, and the same in the next process."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {"NUMBA_CACHE_DIR": cache}
        empty = run_script(FIRST_FIT, environment=environment)
        return {"empty cache": empty, "warm cache": run_script(FIRST_FIT, environment=environment)}


def write_small_file(path: Path) -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 5))
    labels = np.where(X[:, 0] + rng.standard_normal(200) > 0, 1, -1)
    lines = [
        f"{y} " + " ".join(f"{j + 1}:{x:.6g}" for j, x in enumerate(row)) for y, row in zip(labels, X, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")


def command_fit_seconds(repeats: int) -> float:
    """`empirisk fit` on a small svmlight file, the cache warmed by one untimed call."""
    with tempfile.TemporaryDirectory() as folder:
        train = Path(folder) / "train.svm"
        write_small_file(train)
        model = Path(folder) / "model.erm"
        command = [*command_line(), "fit", str(train), "-o", str(model), "--l2", "1e-2"]
        timed_model(command, model)
        return least(lambda: timed_model(command, model), repeats)


def timed_model(command: list[str], model: Path) -> float:
    # Exit code 1 is a fit that was not certified, but also any Python crash: only a new model proves that it ran.
    model.unlink(missing_ok=True)
    seconds = wall_seconds(command, (0, 1))
    if not model.exists():
        raise Unmeasured("empirisk fit wrote no model")
    return seconds


def attempt(measure):
    """The figure, or the reason why there is none: never silently dropped."""
    try:
        return measure()
    except (Unmeasured, ImportError, AttributeError, OSError, subprocess.TimeoutExpired) as error:
        return {"unmeasured": f"{type(error).__name__}: {error}"}


@click.command()
@click.option("--data", "folder", type=click.Path(exists=True, file_okay=False, path_type=Path), help="For parsing.")
@click.option("--repeats", default=5, show_default=True, type=click.IntRange(min=1))
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(folder, repeats, json_path):
    """Measure imports, the command line, first fits and svmlight parsing."""
    result = {
        "machine": machine.description(),
        "import empirisk": attempt(lambda: import_seconds(repeats, "empirisk")),
        "import empirisk, minimize loaded": attempt(lambda: import_seconds(repeats, "empirisk", "minimize")),
        "import sklearn.linear_model": attempt(lambda: import_seconds(repeats, "sklearn.linear_model")),
        "empirisk --help": attempt(lambda: help_seconds(repeats)),
        "import and first fit": attempt(first_fit_seconds),
        "empirisk fit, warm cache": attempt(lambda: command_fit_seconds(repeats)),
    }
    if folder is not None:
        result["svmlight parsing"] = attempt(lambda: parsing.measure(folder))
    publish(result, functools.partial(json.dumps, indent=1), json_path)


if __name__ == "__main__":
    main()

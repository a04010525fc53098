"""Sizes of model files, peaks of memory in processes of their own, and the first `tag fit`, with nothing compiled."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import table
from benchmarks.processes import Unmeasured, command_line, last_line, run_script
from benchmarks.tagging import crfsuite, ours
from benchmarks.tagging.sets import TaggingSet, attributes_of, column_sentences, with_ends
from empirisk.model_file import save
from empirisk.models.chains.options import ChainOptions

ROOT = Path(__file__).resolve().parents[2]
MEASURED = """
import sys

sys.path.insert(0, sys.argv[1])
from benchmarks.tagging.footprint import peak

peak(*sys.argv[2:])
"""
WARM = 60  # sentences that load the machine code
FITS = {  # each beside CRFsuite's, with the share of its peak that was asked for
    "perceptron": ("ap", {"max_passes": 4, "order": "random"}, 0.5),
    "margin": ("ap", {"max_passes": 4, "tol": ours.NEVER}, 0.5),
    "likelihood": ("lbfgs", {"max_passes": 12, "tol": ours.NEVER}, 0.75),
}
STRENGTHS = {"margin": 10.0, "likelihood": 2.0}  # l2 times n
LEAST_FILE = 300  # sentences of the first `tag fit`


def files(data: TaggingSet) -> dict[str, Any]:
    """Bytes of the model files of the averaged perceptron and of the likelihood, and CRFsuite's."""
    found: dict[str, Any] = {"data": data.name}
    peer = crfsuite.filled(data)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "model"
        for setting, algorithm in (
            (ours.Setting("perceptron", 10), "ap"),
            (ours.Setting("likelihood", 20, 2.0), "lbfgs"),
        ):
            peer.train(crfsuite.Setting(algorithm, setting.passes), path)
            theirs = path.stat().st_size
            save(ours.fit_chain(data.X, data.y, setting.options(data)).model, path)
            found[setting.loss] = [path.stat().st_size, theirs]
    return found


def files_text(rows: list[dict[str, Any]]) -> str:
    titles = ["data", "perceptron (10), MB", "CRFsuite ap", "ratio", "likelihood (50), MB", "CRFsuite lbfgs", "ratio"]
    lines = []
    for row in rows:
        cells = [row["data"]]
        for loss in ("perceptron", "likelihood"):
            mine, theirs = row[loss]
            cells += [f"{mine / 1e6:.1f}", f"{theirs / 1e6:.1f}", f"{mine / theirs:.2f}"]
        lines.append(cells)
    return table.grid(titles, lines)


def resident(field: str) -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field))


def peak(side: str, loss: str, path: str, n_sentences: str) -> None:
    """Print the peak above the memory after imports (and a first fit); sentences are read one by one."""
    algorithm, own, _ = FITS[loss]
    sentences = lambda: column_sentences(Path(path))  # noqa: E731
    if loss in STRENGTHS:
        own = own | {"l2": STRENGTHS[loss] / int(n_sentences)}
    options = ChainOptions(loss=loss, templates="chunk", n_threads=1, **own)
    few = [one for one, _ in zip(sentences(), range(WARM), strict=False)]
    ours.fit_chain([one[:-1] for one in few], [one[-1] for one in few], options)
    Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    found: dict[str, Any] = {}
    if side == "ours":
        X, y = (one[:-1] for one in sentences()), (one[-1] for one in sentences())
        kept: Any = ours.fit_chain(X, y, options)
    else:
        kept = crfsuite.pycrfsuite.Trainer(algorithm, {"max_iterations": int(own["max_passes"])}, verbose=False)
        for *columns, labels in sentences():
            kept.append(with_ends(attributes_of(columns, "chunk")), labels)
        found["filled"] = resident("VmRSS") - before
        with tempfile.TemporaryDirectory() as scratch:
            kept.train(str(Path(scratch) / "model"))
    print(json.dumps(found | {"peak": resident("VmHWM") - before}))


def memory(data: TaggingSet, folder: Path) -> dict[str, Any]:
    """Peaks of CoNLL-2000 by loss, a process each."""
    path = folder / "structured/conll2000/train.txt.gz"
    found: dict[str, Any] = {"data": data.name}
    for loss in FITS:
        for side in ("ours", "crfsuite"):
            arguments = str(ROOT), side, loss, str(path.resolve()), str(len(data.X))
            try:
                found[f"{loss}, {side}"] = run_script(MEASURED, *arguments, limit=900.0)
            except Unmeasured as error:
                found[f"{loss}, {side}"] = {"unmeasured": str(error)}
    return found


def memory_text(rows: list[dict[str, Any]]) -> str:
    titles = ["data", "loss", "ours, MB", "CRFsuite's", "after append", "ratio", "asked"]
    lines = []
    for row in rows:
        for loss, (algorithm, _, asked) in FITS.items():
            mine, theirs = row[f"{loss}, ours"], row[f"{loss}, crfsuite"]
            if "peak" in mine and "peak" in theirs:
                cells = [f"{mine['peak'] / 1e6:.0f}", f"{theirs['peak'] / 1e6:.0f} ({algorithm})"]
                cells += [f"{theirs['filled'] / 1e6:.0f}", f"{mine['peak'] / theirs['peak']:.2f}", f"{asked}"]
            else:
                cells = [mine.get("unmeasured", ""), theirs.get("unmeasured", ""), "", "", ""]
            lines.append([row["data"], loss, *cells])
    return table.grid(titles, lines)


def first(data: TaggingSet) -> dict[str, Any]:
    """`empirisk tag fit` on a few sentences, nothing compiled, and once more: CPU and wall seconds."""
    found: dict[str, Any] = {"data": data.name}
    with tempfile.TemporaryDirectory() as scratch:
        train = Path(scratch) / "train.txt"
        sentences = zip(data.X[:LEAST_FILE], data.y[:LEAST_FILE], strict=True)
        rows = ("\n".join(map(" ".join, zip(*x, y, strict=True))) for x, y in sentences)
        train.write_text("\n\n".join(rows) + "\n")
        for loss in FITS:
            environment = {"NUMBA_CACHE_DIR": str(Path(scratch) / loss)}
            command = [*command_line(), "tag", "fit", str(train), "-o", str(Path(scratch) / f"{loss}.model")]
            command += ["--templates", "chunk", "--loss", loss, "--l2", "0.1", "--quiet"]
            found[loss] = [timed(command, environment) for _ in range(2)]
    return found


def timed(command: list[str], environment: dict[str, str]) -> list[float]:
    """CPU and wall seconds of a command; exit code 1 is one of an answer without proof."""
    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, env={**os.environ, **environment})
    wall, after = time.perf_counter() - wall, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1) or "Traceback" in done.stderr:
        print(done.stderr, file=sys.stderr)
        raise Unmeasured(last_line(done.stderr))
    return [after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall]


def first_text(rows: list[dict[str, Any]]) -> str:
    titles = ["loss", "empty cache, CPU s", "wall", "again, CPU s", "wall"]
    lines = []
    for row in rows:
        for loss in FITS:
            (cpu, wall), (cpu_again, wall_again) = row[loss]
            lines.append([loss, f"{cpu:.1f}", f"{wall:.1f}", f"{cpu_again:.1f}", f"{wall_again:.1f}"])
    return table.grid(titles, lines)

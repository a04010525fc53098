"""Gaps after so many passes, our minimum against CRFsuite's loss, certificates checked again, and verdicts."""

import math
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import table
from benchmarks.tagging import crfsuite, ours
from benchmarks.tagging.sets import TaggingSet
from empirisk.chains.tagger import Tagger
from empirisk.chains.verdicts.realize import realize
from empirisk.driver import minimize
from empirisk.models.chains.training import risk_of

# By set: l2 times n, the cost, the relative gap, and the passes that were asked for.
MARGINS = {
    "CoNLL-2000": (10.0, "hamming", 1e-2, 12),
    "OCR fold 0": (0.1, "mean_hamming", 1e-3, 20),  # l2 itself, as in the next one
    "OCR the rest": (0.01, "mean_hamming", 1e-3, 30),
}
MOST_PASSES = {"margin": 100, "likelihood": 400}
TIGHTEST = {"epsilon": 1e-7, "delta": 1e-10, "num_memories": 10}  # of CRFsuite's L-BFGS
EVALUATIONS = 1000


def margin_setting(data: TaggingSet) -> tuple[ours.Setting, float]:
    """What is asked on this set, and the gap."""
    strength, cost, tol, _ = MARGINS[data.name]
    if data.name.startswith("OCR"):
        strength *= len(data.X)
    return ours.Setting("margin", MOST_PASSES["margin"], strength, cost), tol


def margin(data: TaggingSet) -> dict[str, Any]:
    """Decoding passes and CPU seconds until the gap is proven, and the score; CRFsuite's ap beside it."""
    setting, tol = margin_setting(data)
    options = setting.options(data, tol=tol)
    given = ours.posed(data, options)
    problem = risk_of(given.data, options)
    minimize(problem, max_passes=1, tol=tol)  # compiles
    start = time.process_time()
    found = minimize(problem, max_passes=setting.passes, tol=tol, seed=0)
    seconds = time.process_time() - start
    test = given.features.encode(data.test_X)
    return {
        "data": data.name,
        "setting": f"{setting.cost}, l2 = {options.l2:.3g}",
        "asked": MARGINS[data.name][3],
        "passes": found.passes,
        "gap": found.certificate.relative_gap,
        "tol": tol,
        "seconds": seconds,
        "score": ours.score_of(given, data, found.point.weights, test),
        "crfsuite": ap_seconds(data),
    }


def ap_seconds(data: TaggingSet) -> float:
    with tempfile.TemporaryDirectory() as scratch:
        return crfsuite.filled(data).train(crfsuite.Setting("ap", 10), Path(scratch) / "model").seconds


def margin_text(rows: list[dict[str, Any]]) -> str:
    titles = ["data", "problem", "passes asked", "passes", "gap", "score", "s", "CRFsuite ap (10), s", "ratio"]
    lines = []
    for row in rows:
        cells = [row["data"], row["setting"], f"{row['asked']}", f"{row['passes']:g}"]
        cells += [f"{row['gap']:.2g} ({row['tol']:g} asked)", f"{row['score']:.2f}", f"{row['seconds']:.2f}"]
        lines.append([*cells, f"{row['crfsuite']:.2f}", f"{row['seconds'] / row['crfsuite']:.2f}"])
    return table.grid(titles, lines)


def likelihood(data: TaggingSet) -> dict[str, Any]:
    """Evaluations until the gap is 1e-2 and 1e-3 at l2 = 2/n, and the score there."""
    setting = ours.Setting("likelihood", MOST_PASSES["likelihood"], 2.0)
    options = setting.options(data, tol=1e-3)
    given = ours.posed(data, options)
    start = time.process_time()
    found = minimize(risk_of(given.data, options), max_passes=setting.passes, tol=options.tol)
    seconds = time.process_time() - start
    checks = found.trace.checks
    first = next((one.passes for one in checks if min(one.gap, one.estimate) <= 1e-2 * one.objective), math.nan)
    test = given.features.encode(data.test_X)
    return {
        "data": data.name,
        "percent": first,
        "passes": found.passes,
        "gap": found.certificate.relative_gap,
        "seconds": seconds,
        "score": ours.score_of(given, data, found.point.weights, test),
    }


def likelihood_text(rows: list[dict[str, Any]]) -> str:
    titles = ["data", "evaluations to 1e-2", "to 1e-3", "gap proven", "score", "s"]
    lines = []
    for row in rows:
        cells = [row["data"], f"{row['percent']:g}", f"{row['passes']:g}", f"{row['gap']:.2g}"]
        lines.append([*cells, f"{row['score']:.2f}", f"{row['seconds']:.1f}"])
    return table.grid(titles, lines)


def optimum(data: TaggingSet) -> dict[str, Any]:
    """n P at our certified minimum, its bound, and CRFsuite's loss at its tightest, c2 = 1; its choices for both."""
    n = len(data.X)
    setting = ours.Setting("likelihood", EVALUATIONS, 2.0)
    options = setting.options(data, tol=1e-7, transitions="observed", ends=False)
    given = ours.posed(data, options)
    found = minimize(risk_of(given.data, options), max_passes=EVALUATIONS, tol=options.tol)
    with tempfile.TemporaryDirectory() as scratch:
        peer = crfsuite.filled(data, has_ends=False)
        run = peer.train(crfsuite.Setting("lbfgs", EVALUATIONS), Path(scratch) / "model", **TIGHTEST)
    return {
        "data": data.name,
        "ours": n * found.objective,
        "floor": n * (found.objective - found.certificate.gap),
        "passes": found.passes,
        "crfsuite": run.iterations[-1]["loss"],
        "iterations": len(run.iterations),
        "usual": next((one["loss"] for one in run.iterations if one["num"] == 50), math.nan),
    }


def optimum_text(rows: list[dict[str, Any]]) -> str:
    titles = ["data", "n P, ours", "proven floor", "evaluations", "CRFsuite's loss", "iterations", "apart"]
    titles += ["its loss after 50, above the floor"]
    lines = []
    for row in rows:
        cells = [row["data"], f"{row['ours']:.4f}", f"{row['floor']:.4f}", f"{row['passes']:g}"]
        apart, above = row["crfsuite"] / row["ours"] - 1.0, row["usual"] / row["floor"] - 1.0
        lines.append([*cells, f"{row['crfsuite']:.4f}", f"{row['iterations']}", f"{apart:.1e}", f"{above:.1%}"])
    return table.grid(titles, lines)


def verify(data: TaggingSet, repeats: int) -> dict[str, Any]:
    """CPU seconds of a certificate's own `verify` and of a decoding pass of the training set, and the proof's bytes."""
    found: dict[str, Any] = {"data": data.name, "text": text_bytes(data)}
    for loss in ("margin", "likelihood"):
        setting = margin_setting(data)[0] if loss == "margin" else ours.Setting(loss, 10, 2.0)
        options = setting._replace(passes=10).options(data)
        given = ours.posed(data, options)
        problem = risk_of(given.data, options)
        solution = minimize(problem, max_passes=10, tol=options.tol, seed=0)
        tagger = Tagger(given.data.layout, given.data.masks, solution.point.weights)
        seconds = {"verify": math.inf, "decode": math.inf}
        for _ in range(repeats + 1):
            for name in seconds:
                start = time.process_time()
                if name == "decode":
                    tagger.predict(given.data.sequences)
                else:
                    assert solution.certificate.verify(problem, solution.point).holds
                seconds[name] = min(seconds[name], time.process_time() - start)
        arrays = [value for value in solution.certificate if isinstance(value, np.ndarray)]
        found[loss] = seconds | {"bytes": sum(value.nbytes for value in arrays)}
    return found


def text_bytes(data: TaggingSet) -> int:
    """Of the training set as columns: cells with a blank or an end of line behind each, a line between sequences."""
    columns = (column for x, y in zip(data.X, data.y, strict=True) for column in ((*x, y) if data.templates else (y,)))
    cells = sum(sum(len(cell.encode()) + 1 for cell in column) for column in columns)
    if data.templates is None:
        cells += sum(sum(len(name) + 1 for token in x for name in token) for x in data.X)
    return cells + len(data.X)


def verify_text(rows: list[dict[str, Any]]) -> str:
    titles = [
        "data",
        "loss",
        "verify, s",
        "a decoding pass, s",
        "in decoding passes",
        "dual point, bytes",
        "of the text",
    ]
    lines = []
    for row in rows:
        for loss in ("margin", "likelihood"):
            one = row[loss]
            cells = [row["data"], loss, f"{one['verify']:.3f}", f"{one['decode']:.3f}"]
            cells += [f"{one['verify'] / one['decode']:.1f}", f"{one['bytes']}", f"{one['bytes'] / row['text']:.2f}"]
            lines.append(cells)
    return table.grid(titles, lines)


def verdict(data: TaggingSet, most: float) -> dict[str, Any]:
    """What `realize` decides on data that are read, and the CPU and wall seconds of that."""
    given = ours.posed(data, ours.Setting("perceptron", 1).options(data))
    realize(given.data, time_limit=0.01)  # compiles, or loads what was compiled
    cpu, wall = time.process_time(), time.perf_counter()
    found = realize(given.data, time_limit=most)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {"data": data.name, "kind": type(found).__name__, "said": found.sentence(), "cpu": cpu, "wall": wall}


def verdict_text(rows: list[dict[str, Any]]) -> str:
    titles = ["data", "verdict", "CPU s", "wall s", "in words"]
    lines = [[row["data"], row["kind"], f"{row['cpu']:.2f}", f"{row['wall']:.2f}", row["said"][:200]] for row in rows]
    return table.grid(titles, lines)

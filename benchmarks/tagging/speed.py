"""An epoch of the averaged perceptron, an evaluation of the likelihood, and tagging: ours and CRFsuite's."""

import gc
import math
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import table
from benchmarks.machine import LoadMeter
from benchmarks.tagging import crfsuite, ours
from benchmarks.tagging.sets import TaggingSet, attributes_of
from empirisk.chains.perceptron import sequence_perceptron
from empirisk.chains.solvers.lbfgs import smooth_objective
from empirisk.driver import minimize
from empirisk.models.chains.training import risk_of

EPOCHS, WARM_STEPS = 10, 15
TAGS, TAG_EPOCHS = 5, 5  # runs of tagging, and passes of the models that tag


def epoch(data: TaggingSet, repeats: int) -> dict[str, Any]:
    """CPU seconds of ten passes of the averaged perceptron, in turn with CRFsuite's, by its own log."""
    given = ours.posed(data, ours.Setting("perceptron", EPOCHS).options(data))
    peer = crfsuite.filled(data)
    theirs, mine = math.inf, math.inf
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(repeats):
            found = peer.train(crfsuite.Setting("ap", EPOCHS), Path(scratch) / "model")
            theirs = min(theirs, sum(one["time"] for one in found.iterations) / EPOCHS)
            start = time.process_time()
            sequence_perceptron(given.data, order="random", seed=seed, max_passes=EPOCHS)
            mine = min(mine, (time.process_time() - start) / EPOCHS)
    return {"data": data.name, "ours": mine, "crfsuite": theirs}


def epoch_text(rows: list[dict[str, Any]]) -> str:
    titles = ["data", "ours, s an epoch", "CRFsuite ap", "ratio"]
    lines = [
        [row["data"], f"{row['ours']:.3f}", f"{row['crfsuite']:.3f}", f"{row['ours'] / row['crfsuite']:.2f}"]
        for row in rows
    ]
    return table.grid(titles, lines)


def evaluation(data: TaggingSet, repeats: int, states: str = "observed") -> dict[str, Any]:
    """Value and gradient of the likelihood after some steps, on one and two threads, and CRFsuite's iterations."""
    options = ours.Setting("likelihood", WARM_STEPS, 2.0).options(data, states=states)
    given = ours.posed(data, options)
    problem = risk_of(given.data, options)
    u = minimize(problem, max_passes=WARM_STEPS, tol=ours.NEVER).point.weights
    both = problem.with_threads(2)
    peer, has_all = crfsuite.filled(data), {"feature.possible_states": states == "all"}
    found: dict[str, Any] = {"data": data.name, "states": states, "weights": int(u.size)}
    least = dict.fromkeys(("one", "two", "one_wall", "two_wall", "crfsuite", "crfsuite_wall"), math.inf)
    meter = LoadMeter()
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(repeats):
            wall = time.perf_counter()
            run = peer.train(crfsuite.Setting("lbfgs", WARM_STEPS), Path(scratch) / "model", **has_all)
            shares = [one["time"] / one.get("linesearch_trials", 1) for one in run.iterations[3:]]
            least["crfsuite"] = min(least["crfsuite"], statistics.mean(shares))
            wall = (time.perf_counter() - wall) * statistics.mean(shares) / run.seconds
            least["crfsuite_wall"] = min(least["crfsuite_wall"], wall)
            for _ in range(3):
                for name, one in (("one", problem), ("two", both)):
                    meter.start()
                    smooth_objective(one, u)
                    spent = meter.stop()
                    least[f"{name}_wall"] = min(least[f"{name}_wall"], spent[0])
                    least[name] = min(least[name], spent[1])
    return found | least | {"others": meter.foreign_cores()}


def evaluation_text(rows: list[dict[str, Any]]) -> str:
    titles = [
        "data",
        "weights",
        "one thread, CPU s",
        "CRFsuite",
        "ratio",
        "two threads, CPU s",
        "wall: one, two, CRFsuite",
    ]
    titles += ["two / CRFsuite, wall", "cores busy with others"]
    lines = []
    for row in rows:
        walls = ", ".join(f"{row[name]:.3f}" for name in ("one_wall", "two_wall", "crfsuite_wall"))
        cells = [f"{row['weights']} ({row['states']})", f"{row['one']:.3f}", f"{row['crfsuite']:.3f}"]
        cells += [f"{row['one'] / row['crfsuite']:.2f}", f"{row['two']:.3f}", walls]
        cells += [f"{row['two_wall'] / row['crfsuite_wall']:.2f}", f"{row['others']:.1f}"]
        lines.append([row["data"], *cells])
    return table.grid(titles, lines)


def tagging(data: TaggingSet, repeats: int) -> dict[str, Any]:
    """CPU seconds of the whole test set on one thread: from columns, and from lists of attributes."""
    options = ours.Setting("perceptron", TAG_EPOCHS).options(data)
    attributes = data.test_attributes()
    of_lists = data._replace(templates=None, X=data.train_attributes(), test_X=attributes)
    plays: dict[str, Callable[[], Any]] = {}
    listed = ours.fit_chain(of_lists.X, data.y, options._replace(templates=None)).model
    plays["ours, attributes"] = lambda: listed.predict(attributes)
    if data.templates is not None:
        model = ours.fit_chain(data.X, data.y, options).model
        plays["ours, columns"] = lambda: model.predict(data.test_X)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "model"
        crfsuite.filled(of_lists).train(crfsuite.Setting("ap", TAG_EPOCHS), path)
        plays["crfsuite, attributes"] = lambda: crfsuite.tagged(path, attributes)
        plays["crfsuite, columns"] = lambda: crfsuite.tagged(
            path, (attributes_of(x, data.templates) for x in data.test_X)
        )
        seconds = least_seconds(plays, repeats)
    return {"data": data.name, "seconds": seconds}


def least_seconds(plays: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """CPU, the first run of each not counted."""
    found = dict.fromkeys(plays, math.inf)
    for turn in range(repeats + 1):
        for name, play in plays.items():
            gc.collect()
            start = time.process_time()
            play()
            if turn:
                found[name] = min(found[name], time.process_time() - start)
    return found


def tagging_text(rows: list[dict[str, Any]]) -> str:
    titles = [
        "data",
        "from columns: ours",
        "CRFsuite",
        "times as fast",
        "from attributes: ours",
        "CRFsuite",
        "times as fast",
    ]
    lines = []
    for row in rows:
        cells = [row["data"]]
        for kind in ("columns", "attributes"):
            mine, theirs = (row["seconds"].get(f"{side}, {kind}") for side in ("ours", "crfsuite"))
            cells += ["", "", ""] if mine is None else [f"{mine:.3f}", f"{theirs:.3f}", f"{theirs / mine:.1f}"]
        lines.append(cells)
    return table.grid(titles, lines)

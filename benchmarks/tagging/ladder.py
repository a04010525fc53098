"""The fastest setting of each side that reaches F* - 0.05, by two clocks.

F* is the best test score of CRFsuite's algorithms over a ladder of iterations and strengths. *Training*: attributes in
each one's own memory. *Whole*: from token columns in memory to a model that tags, so features and `append` or interning
too. CPU seconds of single-threaded runs; ours by the median score of five seeds.
"""

import itertools
import math
import statistics
from typing import Any, NamedTuple

import click

from benchmarks import table
from benchmarks.tagging import crfsuite, ours
from benchmarks.tagging.sets import TaggingSet, with_ends
from empirisk.protocols import Unsupported

TOLERANCE = 0.05  # points of the score
ITERATIONS = (5, 10, 20, 50, 100, 200)
STRENGTHS = tuple(itertools.product((0.0, 0.1), (1.0, 0.1, 10.0)))  # c1, c2, the usual one first
OURS = (
    *(ours.Setting("margin", passes, 10.0) for passes in (1, 2, 3, 4, 6, 8, 10)),
    *(ours.Setting("margin", passes, 3.0) for passes in (3, 6, 10)),
    *(ours.Setting("likelihood", passes, 2.0) for passes in (30, 60, 100)),
)
PERCEPTRON_PASSES = 12
MORE_PASSES, FEW_TOKENS = 50, 10_000  # where tokens are few, so many


class Row(NamedTuple):
    setting: str
    score: float
    seconds: float  # of the training; nan where it was not asked


def peer_settings(chosen: str | None) -> list[crfsuite.Setting]:
    """The ladder, short runs first; or those that are written as algorithm:iterations:c1:c2."""
    if chosen is not None:
        parts = [one.split(":") for one in chosen.split(",")]
        return [crfsuite.Setting(one[0], int(one[1]), *map(float, one[2:])) for one in parts]
    found = []
    for iterations in ITERATIONS:
        found += [crfsuite.Setting(name, iterations) for name in ("ap", "pa", "arow")]
        found += [crfsuite.Setting("l2sgd", iterations, 0.0, c2) for c2 in (1.0, 0.1, 10.0)]
        found += [crfsuite.Setting("lbfgs", iterations, c1, c2) for c1, c2 in STRENGTHS]
    return found


def peer_rows(data: TaggingSet, peer: crfsuite.Filled, chosen: str | None, most: float) -> tuple[list[Row], int]:
    """Every setting that the seconds allow by what an iteration took before, and how many were left out."""
    test = [with_ends(tokens) for tokens in data.test_attributes()]
    rows, left_out, spent = [], 0, 0.0
    pace: dict[str, float] = {}
    for setting in peer_settings(chosen):
        if spent + pace.get(setting.algorithm, 0.0) * setting.iterations > most:
            left_out += 1
            continue
        seconds, score = crfsuite.trained_and_scored(peer, data, setting, test)
        pace[setting.algorithm] = seconds / setting.iterations
        spent += seconds
        rows.append(Row(str(setting), score, seconds))
        click.echo(f"  {setting}: {score:.2f} after {seconds:.2f} s", err=True)
    return rows, left_out


def our_rows(data: TaggingSet, settings: tuple[ours.Setting, ...], seeds: int, passes: int) -> list[Row]:
    """The perceptron after each pass, and the other settings; those that cannot run are left out."""
    rows = []
    for first in perceptrons(passes):
        given = ours.posed(data, first.options(data))
        test = given.features.encode(data.test_X)
        ladders = [ours.perceptron_ladder(given, data, test, passes, seed) for seed in range(seeds)]
        for k in range(min(map(len, ladders))):
            median = statistics.median(ladder[k] for ladder in ladders)
            rows.append(Row(str(first._replace(passes=k + 1)), median, math.nan))
    for setting in settings:
        try:
            runs = [ours.training(given, setting.options(data, seed)) for seed in range(tries(setting, seeds))]
        except (Unsupported, TypeError):
            continue
        scores = [ours.score_of(given, data, weights, test) for _, weights in runs]
        rows.append(Row(str(setting), statistics.median(scores), min(seconds for seconds, _ in runs)))
    for row in rows:
        click.echo(f"  ours: {row.setting}: {row.score:.2f}", err=True)
    return rows


def perceptrons(passes: int) -> list[ours.Setting]:
    """With weights of all pairs of labels, and of those that occur."""
    return [ours.Setting("perceptron", passes, transitions=pairs) for pairs in ("observed", "all")]


def tries(setting: ours.Setting, seeds: int) -> int:
    """The likelihood draws nothing."""
    return 1 if setting.loss == "likelihood" else seeds


def measure(data: TaggingSet, chosen: str | None, most: float, seeds: int, losses: str) -> dict[str, Any]:
    peer = crfsuite.filled(data)
    theirs, left_out = peer_rows(data, peer, chosen, most)
    best = max(theirs, key=lambda row: row.score)
    enough = best.score - TOLERANCE
    fastest = min((row for row in theirs if row.score >= enough), key=lambda row: row.seconds)
    passes = PERCEPTRON_PASSES if data.n_tokens > FEW_TOKENS else MORE_PASSES
    others = tuple(setting for setting in OURS if setting.loss in losses.split(","))
    settings = [*(one for k in range(passes) for one in perceptrons(k + 1)), *others]
    known = {str(setting): setting for setting in settings}
    mine = our_rows(data, others, seeds, passes)
    reaching = [known[row.setting] for row in mine if row.score >= enough]
    found: dict[str, Any] = {
        "data": data.name,
        "settings": len(theirs),
        "left_out": left_out,
        "best": best._asdict(),
        "fastest": fastest._asdict(),
        "features": peer.feature_seconds,
        "append": peer.append_seconds,
        "ours_best": max(mine, key=lambda row: row.score)._asdict(),
        "rows": [row._asdict() for row in theirs + mine],
        "ours": None,
    }
    if reaching:
        found["ours"] = fastest_of_ours(data, reaching)
    return found


def fastest_of_ours(data: TaggingSet, reaching: list[ours.Setting]) -> dict[str, Any]:
    """Of each loss the fewest passes; of these the least time, minimum of three."""
    rows = []
    for loss in dict.fromkeys(setting.loss for setting in reaching):
        setting = min((one for one in reaching if one.loss == loss), key=lambda one: one.passes)
        options = setting.options(data)
        given = ours.posed(data, options)
        seconds = min(ours.training(given, options)[0] for _ in range(3))
        rows.append({"setting": str(setting), "training": seconds, "one": setting})
    best = min(rows, key=lambda row: row["training"])
    one = best.pop("one")
    return best | {"whole": min(ours.whole(data, one, seed)[0] for seed in range(3))}


def text(results: list[dict[str, Any]]) -> str:
    titles = ["data", "F*", "by", "its fastest", "s", "features, append", "ours, fastest", "training", "whole"]
    titles += ["training ratio", "whole ratio", "our best", "by"]
    lines = []
    for row in results:
        best, fastest, own = row["best"], row["fastest"], row["ours"]
        cells = [row["data"], f"{best['score']:.2f}", best["setting"], fastest["setting"], f"{fastest['seconds']:.2f}"]
        cells.append(f"{row['features']:.2f}, {row['append']:.2f}")
        if own is None:
            cells += ["none", "", "", "", ""]
        else:
            whole = row["features"] + row["append"] + fastest["seconds"]
            cells += [own["setting"], f"{own['training']:.2f}", f"{own['whole']:.2f}"]
            cells += [f"{own['training'] / fastest['seconds']:.2f}", f"{own['whole'] / whole:.2f}"]
        ours_best = row["ours_best"]
        lines.append([*cells, f"{ours_best['score']:.2f}", ours_best["setting"]])
    settings = "; ".join(f"{row['data']} {row['settings']} ({row['left_out']} left out)" for row in results)
    return table.grid(titles, lines) + f"\n\nSettings of CRFsuite: {settings}.\n" + all_settings(results)


def all_settings(results: list[dict[str, Any]]) -> str:
    parts = []
    for row in results:
        said = [f"{one['setting']} {one['score']:.2f}" for one in row["rows"]]
        parts.append(f"{row['data']}: {', '.join(said)}.")
    return "\n" + "\n\n".join(parts) + "\n"

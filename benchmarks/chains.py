"""python -m benchmarks.chains --data FOLDER: sequence labelling, ours and python-crfsuite's, in the same run.

The same attributes for both, with one of the first and one of the last token where we have weights of the start and the
end. CPU seconds of single-threaded runs, least of several in turn, unless a table says otherwise: a busy machine spoils
wall time first. `--parts` names the tables:

ladder: the fastest setting that reaches CRFsuite's best score, by two clocks (`benchmarks/tagging/ladder.py`)
epoch: a pass of the averaged perceptron; evaluation: value and gradient of the likelihood, observed pairs
all_states: the same with all pairs of attribute and label; tagging: the test set
optimum: our certified minimum against CRFsuite's printed loss; likelihood, margin: gaps after so many passes
verify: a certificate checked again, its bytes; files: size of models; memory: peaks; first: `tag fit`, nothing compiled
verdicts: whether any weights label everything right
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from benchmarks import machine
from benchmarks.peers import installed_version
from benchmarks.publish import publish
from benchmarks.tagging import footprint, ladder, proofs, speed
from benchmarks.tagging.sets import SETS

ALL = tuple(SETS)
ONE = ("conll2000",)  # where one is enough
VERDICT_SECONDS = 60.0  # on a set, at most


class Part:
    """A table: what is measured on each set, on which ones, and how it is written."""

    def __init__(self, title: str, measure: Callable[..., Any], text: Callable[[list], str], sets: tuple = ALL):
        self.title, self.measure, self.text, self.sets = title, measure, text, sets


def parts_of(asked: dict[str, Any], folder: Path) -> dict[str, Part]:
    repeats = asked["repeats"]
    return {
        "ladder": Part(
            "Time to CRFsuite's best score",
            lambda data: ladder.measure(
                data, asked["peer_settings"], asked["seconds"], asked["seeds"], asked["losses"]
            ),
            ladder.text,
        ),
        "epoch": Part("An epoch of the averaged perceptron", lambda data: speed.epoch(data, repeats), speed.epoch_text),
        "evaluation": Part(
            "An evaluation of the likelihood", lambda data: speed.evaluation(data, repeats), speed.evaluation_text
        ),
        "all_states": Part(
            "The same with all pairs of attribute and label",
            lambda data: speed.evaluation(data, 1, "all"),
            speed.evaluation_text,
            ONE,
        ),
        "tagging": Part("Tagging the test set", lambda data: speed.tagging(data, repeats), speed.tagging_text),
        "optimum": Part("The minimum of the likelihood, c2 = 1", proofs.optimum, proofs.optimum_text, ONE),
        "likelihood": Part("Likelihood, l2 = 2/n", proofs.likelihood, proofs.likelihood_text, ONE),
        "margin": Part("Margins", proofs.margin, proofs.margin_text, ("conll2000", "ocr_fold", "ocr_rest")),
        "verify": Part(
            "Certificates checked again",
            lambda data: proofs.verify(data, repeats),
            proofs.verify_text,
            (*ONE, "ocr_fold"),
        ),
        "files": Part("Model files", footprint.files, footprint.files_text, ONE),
        "memory": Part("Peak memory of a fit", lambda data: footprint.memory(data, folder), footprint.memory_text, ONE),
        "first": Part("The first `tag fit`", footprint.first, footprint.first_text, ONE),
        "verdicts": Part("Verdicts", lambda data: proofs.verdict(data, VERDICT_SECONDS), proofs.verdict_text),
    }


@click.command()
@click.option("--data", "folder", required=True, type=click.Path(path_type=Path), help="Folder of data sets.")
@click.option("--sets", help="Some of them, with commas; without, those that each part is about.")
@click.option("--parts", help="Some of the tables, with commas; all of them without.")
@click.option("--repeats", default=3, show_default=True, type=click.IntRange(min=1))
@click.option(
    "--seeds", default=5, show_default=True, type=click.IntRange(min=1), help="Of our settings in the ladder."
)
@click.option("--seconds", default=3600.0, show_default=True, help="CPU seconds of CRFsuite's ladder on a set.")
@click.option("--peer-settings", metavar="A:N:C1:C2,...", help="CRFsuite's ladder: algorithm, iterations, strengths.")
@click.option("--losses", default="margin,likelihood", show_default=True, help="In our ladder besides the perceptron.")
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(folder, sets, parts, json_path, **asked):
    """Measure sequence labelling, ours and python-crfsuite's."""
    known = parts_of(asked, folder)
    chosen = list(known) if parts is None else parts.split(",")
    for name in chosen:
        if name not in known:
            raise click.UsageError(f"there is no part {name!r}: they are {', '.join(known)}")
    result = {"machine": machine.description(), "crfsuite": installed_version("python-crfsuite"), "parts": {}}
    loaded: dict[str, Any] = {}
    for name in chosen:
        rows, part, meter = [], known[name], machine.LoadMeter()
        for key in part.sets if sets is None else [key for key in sets.split(",") if key in part.sets]:
            if key not in loaded:
                loaded[key] = SETS[key](folder)
            click.echo(f"{name}, {key}", err=True)
            meter.start()
            rows.append(part.measure(loaded[key]))
            meter.stop()
        if rows:
            others = meter.foreign_cores()
            result["parts"][name] = {"others": others, "text": f"## {part.title}\n\n{part.text(rows)}", "rows": rows}
    publish(result, markdown, json_path)


def markdown(result: dict) -> str:
    what = result["machine"]
    heading = (
        f"# Sequence labelling\n\n{what['cpu']}, {what['cores']} cores, Python {what['python']}, numba "
        f"{what['versions']['numba']}, python-crfsuite {result['crfsuite']}. CPU seconds of single-threaded runs, "
        "least of several, unless said otherwise.\n\n"
    )
    parts = []
    for part in result["parts"].values():
        busy = "" if part["others"] is None else f"\n\nOthers kept {part['others']:.1f} cores busy meanwhile."
        parts.append(part["text"].rstrip() + busy)
    return heading + "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    main()

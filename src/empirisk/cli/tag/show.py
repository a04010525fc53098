"""empirisk tag show: the weights of a model of sequences."""

from __future__ import annotations

import click

from empirisk.cli.help import Command
from empirisk.cli.options import json_option
from empirisk.cli.output import emit, emit_json, emit_table
from empirisk.cli.tag.reading import loaded_chain


@click.command("show", cls=Command, examples=("tag show model", "tag show model --top 3", "tag show model --json"))
@click.argument("model")
@click.option("--top", default=10, type=click.IntRange(min=1), show_default=True, help="So many attributes a label.")
@json_option
def command(model: str, top: int, as_json: bool) -> int:
    """Show the largest weights of MODEL for each label, and those of the pairs of labels."""
    import numpy as np

    found = loaded_chain(model)
    labels = found.classes.tolist()
    weights = {str(label): found.top_weights(label, top) for label in labels}
    transitions = found.transitions()
    if as_json:
        emit_json({"weights": weights, "labels": list(map(str, labels)), "transitions": transitions.tolist()})
        return 0
    emit_table([("Model", repr(found).strip("<>"))])
    for label, some in weights.items():
        emit("\n")
        emit_table([("Label", label)])
        emit_table((f"{weight:.5g}", f" {name}") for name, weight in some)
    order = np.argsort(-np.abs(transitions), axis=None, kind="stable")[: 2 * top]
    emit("\n")
    emit_table([("Pairs", "of labels, the largest weights")])
    places = np.unravel_index(order, transitions.shape)
    pairs = [(f"{transitions[a, b]:.5g}", f" {labels[a]} {labels[b]}") for a, b in zip(*places, strict=True)]
    emit_table(pairs)
    return 0

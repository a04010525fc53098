"""empirisk tag: labels of the tokens of sequences."""

from __future__ import annotations

import click

from empirisk.cli.lazy_group import LazyGroup

MEMBERS = {
    "fit": "Train a model of sequences and write it with its certificate.",
    "predict": "Label the tokens of new sequences.",
    "eval": "Count right tokens, chunks and sequences.",
    "realize": "Find weights that label every sequence right, or prove that there are none.",
    "show": "Show a model: its largest weights, and the pairs of labels.",
}


@click.group("tag", cls=LazyGroup, members=MEMBERS, package="empirisk.cli.tag")
def command() -> None:
    """Label the tokens of sequences: words, chunks, names, letters.

    Files have a token a line and an empty line after each sequence (columns, the last one being the label), or are
    CoNLL-U or CRFsuite's text; `empirisk verify` checks what is written here, too.

    \b
    Examples (each command has more, with --help):
      empirisk tag fit train.txt -o model --templates chunk
      empirisk tag predict model new.txt > tagged.txt
      empirisk tag eval model test.txt
    """

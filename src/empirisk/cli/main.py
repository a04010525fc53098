"""The `empirisk` command and its lazily loaded subcommands."""

from __future__ import annotations

import signal

import click

from empirisk import __version__
from empirisk.cli.errors import INTERRUPTED, as_sentences, redeliver_lost_interrupts
from empirisk.cli.lazy_group import LazyGroup
from empirisk.cli.streams import open_closed_streams

# Name -> what it does, so that the help needs no command's module.
COMMANDS = {
    "fit": "Fit a linear model and write it with its certificate.",
    "predict": "Predict labels, scores or probabilities.",
    "score": "Judge a model on new rows, each number with an interval.",
    "compare": "Compare losses and strengths on rows that were held out.",
    "verify": "Recompute the certificate in a file from the data.",
    "separate": "Find a plane between two classes, or points that forbid one.",
    "perceptron": "Run the perceptron, with its mistakes beside the bound.",
    "margin": "Find the widest gap between two classes, and prove it.",
    "minimize-errors": "Find the plane with the fewest errors, and prove it.",
    "tag": "Label tokens of sequences: words, chunks, names.",
    "stream": "Learn from rows as they come, each predicted before.",
    "bound": "Bound the error of a model on future rows, and prove it.",
    "plan": "Say how many rows a promise on the future error needs.",
    "warm-up": "Compile ahead of time what the usual problems need.",
    "demo": "Fit, verify and report on a built-in data set.",
}


@click.group(
    cls=LazyGroup,
    members=COMMANDS,
    package="empirisk.cli.commands",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="empirisk")
def main() -> None:
    """Fit linear models whose every answer carries a certificate.

    \b
    Exit codes: 0 done and certified, 1 not certified at the asked tolerance, 2 usage,
    3 bad data, 4 input or output, 130 interrupted.

    \b
    Examples (each command has more, with --help):
      empirisk fit train.csv -o model --label outcome --report page.html
      empirisk verify model train.csv
      empirisk predict model new.csv > labels.txt
    """


def run() -> None:
    """The entry point."""
    open_closed_streams()
    with as_sentences(last=True):
        redeliver_lost_interrupts()
        try:
            main(prog_name="empirisk")
        except SystemExit as end:
            if end.code == INTERRUPTED:
                signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one would interrupt the cleaning up
            raise

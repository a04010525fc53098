"""The `empirisk` command and its lazily loaded subcommands."""

from __future__ import annotations

import importlib
import signal
from typing import Any

import click

from empirisk import __version__
from empirisk.cli.errors import INTERRUPTED, as_sentences, redeliver_lost_interrupts
from empirisk.cli.streams import open_closed_streams
from empirisk.near_names import near

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
    "stream": "Learn from rows as they come, each predicted before.",
    "bound": "Bound the error of a model on future rows, and prove it.",
    "plan": "Say how many rows a promise on the future error needs.",
    "warm-up": "Compile ahead of time what the usual problems need.",
    "demo": "Fit, verify and report on a built-in data set.",
}


class LazyGroup(click.Group):
    """Imports a command's module only when it is asked for, and ends with the exit code that it returns."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module("empirisk.cli.commands." + cmd_name.replace("-", "_"))
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command of the first word; a word that is none ends with those that it may have been."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"No such command {args[0]!r}{near(args[0], COMMANDS) or '.'}")
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep what was typed, for the report."""
        ctx.meta["arguments"] = list(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what goes wrong ends in one sentence and an exit code."""
        with as_sentences():
            code = super().invoke(ctx)
        ctx.exit(code or 0)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
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

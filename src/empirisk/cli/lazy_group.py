"""Groups of commands whose modules are loaded only when they are asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from empirisk.cli.errors import as_sentences
from empirisk.near_names import near


class LazyGroup(click.Group):
    """Imports a command's module only when it is asked for, and ends with the exit code that it returns.

    `members` maps names to what they do, so that the help needs no command's module; each is a module of `package`.
    """

    def __init__(self, *arguments: Any, members: Mapping[str, str], package: str, **others: Any) -> None:
        super().__init__(*arguments, **others)
        self.members, self.package = dict(members), package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of use."""
        return list(self.members)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        if cmd_name not in self.members:
            return None
        module = importlib.import_module(f"{self.package}." + cmd_name.replace("-", "_"))
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.members.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command of the first word; a word that is none ends with those that it may have been."""
        if args and args[0] not in self.members and not args[0].startswith("-"):
            ctx.fail(f"No such command {args[0]!r}{near(args[0], self.members) or '.'}")
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep what was typed, for the report."""
        ctx.meta.setdefault("arguments", list(args))
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what goes wrong ends in one sentence and an exit code."""
        with as_sentences():
            code = super().invoke(ctx)
        ctx.exit(code or 0)

"""All commands by name, those of groups included: "fit", "tag fit"."""

from __future__ import annotations

import click

from empirisk.cli.lazy_group import LazyGroup
from empirisk.cli.main import main


def every_command(group: LazyGroup = main, prefix: str = "") -> dict[str, click.Command]:
    found: dict[str, click.Command] = {}
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, LazyGroup):
            found |= every_command(command, f"{prefix}{name} ")
        else:
            found[prefix + name] = command
    return found


def parsed(words: list[str]) -> click.Context:
    """What these words ask for, without running it."""
    group = main
    while isinstance(command := group.get_command(click.Context(group), words[0]), LazyGroup):
        group, words = command, words[1:]
    return command.make_context(words[0], words[1:])

"""Help pages that name what can be asked for, and show three examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from empirisk.cli.listing import REGISTRIES, Entry, entries, names
from empirisk.cli.options import Decorator
from empirisk.cli.output import emit, emit_json


class Command(click.Command):
    """A command whose help ends with the names of parts of these kinds, and with examples."""

    def __init__(self, *arguments: Any, kinds: Sequence[str] = (), examples: Sequence[str] = (), **others: Any) -> None:
        super().__init__(*arguments, **others)
        self.kinds, self.examples = tuple(kinds), tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The names are looked up only here: other runs of a command do without."""
        for kind in self.kinds:
            with formatter.section(kind.capitalize()):
                formatter.write_text(", ".join(names(kind)))
        if self.kinds:
            formatter.write_paragraph()
            formatter.write_text(f"What each is: empirisk fit --list {'|'.join(REGISTRIES)}.")
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}empirisk {example}\n")


def _list(ctx: click.Context, parameter: click.Parameter, kind: str | None) -> None:
    if kind is None or ctx.resilient_parsing:
        return
    found = entries(kind)
    if "--json" in ctx.meta.get("arguments", ()):
        emit_json({kind: [_as_json(entry, kind) for entry in found]})
    else:
        emit("".join(_lines(found, kind)))
    ctx.exit()


def _as_json(entry: Entry, kind: str) -> dict[str, Any]:
    said = {"name": entry.name, "summary": entry.summary, "parameters": entry.parameters}
    return said | ({"tasks": list(entry.tasks)} if kind == "losses" else {})


def _lines(found: Sequence[Entry], kind: str) -> list[str]:
    """A line each; losses in the order of what they are for."""
    width = max(len(entry.name) for entry in found) + 2
    if kind != "losses":
        return [f"{entry.name:<{width}}{entry.line()}\n" for entry in found]
    lines = []
    for task in ("classification", "regression"):
        lines.append(f"for {task}:\n")
        lines += [f"  {entry.name:<{width}}{entry.line()}\n" for entry in found if task in entry.tasks]
    return lines


list_option: Decorator = click.option(
    "--list",
    type=click.Choice(list(REGISTRIES)),
    is_eager=True,
    expose_value=False,
    callback=_list,
    help="List them, a line each, and exit.",
)

"""Options that the commands of `empirisk tag` share: what tokens are described by, and which weights there are."""

from __future__ import annotations

from typing import Any

import click

from empirisk.cli.options import Decorator, together

feature_options: Decorator = together(
    click.option("--label", metavar="COLUMN", help="The labels: a name, or a number from 1.  [default: the last]"),
    click.option("--templates", metavar="FILE", help="chunk, ner, pos, a TOML file, or one of CRF++: for columns."),
    click.option("--min-count", default=1, type=click.IntRange(min=1), show_default=True, help="Rarer attributes go."),
    click.option("--hash-bits", type=click.IntRange(1, 31), help="Hash attributes into 2^B places; keep no names."),
    click.option(
        "--states",
        type=click.Choice(["observed", "all"]),
        default="observed",
        show_default=True,
        help="Which pairs of attribute and label have a weight.",
    ),
    click.option(
        "--transitions",
        type=click.Choice(["all", "observed"]),
        default="all",
        show_default=True,
        help="Which pairs of labels have a weight.",
    ),
    click.option("--no-ends", is_flag=True, help="No weights of the first and the last label."),
    click.option(
        "--scheme", type=click.Choice(["iob1", "iob2", "iobes", "bilou"]), help="Forbid labels that break this scheme."
    ),
)


def options_of(asked: dict[str, Any]) -> Any:
    """What was asked, checked before the data are read; templates are read."""
    from empirisk.chains.features import as_templates
    from empirisk.data.errors import DataError
    from empirisk.models.chains.options import ChainOptions

    given = {name: asked[name] for name in ChainOptions._fields if name in asked}
    given |= {"ends": not asked["no_ends"], "average": not asked.get("plain", False)}
    try:
        if given["templates"] is not None:
            given["templates"] = as_templates(given["templates"])
        return ChainOptions(**given).checked()
    except DataError:
        raise
    except (TypeError, ValueError) as error:
        raise click.UsageError(str(error)) from None

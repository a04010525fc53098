"""Files of sequences for the commands of `empirisk tag`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from empirisk.cli.errors import BadData, Usage
from empirisk.cli.options import Decorator, together

if TYPE_CHECKING:
    from empirisk.models.chains.files import Tokens

FORMATS = ["conll", "conllu", "crfsuite"]

sequence_options: Decorator = together(
    click.option(
        "--format",
        type=click.Choice(FORMATS),
        help="How DATA is written.  [default: from its name; else columns, conll]",
    ),
    click.option("--encoding", metavar="NAME", help="Of the file, such as latin-1.  [default: UTF-8]"),
)


def read_tokens(path: str, format: str | None, encoding: str | None) -> Tokens:
    """A file of sequences."""
    from empirisk.models.chains.files import read_tokens

    return read_tokens(path, format, encoding)


@contextmanager
def blaming(path: str) -> Iterator[None]:
    """What is wrong with sequences of this file, in a sentence."""
    from empirisk.data.errors import DataError
    from empirisk.protocols import Unsupported

    try:
        yield
    except (DataError, Unsupported):
        raise
    except (TypeError, ValueError) as error:
        raise BadData(f"{'<stdin>' if path == '-' else path}: {error}") from None


def loaded_tagger(path: str) -> Any:
    """The model in a file, which has weights to label with: a proof that there are none has not."""
    model = loaded_chain(path)
    if model.solver == "realize" and not model.weights.any():
        raise Usage(f"{path} holds the proof that no weights label its sequences right, and none to label with")
    return model


def loaded_chain(path: str) -> Any:
    """The model of sequences in a file."""
    from empirisk.model_file import load
    from empirisk.models.chains.model import ChainModel

    model = load(path)
    if not isinstance(model, ChainModel):
        raise Usage(f"{path} holds {model!r:.100}, and no model of sequences")
    return model

"""Attributes of tokens by name, and a slow second way from templates to them."""

import itertools

from empirisk.chains.features.functions import FUNCTIONS


def named(sequences, features):
    """The names and weights of each token of each sequence."""
    X = sequences.attributes
    tokens = [
        {features.name_of(int(X.column_at(t, k))): float(X.entry_at(t, k)) for k in range(X.row_size(t))}
        for t in range(sequences.n_tokens)
    ]
    starts = sequences.starts.tolist()
    return [tokens[first:last] for first, last in itertools.pairwise(starts)]


def by_hand(x, templates):
    """The names of each token of a tuple of columns."""
    places = templates.places(len(x))
    return [
        {name for template in templates.features if (name := _name(x, t, template, places)) is not None}
        for t in range(len(x[0]))
    ]


def _name(x, t, template, places):
    values = []
    for term in template.terms:
        column = x[places[term.column]]
        if not 0 <= t + term.offset < len(column):
            return None
        value = column[t + term.offset]
        for name, numbers in term.functions:
            value = None if value is None else FUNCTIONS[name].of_all([value], *numbers)[0]
        if value is None:
            return None
        values.append(value)
    return f"{template.text}={'|'.join(values)}" if values else template.text

"""Models of sequences from sequences and their labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from empirisk.certificates.verification import digest
from empirisk.chains.chain_data import ChainData
from empirisk.chains.features import Features, learn_features
from empirisk.chains.generative import generative_weights
from empirisk.chains.gold import classes_of_tokens, flat_labels, numbers_of
from empirisk.chains.growth import grown
from empirisk.chains.layout import layout_of
from empirisk.chains.point import ChainPoint
from empirisk.chains.scoring import token_errors
from empirisk.chains.tagger import Tagger
from empirisk.models.chains.model import ChainModel
from empirisk.models.chains.options import ChainOptions
from empirisk.models.chains.posing import data_of
from empirisk.models.chains.training import Outcome, realized, trained
from empirisk.parameters import check_choice
from empirisk.protocols import Unsupported
from empirisk.rows.threads import available_threads

GENERATIVE = "generative"


def chain_data(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    templates: Any = None,
    min_count: int = 1,
    hash_bits: int | None = None,
    states: str = "observed",
    transitions: str = "all",
    ends: bool = True,
    scheme: str | None = None,
) -> ChainData:
    """Sequences with labels, and the weights that a model of them has: for `ChainRisk` and `realize`.

    The parameters are those of `ChainClassifier`.
    """
    options = ChainOptions(
        templates=templates,
        min_count=min_count,
        hash_bits=hash_bits,
        states=states,
        transitions=transitions,
        ends=ends,
        scheme=scheme,
    )
    return pose_chain(X, y, options.checked(), sample_weight).data


class Posed(NamedTuple):
    """The data of a problem, and what they were made with."""

    data: ChainData
    features: Features


def pose_chain(X: Any, y: Any, options: ChainOptions, sample_weight: Any = None) -> Posed:
    """Sequences, labels and the weights that a model of them has."""
    sequences, features = learn_features(X, options.templates, min_count=options.min_count, hash_bits=options.hash_bits)
    labels = flat_labels(y, sequences.starts)
    classes = classes_of_tokens(labels)
    gold = numbers_of(labels, classes)
    layout = layout_of(
        sequences, gold, classes.size, states=options.states, transitions=options.transitions, has_ends=options.ends
    )
    return Posed(data_of(sequences, gold, classes, layout, options, sample_weight), features)


class ChainFit(NamedTuple):
    """The model, what it comes from (a solution or a run), and the data."""

    model: ChainModel
    found: Any
    data: ChainData


def fit_chain(
    X: Any,
    y: Any,
    options: ChainOptions,
    *,
    sample_weight: Any = None,
    callback: Callable[[Any], Any] | None = None,
    start: ChainModel | str | None = None,
    stop: Callable[[], Any] | None = None,
) -> ChainFit:
    """Fit a model of sequences.

    `start` is a model whose weights, attributes and labels are gone on from, or "generative": relative frequencies.
    """
    options = options.checked()
    if sample_weight is not None and not options.is_convex:
        raise Unsupported(f"{options.loss} takes no sample_weight: likelihood and margin do")
    first: ChainPoint | None = None
    start = getattr(start, "model_", start)  # of an estimator
    if not (start is None or isinstance(start, (str, ChainModel))):
        raise TypeError(
            f"start must be a model of sequences, an estimator that holds one, or 'generative', got {start!r:.50}"
        )
    if start is None or isinstance(start, str):
        check_choice("start", start or GENERATIVE, (GENERATIVE,))
        data, features = pose_chain(X, y, options, sample_weight)
        if start is not None:
            first = ChainPoint(generative_weights(data, options.smoothing))
    else:
        data, features, first = continued(X, y, options, start, sample_weight)
    outcome = trained(data, options, first, callback, stop)
    return _fitted(data, features, options, outcome)


def realize_chain(X: Any, y: Any, options: ChainOptions, *, callback: Callable[[Any], Any] | None = None) -> ChainFit:
    """The verdict on whether any weights have every sequence right, as a model with its proof."""
    options = options.checked()
    data, features = pose_chain(X, y, options)
    return _fitted(data, features, options, realized(data, options, callback))


def _fitted(data: ChainData, features: Features, options: ChainOptions, outcome: Outcome) -> ChainFit:
    """The model that a training gives."""
    n_threads = options.n_threads or available_threads()
    answers = Tagger(data.layout, data.masks, outcome.weights).predict(data.sequences, None, n_threads)
    model = ChainModel(
        options=options,
        features=features,
        layout=data.layout,
        weights=outcome.weights,
        classes=data.classes,
        certificate=outcome.certificate,
        certified=outcome.certified,
        status=outcome.status,
        solver=outcome.solver,
        reason=outcome.reason,
        passes=outcome.passes,
        data_fingerprint=data.fingerprint(),
        errors=token_errors(data.gold, answers, data.sequences.starts),
        subject=digest(ChainPoint(outcome.weights)),
    )
    return ChainFit(model, outcome.found, data)


def continued(
    X: Any, y: Any, options: ChainOptions, start: ChainModel, sample_weight: Any
) -> tuple[ChainData, Features, ChainPoint]:
    """The data with the attributes and labels of a model and their own, and its weights among all of these."""
    sequences, features = start.features.grown(X, options.min_count)
    labels = flat_labels(y, sequences.starts)
    classes = classes_of_tokens(labels + start.classes.tolist())
    gold = numbers_of(labels, classes)
    places = numbers_of(start.classes.tolist(), classes).astype(np.int64)
    own = layout_of(
        sequences, gold, classes.size, states=options.states, transitions=options.transitions, has_ends=options.ends
    )
    layout, weights = grown(start.layout, start.weights, places, own)
    data = data_of(sequences, gold, classes, layout, options, sample_weight)
    kept = None
    if data.fingerprint() == start.data_fingerprint and start.certificate is not None:
        kept = getattr(start.certificate, "labelings", lambda: None)()
    return data, features, ChainPoint(weights, kept)

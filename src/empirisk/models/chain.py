"""A model of sequences: fitted, able to tag, and able to prove itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.certificates.verification import digest
from empirisk.chains.chain_data import ChainData, Masks, no_masks
from empirisk.chains.features import Features, learn_features
from empirisk.chains.gold import classes_of_tokens, flat_labels, numbers_of, refuse_unknown, split_by
from empirisk.chains.layout import Layout, layout_of
from empirisk.chains.point import ChainPoint
from empirisk.chains.scoring import TokenErrors, token_errors
from empirisk.chains.sequences import Sequences
from empirisk.chains.tagger import FREE, Tagger
from empirisk.models.chain_options import ChainOptions
from empirisk.models.verification import cannot_be, check_data, verify
from empirisk.problems.construction import check_weights
from empirisk.protocols import Certificate, Unsupported, Vector, Verification
from empirisk.rows.threads import available_threads

if TYPE_CHECKING:
    from empirisk.models.chain_training import Outcome


class ChainModel(NamedTuple):
    """Weights for attributes and labels as users have them, what was asked, and the certificate."""

    options: ChainOptions  # checked
    features: Features
    layout: Layout
    weights: Vector
    classes: NDArray[Any]
    certificate: Certificate | None
    certified: bool
    status: str
    solver: str
    reason: str
    passes: float
    data_fingerprint: str
    errors: TokenErrors  # on the sequences of the fit
    subject: str = ""  # digest of the weights
    label_name: str | None = None  # the column of the labels in a file
    file_format: str | None = None  # of the file of the fit

    def __repr__(self) -> str:
        """In a line: the fields hold arrays."""
        sizes = f"{self.classes.size} labels, {self.features.n_attributes} attributes"
        return f"<ChainModel of {sizes}, {self.options.loss}: {self.status}>"

    @property
    def tagger(self) -> Tagger:
        """What answers."""
        return Tagger(self.layout, masks_of(self.options, self.classes), self.weights)

    @property
    def tol(self) -> float:
        """What the certificate was asked to prove."""
        return self.options.tol

    @property
    def point(self) -> ChainPoint:
        """The weights."""
        return ChainPoint(self.weights)

    def encode(self, X: Any) -> Sequences:
        """Sequences as arrays."""
        return self.features.encode(X)

    def predict(self, X: Any, known: Any = None) -> list[NDArray[Any]]:
        """The best labelling of each sequence; labels that are `known` (None where not) are kept."""
        sequences = self.encode(X)
        forced = None if known is None else self.known_numbers(known, sequences.starts)
        answers = self.classes[self.tagger.predict(sequences, forced, self._threads())]
        return np.split(answers, sequences.starts[1:-1])

    def predict_marginals(self, X: Any, known: Any = None) -> list[NDArray[np.float64]]:
        """For each sequence the probability of each label (a column each) at each token."""
        sequences = self.encode(X)
        forced = None if known is None else self.known_numbers(known, sequences.starts)
        found, _ = self.tagger.marginals(sequences, forced, self._threads())
        return np.split(found, sequences.starts[1:-1])

    def log_probability(self, X: Any, y: Any) -> Vector:
        """The log-probability of a labelling of each sequence under the model."""
        sequences = self.encode(X)
        labels = self._numbers(y, sequences.starts)
        return self.tagger.log_probabilities(sequences, labels, self._threads())

    def predict_k_best(self, X: Any, k: int) -> list[list[tuple[float, NDArray[Any]]]]:
        """For each sequence its k best labelings with their scores, the best first; fewer where there are fewer."""
        found = self.tagger.k_best(self.encode(X), k)
        return [[(value, self.classes[path]) for value, path in some] for some in found]

    def transitions(self) -> NDArray[np.float64]:
        """The weight of each pair of labels, [from, to]."""
        return self.layout.parts(self.weights).transitions.copy()

    def top_weights(self, label: Any, k: int) -> list[tuple[str, float]]:
        """The k largest weights of attributes for a label, by size, with the attributes' names."""
        at = np.flatnonzero(self.classes == label)
        if not at.size:
            raise ValueError(f"{label!r} is none of the labels {', '.join(map(str, self.classes.tolist()))}")
        weights = self.layout.parts(self.weights).states
        own = np.flatnonzero(self.layout.state_labels == at[0])
        best = own[np.argsort(-np.abs(weights[own]), kind="stable")[:k]]
        attributes = np.searchsorted(self.layout.state_starts, best, side="right") - 1
        names = [self.features.name_of(int(a)) for a in attributes]
        return list(zip(names, weights[best].tolist(), strict=True))

    def count_errors(self, X: Any, y: Any) -> TokenErrors:
        """How many tokens and sequences are labelled wrong; a label that was never trained is wrong in any case."""
        sequences = self.encode(X)
        labels = numbers_of(flat_labels(y, sequences.starts), self.classes)
        return token_errors(labels, self.tagger.predict(sequences, None, self._threads()), sequences.starts)

    def known_numbers(self, known: Any, starts: NDArray[np.int64]) -> NDArray[np.int32]:
        """Forced labels as numbers, -1 where there is none."""
        flat = flat_labels(known, starts)
        numbers = numbers_of(flat, self.classes)
        forced = np.fromiter((label is not None for label in flat), np.bool_, len(flat))
        refuse_unknown(np.where(forced, numbers, 0).astype(np.int32), flat, starts)
        numbers[~forced] = FREE
        return numbers

    def remark(self) -> str:
        """What a reader of the claim must know besides."""
        return ""

    def shortfall(self, tol: float) -> str:
        """What the certificate leaves open of what was asked; empty where nothing."""
        if self.certificate is None:
            return "nothing is proven"
        return self.certificate.words(tol).shortfall

    def told(self) -> dict[str, Any]:
        """What no data can refute: `verify` shows it as the word of the file."""
        return {name: getattr(self, name) for name in ("status", "solver", "passes", "reason")} | {"tol": self.tol}

    def own_commands(self) -> str:
        """The commands that take it."""
        return "empirisk tag"

    def verified_on_file(self, path: str, format: str | None, encoding: str | None) -> Verification:
        """The verdict of `verify` on the sequences of a file."""
        from empirisk.models.chain_files import read_tokens

        if format is not None:
            raise Unsupported("--format is not for models of sequences, which know the format of their files")
        tokens = read_tokens(path, self.file_format, encoding)
        return verify(self, tokens.found, tokens.labels(self.features.templates, self.label_name))

    def _numbers(self, y: Any, starts: NDArray[np.int64]) -> NDArray[np.int32]:
        flat = flat_labels(y, starts)
        numbers = numbers_of(flat, self.classes)
        refuse_unknown(numbers, flat, starts)
        return numbers

    def _threads(self) -> int:
        return self.options.n_threads or available_threads()


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


def data_of(
    sequences: Sequences,
    gold: NDArray[np.int32],
    classes: NDArray[Any],
    layout: Layout,
    options: ChainOptions,
    sample_weight: Any = None,
) -> ChainData:
    """All that a problem is about; labels that the scheme forbids are refused."""
    gold.flags.writeable = False
    weights = np.empty(0) if sample_weight is None else check_weights(sample_weight, sequences.n_sequences)
    data = ChainData(sequences, gold, classes, weights, layout, masks_of(options, classes))
    refuse_broken(data, options.scheme)
    return data


def masks_of(options: ChainOptions, classes: NDArray[Any]) -> Masks:
    """What the scheme forbids."""
    if options.scheme is None:
        return no_masks(classes.size)
    from empirisk.inference.schemes import scheme_mask

    allowed, first, last = scheme_mask([str(label) for label in classes.tolist()], options.scheme)
    return Masks(*(np.where(array, 0.0, -np.inf) for array in (allowed, first, last)))


def refuse_broken(data: ChainData, scheme: str | None) -> None:
    """Refuse true labels that the scheme forbids: no weights could make them the best ones."""
    if scheme is None:
        return
    gold, starts = data.gold, data.sequences.starts
    is_inner = np.ones(gold.size, np.bool_)
    is_inner[starts[:-1]] = False
    at = np.flatnonzero(is_inner)
    bad = [at[data.masks.between[gold[at - 1], gold[at]] < 0.0]]
    bad.append(starts[:-1][data.masks.first[gold[starts[:-1]]] < 0.0])
    bad.append(starts[1:][data.masks.last[gold[starts[1:] - 1]] < 0.0] - 1)
    places = np.sort(np.concatenate(bad))
    if places.size:
        t = int(places[0])
        j = int(np.searchsorted(starts, t, side="right")) - 1
        said = f"label {data.classes[gold[t]]!r} of token {t - starts[j]} of sequence {j}, counted from 0"
        raise ValueError(f"the {said}, breaks the scheme {scheme}: give the scheme of these labels, or none")


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
    start: ChainModel | None = None,
    stop: Callable[[], Any] | None = None,
) -> ChainFit:
    """Fit a model of sequences; `start` is a model whose weights, attributes and labels are gone on from."""
    from empirisk.models.chain_training import trained

    options = options.checked()
    if sample_weight is not None and not options.is_convex:
        raise Unsupported(f"{options.loss} takes no sample_weight: likelihood and margin do")
    if start is None:
        data, features = pose_chain(X, y, options, sample_weight)
        first = None
    else:
        data, features, first = continued(X, y, options, start, sample_weight)
    outcome = trained(data, options, first, callback, stop)
    return _fitted(data, features, options, outcome)


def realize_chain(X: Any, y: Any, options: ChainOptions, *, callback: Callable[[Any], Any] | None = None) -> ChainFit:
    """The verdict on whether any weights have every sequence right, as a model with its proof."""
    from empirisk.models.chain_training import realized

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
    from empirisk.chains.growth import grown

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


@verify.register
def _(model: ChainModel, X: Any, y: Any = None, sample_weight: Any = None, loss: Any = None) -> Verification:
    """Encode the sequences as the model does, and check the certificate at its weights."""
    from empirisk.models.chain_training import verified

    check_data(X, y)
    if model.certificate is None:
        raise Unsupported(f"this model has no certificate to verify ({model.status})")
    if model.subject != digest(model.point):
        return Verification(False, "The certificate speaks of other weights than these.")
    try:
        sequences = model.encode(X)
        gold = model._numbers(y, sequences.starts)
        data = data_of(sequences, gold, model.classes, model.layout, model.options, sample_weight)
    except Unsupported:
        raise
    except (TypeError, ValueError) as error:
        return cannot_be(error)
    verdict = verified(model, data)
    if data.fingerprint() != model.data_fingerprint:
        said = "These are not the data the model was fitted on (their fingerprint differs). "
        return verdict._replace(holds=False, sentence=said + verdict.sentence)
    return verdict


def as_lists(values: NDArray[Any], starts: NDArray[np.int64]) -> list[list[Any]]:
    """Values of tokens as plain lists, one a sequence."""
    return split_by(values.tolist(), starts)

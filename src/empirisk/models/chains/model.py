"""A model of sequences: fitted, able to tag, and able to prove itself."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.certificates.verification import digest
from empirisk.chains.features import Features
from empirisk.chains.gold import flat_labels, numbers_of, refuse_unknown
from empirisk.chains.layout import Layout
from empirisk.chains.point import ChainPoint
from empirisk.chains.scoring import TokenErrors, token_errors
from empirisk.chains.sequences import Sequences
from empirisk.chains.tagger import FREE, Tagger
from empirisk.models.chains.options import ChainOptions
from empirisk.models.chains.posing import data_of, masks_of
from empirisk.models.chains.training import verified
from empirisk.models.verification import cannot_be, check_data, verify
from empirisk.protocols import Certificate, Unsupported, Vector, Verification
from empirisk.rows.threads import available_threads


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
        told = {"tol": self.tol} | {name: getattr(self, name) for name in ("status", "solver", "passes", "reason")}
        return {name: value for name, value in told.items() if value != ""}

    def own_commands(self) -> str:
        """The commands that take it."""
        return "empirisk tag"

    def verified_on_file(self, path: str, format: str | None, encoding: str | None) -> Verification:
        """The verdict of `verify` on the sequences of a file."""
        from empirisk.models.chains.files import read_tokens

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


@verify.register
def _(model: ChainModel, X: Any, y: Any = None, sample_weight: Any = None, loss: Any = None) -> Verification:
    """Encode the sequences as the model does, and check the certificate at its weights."""
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

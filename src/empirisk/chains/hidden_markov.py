"""Hidden Markov models: labels that follow each other by chance, each with a symbol that can be seen.

    p(x, s) = first[s_1] emissions[s_1, x_1] prod_(t > 1) transitions[s_(t - 1), s_t] emissions[s_t, x_t]

for a given length T. Its logarithm is <phi(x, s), u> for the logarithms u of the tables, so that p(s | x) is that of a
chain with these weights. Labelings are chosen by the least expected cost: the most probable one for whole sequences
(Viterbi), the most probable label of each token where wrong labels are counted. Under the true model no strategy has
less risk. Rabiner (1989).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.generative.counted_frequencies import CountedFrequencies, counted_frequencies
from empirisk.chains.generative.counts import counts_of
from empirisk.chains.generative.joint_likelihood import JointLikelihood, frequencies, joint_likelihood, weights_of
from empirisk.chains.generative.symbol_data import (
    full_layout,
    numbers_of,
    paired_lists,
    sorted_names,
    symbol_data,
)
from empirisk.chains.layout import Layout
from empirisk.chains.losses import COSTS
from empirisk.chains.point import ChainPoint
from empirisk.chains.sequences import Sequences
from empirisk.inference.forward_backward import forward_backward
from empirisk.inference.transition_factors import TransitionFactors, transition_factors
from empirisk.inference.viterbi import best_path, score_of
from empirisk.parameters import check_choice, check_count, check_seed
from empirisk.protocols import Matrix, Unsupported, Vector

MOST_INPUTS = 1 << 20  # that a risk is summed over
SUM_SLACK = 1e-9  # by which a row of a table may differ from one

Symbols = Sequence[Any]
Strategy = Callable[[list[Symbols]], Iterable[Sequence[Any]]]


class HiddenMarkovModel(NamedTuple):
    """The tables of a hidden Markov model, for numbered labels and symbols. The last symbol is every unknown one."""

    classes: NDArray[Any]  # the labels, sorted
    symbols: NDArray[Any]  # sorted
    first: Vector  # (K,)
    transitions: Matrix  # (K, K), [from, to]
    emissions: Matrix  # (K, V + 1)
    smoothing: float = 0.0  # that the tables were counted with
    certificate: CountedFrequencies | None = None  # where they were

    @classmethod
    def counted(cls, X: Iterable[Symbols] | Sequences, y: Any, smoothing: float = 1.0) -> HiddenMarkovModel:
        """The relative frequencies in sequences of symbols and their labels, with `smoothing` added to every count.

        The symbol that nobody has seen gets its share of that. X may be `Sequences` with one attribute a token, whose
        numbers are the symbols then, and y the labels of all tokens.
        """
        x, s = paired_lists(X, y)
        classes, symbols = (sorted_names(side, name) for side, name in ((s, "labels"), (x, "symbols")))
        data = symbol_data(x, s, classes, symbols)
        problem = joint_likelihood(data, smoothing)
        u = weights_of(problem, frequencies(problem, counts_of(data)))
        parts = data.layout.parts(u)
        tables = np.exp(parts.first), np.exp(parts.transitions), np.exp(parts.states.reshape(-1, classes.size).T)
        certificate = counted_frequencies(problem, ChainPoint(_weights(tables[0], tables[1], tables[2], data.layout)))
        return cls(classes, symbols, *tables, problem.smoothing, certificate)

    @classmethod
    def of_tables(
        cls, first: Any, transitions: Any, emissions: Any, classes: Any = None, symbols: Any = None
    ) -> HiddenMarkovModel:
        """A model of known probabilities, under which no other symbols occur; names are numbers unless given."""
        pi, A, B = (np.array(table, dtype=np.float64) for table in (first, transitions, emissions))
        K = pi.size
        if pi.shape != (K,) or A.shape != (K, K) or B.ndim != 2 or B.shape[0] != K or not B.size:
            raise ValueError(
                f"tables must have the shapes (K,), (K, K) and (K, V), got {pi.shape}, {A.shape} and {B.shape}"
            )
        for name, table in (("first", pi), ("transitions", A), ("emissions", B)):
            off = np.abs(table.sum(axis=-1) - 1.0)
            if not (bool(np.all(table >= 0.0)) and bool(np.all(off <= SUM_SLACK))):
                raise ValueError(f"{name} must be probabilities >= 0 whose rows sum to 1")
        names = [
            np.arange(n) if given is None else np.array(given) for n, given in ((K, classes), (B.shape[1], symbols))
        ]
        for name, found, n in (("classes", names[0], K), ("symbols", names[1], B.shape[1])):
            if found.shape != (n,) or len(set(found.tolist())) < n:
                raise ValueError(f"{name} must be {n} different names")
        return cls(names[0], names[1], pi, A, np.column_stack([B, np.zeros(K)]))

    def sample(self, n: int, length: int, seed: int = 0) -> tuple[list[list[Any]], list[list[Any]]]:
        """n sequences of this length, drawn from p: symbols (None for an unknown one) and labels."""
        n, length = check_count("n", n), check_count("length", length)
        rng = np.random.default_rng(check_seed(seed))
        states = np.empty((n, length), np.int64)
        words = np.empty((n, length), np.int64)
        for t in range(length):
            rows = self.transitions[states[:, t - 1]] if t else np.tile(self.first, (n, 1))
            states[:, t] = _drawn(rows, rng)
            words[:, t] = _drawn(self.emissions[states[:, t]], rng)
        names = [*self.symbols.tolist(), None]
        return [[names[w] for w in row] for row in words.tolist()], self.classes[states].tolist()

    def log_probability(self, x: Symbols, s: Sequence[Any]) -> float:
        """log p(x, s) for a sequence of symbols and one of labels; -inf where it cannot be."""
        if len(x) != len(s):
            raise ValueError(f"there are {len(x)} symbols and {len(s)} labels")
        path = numbers_of([s], self.classes).astype(np.int32)
        if bool(np.any(path == self.classes.size)):
            return -math.inf
        with np.errstate(all="ignore"):
            return float(score_of(self._scores(x), np.log(self.transitions), path))

    def predict(self, X: Iterable[Symbols], cost: str = "sequence") -> list[NDArray[Any]]:
        """The labels of least expected cost, of each sequence; ties go to the first label, from the last token back."""
        if check_choice("cost", cost, COSTS) != "sequence":
            return [self.classes[np.argmax(marginals, axis=1)] for marginals in self.predict_marginals(X)]
        found = []
        with np.errstate(all="ignore"):
            between = np.log(self.transitions)
        for x in X:
            scores = self._scores(x)
            path = np.empty(scores.shape[0], np.int32)
            best_path(scores, between, np.empty_like(scores), path)
            found.append(self.classes[path])
        return found

    def predict_marginals(self, X: Iterable[Symbols]) -> list[Matrix]:
        """p(s_t = k | x) of each sequence, a row a token; zero where x cannot be."""
        steps = self._steps()
        return [_marginals(self._scores(x), steps)[1] for x in X]

    def risk(self, strategy: Strategy, length: int, cost: str = "sequence") -> float:
        """The expected cost of what a strategy (such as `predict`) gives for sequences of this length, summed over all.

            sequence    1 - sum_x p(x, g(x)), the probability that the labelling is not the true one
            hamming     the expected number of wrong labels;  mean_hamming    divided by the length

        It is exact up to rounding: every input x is tried, of which there may be 2^20.
        """
        check_choice("cost", cost, COSTS)
        length = check_count("length", length)
        names = [*self.symbols.tolist(), *([None] if bool(np.any(self.emissions[:, -1] > 0.0)) else [])]
        if length * math.log2(len(names)) > math.log2(MOST_INPUTS) + 1e-9:
            raise Unsupported(f"{len(names)}^{length} inputs are too many to try each: at most {MOST_INPUTS} are")
        X: list[Symbols] = [list(x) for x in itertools.product(names, repeat=length)]
        answers = [list(labels) for labels in strategy(X)]
        if [len(labels) for labels in answers] != [length] * len(X):
            raise ValueError("the strategy must give one label a token, for each sequence that it is given")
        if cost == "sequence":
            right = (math.exp(self.log_probability(x, s)) for x, s in zip(X, answers, strict=True))
            return 1.0 - math.fsum(right)
        steps = self._steps()
        wrong = math.fsum(self._wrong_labels(x, s, steps) for x, s in zip(X, answers, strict=True))
        return wrong / length if cost == "mean_hamming" else wrong

    def problem(self, X: Iterable[Symbols] | Sequences, y: Any) -> JointLikelihood:
        """What these tables minimise on some data: `er.verify(model, model.problem(X, y), model.point())`."""
        x, s = paired_lists(X, y)
        return joint_likelihood(symbol_data(x, s, self.classes, self.symbols), self.smoothing)

    def point(self) -> ChainPoint:
        """The weights."""
        return ChainPoint(self.weights(self.layout()))

    def layout(self) -> Layout:
        """Of a chain with one attribute a symbol, in their order, and a last one for the unknown symbol."""
        return full_layout(self.classes.size, self.symbols.size + 1)

    def weights(self, layout: Layout) -> Vector:
        """u, the logarithms of the tables: a chain with these weights has the same p(s | x).

        The layout has one attribute a symbol, in their order, with or without one for the unknown symbol, and weights
        for all pairs, transitions and starts.
        """
        K, V = self.classes.size, self.symbols.size
        is_full = layout.state_labels.size == K * layout.n_attributes and bool(layout.is_free.all())
        if layout.n_labels != K or layout.n_attributes not in (V, V + 1) or not (is_full and layout.has_ends):
            raise Unsupported(
                f"the weights of {K} labels and {V} symbols need a layout with states='all', transitions='all' and "
                f"weights of the start, of {V} or {V + 1} attributes"
            )
        return _weights(self.first, self.transitions, self.emissions, layout)

    def _scores(self, x: Symbols) -> Matrix:
        words = numbers_of([x], self.symbols)
        if not words.size:
            raise ValueError("a sequence is empty")
        with np.errstate(all="ignore"):
            scores: Matrix = np.log(self.emissions.T[words])
            scores[0] += np.log(self.first)
        return scores

    def _steps(self) -> TransitionFactors:
        with np.errstate(all="ignore"):
            return transition_factors(np.log(self.transitions))

    def _wrong_labels(self, x: Symbols, s: Sequence[Any], steps: TransitionFactors) -> float:
        """p(x) times the expected number of labels that are wrong."""
        log_z, marginals = _marginals(self._scores(x), steps)
        path = numbers_of([s], self.classes)
        right = (marginals[t, k] for t, k in enumerate(path) if k < self.classes.size)
        return math.exp(log_z) * (path.size - math.fsum(right))


def _marginals(scores: Matrix, steps: TransitionFactors) -> tuple[float, Matrix]:
    """log p(x), and p(s_t = k | x)."""
    found, room = np.zeros_like(scores), np.empty((2, *scores.shape))
    with np.errstate(all="ignore"):
        log_z = float(forward_backward(scores, steps, 0.0, found, np.zeros_like(steps.logs), *room))
    return log_z, found if log_z > -math.inf else np.zeros_like(scores)


def _weights(first: Vector, transitions: Matrix, emissions: Matrix, layout: Layout) -> Vector:
    u = np.zeros(layout.size)
    parts = layout.parts(u)
    with np.errstate(all="ignore"):
        parts.states[:] = np.log(emissions.T[: layout.n_attributes]).ravel()
        parts.transitions[:] = np.log(transitions)
        parts.first[:] = np.log(first)
    return u


def _drawn(rows: Matrix, rng: np.random.Generator) -> NDArray[np.int64]:
    """A place of each row, with these probabilities; never one of probability zero."""
    edges = np.cumsum(rows, axis=1)
    at = rng.random((rows.shape[0], 1)) * edges[:, -1:]
    return np.minimum(np.sum(edges <= at, axis=1), rows.shape[1] - 1 - np.argmax(rows[:, ::-1] > 0.0, axis=1))

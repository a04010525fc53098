"""Machine code ahead of time: small problems of the usual kinds are solved, in processes of their own.

That fills the cache. Each kind goes through what a user calls, and through nothing else: it compiles what that needs
today.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import multiprocessing
import os
import signal
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from empirisk.capabilities import offers, tasks_of
from empirisk.evaluation.files import future_error
from empirisk.losses import LOSSES, as_loss
from empirisk.models import FitOptions, verify
from empirisk.models.examples import Examples, fit_examples
from empirisk.models.facts import facts_of
from empirisk.models.reading import read_training
from empirisk.near_names import near
from empirisk.protocols import Unsupported
from empirisk.rows.threads import available_threads
from empirisk.separation.perceptron import perceptron
from empirisk.separation.perceptron_runs.answer import FORMS
from empirisk.separation.separate import separate
from empirisk.separation.widest_gap import widest_gap
from empirisk.stopwatch import Stopwatch
from empirisk.zero_one.fewest_errors import fewest_errors

ROWS = ("dense", "sparse")
FITTED = [name for name in LOSSES if offers(as_loss(name), "derivative")]
USUAL_LOSSES = ("logistic", "squared", "hinge", "squared_hinge", "huber", "absolute", "quantile", "poisson")
# Few columns, more columns than rows; and what a penalty with a kink, or a search for its strength, needs.
SHAPES = {"dense": ((60, 4), (30, 400)), "sparse": ((120, 20), (90, 250))}
PENALTIES: tuple[dict[str, Any], ...] = ({"l2": 1e-3}, {"l1": 1e-2}, {"l2": "cv", "folds": 2, "n_strengths": 2})


class Warmed(NamedTuple):
    """What one kind took."""

    kind: str
    kernels: int  # that were compiled; the others were in the cache
    compile_seconds: float


def warm_up(kinds: Sequence[str], rows: Sequence[str] = ROWS, processes: int | None = None) -> Iterator[Warmed]:
    """Solve a few problems of each kind, on rows of these kinds, in so many processes; None for one on each core.

    A kind is one of `USUAL`, or the name of a loss. Each is told of when it is done, in the order in which they are.
    """
    check_kinds(kinds)
    most = min(len(kinds), available_threads() if processes is None else processes)
    context = multiprocessing.get_context("spawn")  # a copy of this process could hold locks of its threads
    pool = concurrent.futures.ProcessPoolExecutor(most, context, initializer=_ignore_interrupts)
    try:
        for done in concurrent.futures.as_completed([pool.submit(_warmed, kind, tuple(rows)) for kind in kinds]):
            yield done.result()
    except BaseException:  # an interrupt, too: what is being compiled is not waited for
        for process in list((pool._processes or {}).values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def check_kinds(kinds: Sequence[str]) -> None:
    """Raise ValueError where one of them is none."""
    for kind in kinds:
        _solving(kind)


def _ignore_interrupts() -> None:
    """Ctrl-C reaches all processes of a terminal: the first one ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _warmed(kind: str, rows: Sequence[str]) -> Warmed:
    solve, watch = _solving(kind), Stopwatch()
    for each in rows:
        solve(each)
    return Warmed(kind, watch.kernels(), watch.compile_seconds())


def _solving(kind: str) -> Callable[[str], None]:
    if kind in KINDS:
        return KINDS[kind]
    if kind in FITTED:
        return lambda rows: _fits(rows, kind)
    every = list(dict.fromkeys((*USUAL, *FITTED)))
    others = near(kind, every) or f"; these are: {', '.join(every)}"
    raise ValueError(f"no kind is called {kind!r}{others}")


def _matrix(rows: str, n: int, d: int) -> Any:
    """Numbers as tables have them; of sparse rows a tenth."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n, d))
    return values if rows == "dense" else sparse.csr_array(np.where(rng.random((n, d)) < 0.1, values, 0.0))


def _targets(X: Any) -> Any:
    """What a plane predicts well, and not exactly."""
    d = X.shape[1]
    return X @ np.ones(d) + 0.5 * np.sqrt(d) * np.random.default_rng(1).normal(size=X.shape[0])


def _fits(rows: str, loss: str, n_classes: int = 2, multiclass: str = "auto") -> None:
    """Fits of each shape under each penalty, with their proofs, predictions and summaries."""
    is_classification = tasks_of(as_loss(loss))[0] == "classification"
    for n, d in SHAPES[rows]:
        X = _matrix(rows, n, d)
        z = _targets(X)
        y = np.digitize(z, np.quantile(z, np.arange(1, n_classes) / n_classes)) if is_classification else np.abs(z)
        examples = Examples(X, y, None, "")
        for penalty in PENALTIES:
            task = "classification" if is_classification else "regression"
            options = FitOptions(task=task, loss=loss, multiclass=multiclass, standardize=True, **penalty)
            fit = fit_examples(examples, options)
            model = fit.model
            verify(model, X, y)
            facts_of(fit, examples, model.scores(X), "", 0.0, 0.0)
            for tested in (None, examples):
                future_error(model, examples, tested)
            with contextlib.suppress(Unsupported):  # of a loss that is no likelihood
                model.probabilities(X)


def _planes(find: Callable[[Any, Any], Any]) -> Callable[[str], None]:
    """Two classes that a plane separates, and two that none does."""

    def solve(rows: str) -> None:
        X = _matrix(rows, 60, 4)
        for y in (X @ np.ones(4) > 0.1, _targets(X) > 0.0):
            found = find(X, y)
            certificate = getattr(found, "certificate", found)
            if certificate is not None:
                verify(certificate, X, y)

    return solve


def _run_perceptrons(X: Any, y: Any) -> Any:
    runs = [perceptron(X, y, form=form, max_passes=100) for form in FORMS]
    return runs[0]


def _read(rows: str) -> None:
    """A table with numbers, words and dates, or svmlight data."""
    table = "size,color,day,note,label\n" + "1.5,red,2024-01-31,free entry,yes\n2e-3,blue,2024-02-01,no entry,no\n" * 9
    name, text = ("t.csv", table) if rows == "dense" else ("t.svm", "1 1:0.5 3:2\n-1 2:1e-3\n" * 9)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        read_training(path, None, None, None)


KINDS: dict[str, Callable[[str], None]] = {
    "softmax": lambda rows: _fits(rows, "logistic", 3, "softmax"),
    "one_vs_rest": lambda rows: _fits(rows, "squared_hinge", 3, "one_vs_rest"),
    "separate": _planes(separate),
    "perceptron": _planes(_run_perceptrons),
    "margin": _planes(widest_gap),
    "minimize-errors": _planes(lambda X, y: fewest_errors(X, y, max_nodes=100)),
    "files": _read,
}
USUAL = (*USUAL_LOSSES, *KINDS)

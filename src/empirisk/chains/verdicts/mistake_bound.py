"""The certificate of a run of the structured perceptron: its mistakes, beside the most that the data allow."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import UNIT, norm_bounds
from empirisk.capabilities import name_of
from empirisk.certificates.fields import array_of, check_names, expect, fields_json
from empirisk.certificates.registry import register
from empirisk.certificates.verification import OTHER_POINT, digest
from empirisk.chains.chain_data import ChainData
from empirisk.chains.perceptron import MOST_VISITS, ORDERS, SequencePerceptronRun
from empirisk.chains.perceptron_runs import kernels
from empirisk.chains.perceptron_runs.run import Counts, Course, Runner
from empirisk.chains.perceptron_runs.sizes import radius_of
from empirisk.chains.point import ChainPoint
from empirisk.chains.verdicts.chain_claim import chain_data_of
from empirisk.chains.verdicts.realization import NORM_ROOM, Realization
from empirisk.parameters import MOST_SEED
from empirisk.protocols import Headline, Point, Vector, Verification, Words
from empirisk.separation.data_claim import out_of, within
from empirisk.separation.perceptron_runs.bound_from_start import most_mistakes
from empirisk.separation.perceptron_runs.mistake_trace import Allowances
from empirisk.separation.perceptron_runs.run import Counts as PlaneCounts

KINDS = {  # of the fields that JSON holds
    "order": str,
    "seed": int,
    "is_averaged": bool,
    "visits": int,
    "mistakes": int,
    "errors": int,
    "radius_seen": float,
    "radius": float,
    "b_low": float,
    "subject": str,
}
MOST_READ = 2**36  # numbers of the data that a run may read to be run again: some minutes
DIGEST = re.compile("[0-9a-f]{32}")


@register
class SequenceMistakeBound(NamedTuple):
    """A run from u_0 made M mistakes, and the theorem of Novikoff and Collins allows no more.

    With R the largest norm of an update phi(x_j, s_j) - phi(x_j, s) that was made, and B the least norm of a u* for
    which the labels of every sequence score above all others by 1 at least:

        M + <u*, u_0> <= B sqrt(||u_0||^2 + M R^2),    so M <= (R B)^2 from zero.

    `realization` proves B <= b_high. The updates d of the run sum to u - u_0, and <u*, d> >= 1 for each, so that
    B >= M / ||u - u_0|| = b_low. `radius` bounds the norm of an update over all labelings: no run has a larger R.
    The run is the same on every machine: `subject` is the digest of what it answers with, of which `errors` sequences
    are not right beyond rounding. Reference: Collins (2002), theorem 1.
    """

    order: str
    seed: int
    is_averaged: bool
    start_weights: Vector  # empty for zero
    visits: int
    mistakes: int  # M
    errors: int
    radius_seen: float  # R
    radius: float
    b_low: float
    realization: Realization
    subject: str

    @property
    def b_high(self) -> float:
        """The upper end of the interval for B, which the bound is made of."""
        return self.realization.b_high

    @property
    def counts(self) -> Counts:
        """What the run did."""
        return Counts(self.visits, self.mistakes)

    @property
    def n_sequences(self) -> int:
        """Of the data that it speaks of."""
        return self.realization.n_sequences

    @property
    def bound(self) -> float:
        """(R B)^2 from zero; else the most mistakes that the inequality leaves room for."""
        if not self.start_weights.size:
            product = _up(self.radius_seen * self.b_high)
            return _up(product * product)
        met = np.flatnonzero(self.start_weights)
        plane, start = self.realization.point.weights, self.start_weights[met].tolist()
        rest = norm_bounds(np.delete(plane, met), 0.0)[0]
        counts = PlaneCounts(self.visits, self.mistakes, self.mistakes, self.mistakes)
        parts = [*plane[met].tolist(), rest], [*start, 0.0]
        return most_mistakes(*parts, self.b_high, self.radius_seen, Allowances(0.0, 0.0), counts, None)

    @property
    def holds(self) -> bool:
        """Whether the inequality is true of these numbers."""
        return self.mistakes <= self.bound

    def sentence(self) -> str:
        """The claim in words."""
        what = f"{self.mistakes} mistakes in {self.visits} visits of sequences"
        parts = f"R = {self.radius_seen:.6g}, {self.b_low:.6g} <= B <= {self.b_high:.6g}"
        if not self.start_weights.size:
            return f"{what}: at most (R B)^2 = {self.bound:.6g} ({parts})."
        return f"{what} from u_0: at most {self.bound:.6g} by M + <u*, u_0> <= B sqrt(||u_0||^2 + M R^2) ({parts})."

    def words(self, tol: float) -> Words:
        """What the theorem says."""
        return Words(
            meaning="A structured perceptron changes its weights only when some other labelling of a sequence scores "
            "as high as the true one. If some weights have the true labels win everywhere, it cannot be wrong "
            "forever: at most (R B)^2 times, where R is the length of the longest change and 1 / B the widest margin. "
            "The count of this run is stated beside that bound.",
            headline=(
                Headline("Mistakes", float(self.mistakes), f"in {self.visits} visits of sequences"),
                Headline("Bound", self.bound, "the most that the theorem allows"),
            ),
            checked="the weights that bound B, the whole run of the perceptron, and the errors of its answer",
            shortfall=self._shortfall(),
            notes=("How well new text is labelled, it does not say.",),
        )

    def _shortfall(self) -> str:
        if not self.holds:
            return "the numbers contradict the theorem"
        if self.errors == 0:
            return ""
        answer = "the mean of its weights" if self.is_averaged else "its last weights"
        return f"every sequence right was asked of the run, and {answer} has {self.errors} that are not"

    def is_within(self, tol: float) -> bool:
        """Whether every sequence is right by the answer, and the inequality is true of these numbers."""
        return self.errors == 0 and self.holds

    def problem_of(self, X: Any, y: Any = None, sample_weight: Any = None) -> ChainData:
        """The sequences."""
        return chain_data_of(X, y, sample_weight)

    def verify(self, problem: ChainData, point: Point | None = None) -> Verification:
        """Check the weights that bound B, run the perceptron again, and compare what it did and answers with."""
        if point is not None and digest(point) != self.subject:
            return OTHER_POINT
        refused = inconsistency(self) or ("" if self.holds else "The mistakes exceed the bound.")
        if refused:
            return Verification(False, refused)
        verdict = self.realization.verify(problem)
        if not verdict.holds:
            return verdict._replace(sentence=f"The weights of the bound fail: {verdict.sentence}")
        n, K = problem.n_sequences, problem.n_labels
        read = problem.sequences.attributes.starts[-1] + problem.sequences.n_tokens * K * K
        if self.visits * int(read) > MOST_READ * n:
            return Verification(False, f"A run of {self.visits} visits of sequences is too long to be run again.")
        if self.start_weights.size and not np.array_equal(self.start_weights, _masked(problem, self.start_weights)):
            return Verification(False, "The start has a weight where the model has none.")
        runner, is_whole = run_again(self, problem)
        if runner.counts != self.counts:
            said = f"Run again, the perceptron makes {runner.counts.mistakes} mistakes in {runner.counts.visits} visits"
            return Verification(False, f"{said}, not {self.mistakes} in {self.visits}.")
        if not is_whole:
            return Verification(False, f"No run ends after {self.visits} visits: neither by itself nor with a pass.")
        numbers = {"mistakes": float(runner.counts.mistakes), "bound": self.bound}
        answer = runner.answer()
        if digest(ChainPoint(answer)) != self.subject:
            return Verification(False, "Run again, the perceptron answers with other weights.", numbers)
        found = (runner.wrong_at(answer), runner.radius_seen, radius_of(problem), least_b(runner))
        if found != (self.errors, self.radius_seen, self.radius, self.b_low):
            return Verification(False, "Run again, the errors, R or the lower end of B are others.", numbers)
        return Verification(True, f"Run again: {self.mistakes} mistakes, and at most {self.bound:.6g}.", numbers)

    def to_json(self) -> dict[str, Any]:
        """The run and the weights that bound it; the bound is there to be read."""
        parts = {"realization": self.realization.to_json(), **fields_json(self, ("bound",))}
        return {"kind": name_of(self), **fields_json(self, KINDS), **parts}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The start, and the weights of the realisation."""
        return {"start_weights": self.start_weights, **within("realization", self.realization.arrays())}

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> SequenceMistakeBound:
        """What `to_json` and `arrays` gave; refuses what does not fit together."""
        of_parts = out_of("realization", arrays)
        known = ("start_weights", *within("realization", of_parts))
        check_names(cls, data, (*KINDS, "realization", "bound"), arrays, known)
        for name, kind in {**KINDS, "bound": float}.items():  # JSON keeps 1 and 1.0 and true apart
            expect(type(data[name]) is kind, name)
        claim = cls(
            **{name: data[name] for name in KINDS},
            start_weights=array_of(arrays, "start_weights"),
            realization=Realization.from_json(data["realization"], of_parts),
        )
        refused = inconsistency(claim)
        if refused or data["bound"] != claim.bound:
            raise ValueError(f"the mistake bound is damaged: {refused or 'the bound is not that of its parts.'}")
        return claim


def inconsistency(claim: SequenceMistakeBound) -> str:
    """What is wrong with the numbers of a claim alone; empty where nothing is."""
    n, size = claim.n_sequences, claim.realization.n_weights
    if claim.start_weights.size not in (0, size) or claim.realization.weights.shape != (size,):
        return "The start or the realisation has not the weights of the model."
    if claim.start_weights.size and not np.any(claim.start_weights):
        return "A start of zeros is left out."
    if claim.order not in ORDERS or not DIGEST.fullmatch(claim.subject):
        return "There is no such order, or no such digest."
    if not 0 <= claim.seed <= MOST_SEED or (claim.seed and claim.order != "random"):
        return "The seed is not one of a run; in the order of the sequences nothing is drawn, and it is 0."
    is_count = 0 <= claim.mistakes <= claim.visits <= MOST_VISITS and 0 <= claim.errors <= n
    if not is_count or claim.visits > n * (claim.mistakes + 1):  # a pass without a mistake is the last
        return "The counts contradict each other."
    numbers = (claim.radius_seen, claim.radius, claim.b_low)
    if not all(math.isfinite(x) and x >= 0.0 for x in numbers) or not claim.b_low <= claim.b_high * (1.0 + 1e-9):
        return "R and B are not what they can be."
    if not 1.0 <= claim.realization.margin < math.inf or not math.isfinite(claim.bound):
        return "There is no bound: no labelling can be wrong, or numbers overflow."
    return ""


def run_again(claim: SequenceMistakeBound, data: ChainData) -> tuple[Runner, bool]:
    """The same run, and whether a run can end where it stands; it ends early where the claim cannot be reached."""
    n = data.n_sequences
    start = claim.start_weights if claim.start_weights.size else np.zeros(data.layout.size)
    runner = Runner(data, Course(claim.order, claim.seed, start), is_averaged=claim.is_averaged)
    ending = runner.run(claim.visits, goes_on=lambda so_far: so_far.mistakes <= claim.mistakes)
    return runner, ending not in (kernels.GOES_ON, kernels.STOPPED) or claim.visits % n == 0


def least_b(runner: Runner) -> float:
    """M / ||u - u_0||, rounded down; 0 without a mistake."""
    if not runner.counts.mistakes:
        return 0.0
    moved = norm_bounds(runner.weights - runner.course.start, NORM_ROOM)[1]
    slack = 1e-15 if runner.chains.is_whole else 1e-9
    return float(runner.counts.mistakes / moved * (1.0 - slack)) if moved > 0.0 else 0.0


def sequence_mistake_bound(
    data: ChainData, run: SequencePerceptronRun, realization: Realization
) -> SequenceMistakeBound | None:
    """The bound of a run, by this realisation; None where its numbers cannot be compared."""
    course, is_averaged = run.course, run.is_averaged
    start = course.start if np.any(course.start) else np.empty(0)
    runner = Runner(data, course, is_averaged=is_averaged)
    runner.run(run.counts.visits)
    answer = runner.answer()
    seed = course.seed if course.order == "random" else 0
    claim = SequenceMistakeBound(
        course.order, seed, is_averaged, start, *runner.counts, runner.wrong_at(answer), runner.radius_seen,
        radius_of(data), least_b(runner), realization, digest(ChainPoint(answer)),
    )  # fmt: skip
    return None if inconsistency(claim) else claim


def _masked(data: ChainData, u: Vector) -> Vector:
    kept = u.copy()
    data.layout.mask(kept)
    return kept


def _up(x: float) -> float:
    """A little more than x: the few roundings that made it are allowed for."""
    return x * (1.0 + 8.0 * UNIT)

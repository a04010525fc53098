"""The perceptron in all its forms: a plane, the count of mistakes beside its bound, or why there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.designs import as_design, check_finite
from empirisk.parameters import check_callback, check_choice, check_count, check_positive, check_seed, check_time_limit
from empirisk.protocols import Vector
from empirisk.separation.found_plane import FoundPlane
from empirisk.separation.inseparability import Inseparability, inseparability_from
from empirisk.separation.mistake_bound import MistakeBound, mistake_bound
from empirisk.separation.perceptron_runs import kernels
from empirisk.separation.perceptron_runs.answer import BATCH_FORMS, FORMS, Answer, answer_of
from empirisk.separation.perceptron_runs.claimed_run import MOST_VISITS, ORDERS, is_too_long, run_again
from empirisk.separation.perceptron_runs.mistake_trace import MistakeTrace
from empirisk.separation.perceptron_runs.run import Course, PerceptronProgress, Runner, visits_and_passes
from empirisk.separation.perceptron_runs.status import PerceptronStatus
from empirisk.separation.perceptron_runs.sure_sides import margins_of
from empirisk.separation.perceptron_runs.voted import VotedPlanes
from empirisk.separation.plane import Separation, separation_from
from empirisk.separation.points import Points, points_of
from empirisk.separation.separate import Verdict, verdict_on
from empirisk.separation.watch import STOPPED, Watch
from empirisk.separation.widest_gap import WidestGap, widest_gap_of_points
from empirisk.stopwatch import work_clock

ENDINGS = {
    kernels.ALL_RIGHT: PerceptronStatus.SEPARATED,
    kernels.PRECISE: PerceptronStatus.PRECISE,
    kernels.REPEATED: PerceptronStatus.REPEATED,
    kernels.OVERFLOWED: PerceptronStatus.OVERFLOW,
    kernels.STOPPED: PerceptronStatus.CALLBACK,
}


class BestPlane(NamedTuple):
    """The plane with the fewest training errors that the run looked at."""

    weights: Vector
    intercept: float
    errors: int


class PerceptronRun(NamedTuple):
    """What a run gives back."""

    form: str
    weights: Vector  # of the form: the last plane, the mean (averaged), the best one seen (pocket)
    intercept: float
    classes: NDArray[Any]  # the user's labels; the last one is on the positive side
    status: PerceptronStatus
    errors: int | None  # training points that the answer has on the wrong side or on the plane; None for voted
    mistakes: int
    steps: int  # changes of the weights
    visits: int  # of rows, by the run
    n_rows: int
    passes: float  # visits of rows of any kind, those to count the errors of planes among them, divided by n
    last: tuple[Vector, float]  # where the run ended
    best: BestPlane
    voted: VotedPlanes | None = None
    plane: Separation | None = None  # that R and B are of: the last one, or the widest gap where asked for
    verdict: Verdict | None = None  # what `separate` says where the run ended without a plane
    certificate: MistakeBound | None = None
    trace: MistakeTrace | None = None

    @property
    def is_separated(self) -> bool:
        """Whether the run found a plane with every training point on its side: the answer, or where it ended."""
        return self.status.is_separated or self.status is PerceptronStatus.SEPARATED_BEFORE_MEAN

    @property
    def conflict(self) -> Inseparability | None:
        """The points that forbid a plane, where the verdict names them."""
        return self.verdict if isinstance(self.verdict, Inseparability) else None

    @property
    def radius(self) -> float:
        """R, the largest ||z_i||, rounded up; nan where no plane is known."""
        return math.nan if self.plane is None else self.plane.radius

    @property
    def b_low(self) -> float:
        """The lower end of the interval for B, the least norm of a w* with <w*, z_i> >= 1 for all i."""
        return math.nan if self.plane is None else self.plane.b_low

    @property
    def b_high(self) -> float:
        """The upper end of the interval for B, which the bound is made of."""
        return math.nan if self.plane is None else self.plane.b_high

    @property
    def bound(self) -> float:
        """The most that the theorem allows beside `certificate.counted`; nan where no plane is known."""
        return math.nan if self.certificate is None else self.certificate.bound

    def scores(self, X: Any) -> Vector:
        """<w, x> + b for each row of X; for the voted form the vote, from -1 to +1."""
        design = as_design(X)
        check_finite(design)
        if self.voted is not None:
            return self.voted.votes(design)
        if design.n_columns() != self.weights.size:
            raise ValueError(f"X has {design.n_columns()} columns, the plane has {self.weights.size}")
        return margins_of(design, np.ones(design.n_rows()), self.weights, self.intercept)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X: the last of the two where the score is >= 0."""
        return self.classes[(self.scores(X) >= 0.0).astype(np.intp)]

    def found_plane(self) -> FoundPlane:
        """For the model."""
        proof = self.certificate or self.conflict
        return FoundPlane("perceptron", Answer(self.weights, self.intercept, self.voted), proof, self.status)

    def sentence(self) -> str:
        """The outcome in words."""
        said = [f"{self.form.capitalize()} perceptron {self.status}."]
        if self.certificate is None:
            said.append(f"{self.mistakes} mistakes in {visits_and_passes(self.visits, self.n_rows)}.")
        else:
            said.append(self.certificate.sentence())
        if self.verdict is not None:
            said.append(f"Best plane seen: {self.best.errors} errors. {self.verdict.sentence()}")
        return " ".join(said)


def perceptron(
    X: Any,
    y: Any,
    *,
    form: str = "online",
    order: str = "cyclic",
    fit_intercept: bool = True,
    alpha: float = 1.0,
    epsilon: float = 0.0,
    start: tuple[Any, float] | None = None,
    max_passes: int = 1000,
    time_limit: float | None = None,
    seed: int = 0,
    widest_gap: bool = False,
    certify: bool = True,
    callback: Callable[[PerceptronProgress], Any] | None = None,
) -> PerceptronRun:
    """Run the perceptron on the points z_i = y_i (x_i, 1), or y_i x_i without intercept; y_i is -1 or +1.

    form: "online": w <- w + z_i at each point with <w, z_i> <= 0; "averaged", "voted" and "pocket" are the same run
        with another answer: the mean of the planes, their vote, the one with the fewest errors seen.
        "gradient": w <- w + (alpha / n) sum of the wrong z_i, which is gradient descent on the perceptron cost
        (1/n) sum_i max(0, -<w, z_i>), until the norm of the gradient is at most epsilon; "batch" is that with
        alpha = 1 and epsilon = 0.
    order: "cyclic", or "random": another order each pass, drawn with `seed`.
    start: (w_0, b_0), zero unless given.
    max_passes, time_limit: the budget; a pass is n visits of rows of any kind, and the limit is in seconds.
    widest_gap: whether B is that of the certified widest gap, not of the plane that was found.
    certify: whether a run that ends with a plane gets its `MistakeBound` and trace (which cost about as much as the
        run), and one that does not the verdict of `separate`.
    callback: called after each pass with the progress (passes, mistakes, errors, seconds); returning True stops, and
        then the verdict is only looked for where that takes no time.

    The run stops when every point is right, which is decided beyond rounding. References: Rosenblatt (1958); Novikoff
    (1962); Gallant (1990) for the pocket; Freund and Schapire (1999) for voted and averaged.
    """
    check_callback(callback)
    points = points_of(X, y, fit_intercept)
    is_batch = check_choice("form", form, FORMS) in BATCH_FORMS
    check_choice("order", order, ORDERS)
    alpha, epsilon = check_positive("alpha", alpha), check_positive("epsilon", epsilon, allows_zero=True)
    if form != "gradient" and (alpha, epsilon) != (1.0, 0.0):
        raise ValueError(f"alpha and epsilon belong to form='gradient', and this is form={form!r}")
    step = alpha / points.n_rows if is_batch else 1.0
    course = Course(is_batch, order, step, check_seed(seed), *_start(start, points))
    limit = check_time_limit(time_limit)
    deadline, budget = work_clock() + limit, min(MOST_VISITS, check_count("max_passes", max_passes) * points.n_rows)
    runner = Runner(points, course, epsilon=epsilon, form=form)
    status = ENDINGS.get(runner.run(budget, budget, deadline, callback))
    if status is PerceptronStatus.CALLBACK:
        deadline = work_clock()
    if status is None:
        left = runner.counts.visits + runner.checked < budget
        status = PerceptronStatus.TIME_LIMIT if left else PerceptronStatus.PASS_LIMIT
    wrong = 0 if status is PerceptronStatus.SEPARATED else runner.errors_of(runner.weights, runner.intercept)
    if wrong == 0:  # the last step before a limit may have been the one that was missing
        status = PerceptronStatus.SEPARATED
    plane, verdict = _judged(runner, status, deadline, course.seed) if certify else (None, None)
    if plane is not None and widest_gap:
        plane = _widest(points, plane, deadline, course.seed)
    answer, errors, certificate, trace = answer_of(runner, form, wrong), wrong, None, None
    if form in ("averaged", "pocket"):
        errors = runner.errors_of(answer.weights, answer.intercept)
    is_comparable = status is not PerceptronStatus.OVERFLOW and not is_too_long(runner.counts.visits, points)
    if plane is not None and is_comparable:
        certificate = mistake_bound(form, course, runner.counts, plane, answer, errors)
        trace = None if certificate is None else run_again(certificate, points).trace
    status = _about_answer(status, form, errors)
    return _run(runner, form, answer, status, errors, wrong)._replace(
        plane=plane, verdict=verdict, certificate=certificate, trace=trace
    )


def _about_answer(status: PerceptronStatus, form: str, errors: int) -> PerceptronStatus:
    """The status of a run whose answer makes so many errors, from that of its last plane."""
    if errors == 0:
        return PerceptronStatus.VOTED if form == "voted" else PerceptronStatus.SEPARATED
    return PerceptronStatus.SEPARATED_BEFORE_MEAN if status is PerceptronStatus.SEPARATED else status


def _judged(runner: Runner, status: PerceptronStatus, deadline: float, seed: int) -> tuple[Separation | None, Any]:
    """The plane that was found, in exact arithmetic; or else what `separate` says, and its plane if it has one.

    A run in a circle proves by itself that there is none: the points that it added on the way round sum to zero.
    """
    if status is PerceptronStatus.SEPARATED:
        # The mistakes show the lower end of B's interval: B >= M / ||sum of the wrong points|| = M a / ||w - w_0||.
        plane = separation_from(runner.points, runner.weights, runner.intercept, *runner.wrong_rows())
        if plane is not None:
            return plane, None
    if status is PerceptronStatus.REPEATED:
        conflict = inseparability_from(runner.points, *runner.wrong_rows_of_circle())
        if conflict is not None and conflict.is_separable is False:
            return None, conflict
    watch = Watch("separate", check_time_limit(_left(deadline)))
    if status is PerceptronStatus.CALLBACK:
        watch.reason = STOPPED
    verdict = verdict_on(runner.points, watch, seed)
    return (verdict if isinstance(verdict, Separation) else None), verdict


def _widest(points: Points, plane: Separation, deadline: float, seed: int) -> Separation:
    """The plane of the widest gap, whose interval for B is narrow; the one in hand where it is no better."""
    gap = widest_gap_of_points(points, augmented=True, seed=seed, time_limit=_left(deadline))
    return gap.plane if isinstance(gap, WidestGap) and gap.plane.b_high <= plane.b_high else plane


def _left(deadline: float) -> float | None:
    return None if math.isinf(deadline) else max(0.0, deadline - work_clock())


def _run(runner: Runner, form: str, answer: Answer, status: PerceptronStatus, errors: int, wrong: int) -> PerceptronRun:
    """What is to be told of the run: the errors of the answer, and those of the last plane, `wrong`."""
    points, counts = runner.points, runner.counts
    last, best = (runner.weights.copy(), runner.intercept), BestPlane(*runner.best(wrong))
    passes = (counts.visits + runner.checked) / points.n_rows
    return PerceptronRun(
        form=form,
        weights=answer.weights,
        intercept=answer.intercept,
        classes=points.classes,
        status=status,
        errors=None if answer.voted else errors,
        mistakes=counts.mistakes,
        steps=counts.steps,
        visits=counts.visits,
        n_rows=points.n_rows,
        passes=passes,
        last=last,
        best=best,
        voted=answer.voted,
    )


def _start(start: Any, points: Points) -> tuple[Vector, float]:
    if start is None:
        return np.zeros(points.n_columns), 0.0
    try:
        w, b = np.array(start[0], dtype=np.float64), float(start[1])
    except (TypeError, ValueError, IndexError):
        raise TypeError("start must be a pair: weights, one a column of X, and an intercept") from None
    if w.shape != (points.n_columns,):
        raise ValueError(f"start has weights of the shape {w.shape}, X has {points.n_columns} columns")
    if not (bool(np.all(np.isfinite(w))) and math.isfinite(b)):
        raise ValueError("start contains NaN or infinity")
    if b != 0.0 and not points.fit_intercept:
        raise ValueError(f"start has the intercept {b:g}, and fit_intercept is False: give 0")
    return w, b

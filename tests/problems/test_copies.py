"""Problems never change: what the methods named with_... give shares the data and nothing else."""

import numpy as np
import pytest

import empirisk as er
from empirisk.designs import matrix_of
from empirisk.problems.passes import risk_gradient
from empirisk.vector_losses import OneVersusRest

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 3))
Y = np.where(RNG.normal(size=12) > 0.0, 1.0, -1.0)
S = RNG.uniform(1.0, 2.0, size=12)
W = np.array([0.3, -1.0, 0.5])


def value(problem, w=W, b=0.2):
    return risk_gradient(problem, np.append(w, b), np.empty(problem.rows.n_rows)).objective


def test_kept_rows_are_a_part_of_the_sum():
    problem, rows = er.EmpiricalRisk(X, Y, sample_weight=S), np.array([1, 4, 5])
    others = np.setdiff1d(np.arange(12), rows)
    _ = problem.rows.column_sizes()  # known before: a part must not take it over
    kept, left = problem.with_kept_rows(rows), problem.with_kept_rows(others)
    assert kept.total_weight == problem.total_weight
    assert value(kept) + value(left) == pytest.approx(value(problem), rel=1e-14)
    np.testing.assert_array_equal(matrix_of(kept.rows.take_columns(np.arange(3))), X[rows].T)
    np.testing.assert_array_equal(kept.rows.column_sizes(), 3)
    alone = problem.with_rows(rows)
    assert alone.total_weight == pytest.approx(problem.weights[rows].sum())
    assert value(alone) == pytest.approx(value(kept) * kept.total_weight / alone.total_weight)


def test_what_is_given_changes_and_nothing_else():
    problem = er.EmpiricalRisk(X, Y, l1=0.1, l2=0.2, n_threads=1)
    other = problem.with_strengths(l1=0.5).with_weights(S).with_threads(2)
    assert (other.regularizer.l1, other.regularizer.l2, other.n_threads) == (0.5, 0.2, 2)
    assert other.total_weight == S.sum()
    assert (problem.regularizer.l1, problem.total_weight, problem.n_threads) == (0.1, 12.0, 1)
    assert other.rows.whole() is problem.rows.whole()
    plain = problem.without_penalty()
    assert (plain.regularizer.l1, plain.regularizer.l2, plain.fit_intercept) == (0.0, 0.0, False)
    assert plain.with_strengths(l2=1.0).regularizer.l2 == 1.0


@pytest.mark.parametrize("name", ["weights", "regularizer", "n_threads", "labels", "anything"])
def test_fields_are_not_overwritten(name):
    many = er.MulticlassRisk(X, np.arange(12) % 3, 3, OneVersusRest(er.Logistic()))
    for problem in (er.EmpiricalRisk(X, Y), many, many.of_class(1)):
        with pytest.raises(AttributeError, match=f"{name} is set by the methods with_"):
            setattr(problem, name, None)


def test_classes_follow_the_whole():
    many = er.MulticlassRisk(X, np.arange(12) % 3, 3, OneVersusRest(er.Logistic()), l2=0.1, constraint="l2_ball")
    before = many.of_class(0)
    other = many.with_strengths(l2=0.3).with_weights(S).with_threads(1)
    one = other.of_class(2)
    assert (one.regularizer.l2, one.total_weight, one.n_threads) == (0.3, S.sum(), 1)
    assert np.isfinite(one.regularizer.norm_bound())
    assert (before.regularizer.l2, before.total_weight) == (0.1, 12.0)
    assert one.rows.whole() is many.rows.whole()


def problems_of(y, k, s):
    """A problem of every kind that a method gives, of labels y or classes k and weights s."""
    one = er.EmpiricalRisk(X, y, sample_weight=s)
    many = er.MulticlassRisk(X, k, 3, OneVersusRest(er.Logistic()), sample_weight=s)
    rows = np.array([1, 4, 5])
    derived = [one.with_rows(rows), one.with_kept_rows(rows), one.with_loss(er.Hinge(), -y), many.of_class(1)]
    return [one, many, one.with_weights(s), many.with_weights(s), many.of_classes(1, 3), *derived]


def test_labels_and_weights_are_its_own():
    y, k, s = Y.copy(), np.arange(12) % 3, S.copy()
    problems = problems_of(y, k, s)
    before = [(p.labels.copy(), p.weights.copy()) for p in problems]
    y[:], k[:], s[:] = 7.0, 2, 9.0
    for problem, (labels, weights) in zip(problems, before, strict=True):
        assert problem.labels.tobytes() == labels.tobytes()
        assert problem.weights.tobytes() == weights.tobytes()


def test_labels_and_weights_are_read_only_and_all_of_one_kind():
    """Of one kind, because kernels are compiled for each: a read-only array is another type."""
    for problem in problems_of(Y.copy(), np.arange(12) % 3, S.copy()):
        for array in (problem.labels, problem.weights):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 5
    plain = er.EmpiricalRisk(X, Y)
    assert not plain.weights.flags.writeable

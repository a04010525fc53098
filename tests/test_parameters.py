"""What the parameters of users must be: a value passes as Python's own type, anything else is one sentence."""

import math

import numpy as np
import pytest

from empirisk import SGD, Newton, enclosing_ball, fewest_errors, separate, widest_gap
from empirisk.parameters import (
    check_boolean,
    check_choice,
    check_count,
    check_fields,
    check_positive,
    check_seed,
    check_share,
    check_time_limit,
)

X, Y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0]]), np.array([0, 1, 1])


@pytest.mark.parametrize(
    ("checked", "value"),
    [
        (check_boolean("flag", np.True_), True),
        (check_count("n", np.int64(3)), 3),
        (check_count("n", 0, 0), 0),
        (check_seed(np.uint8(7)), 7),
        (check_positive("tol", np.float32(0.5)), 0.5),
        (check_positive("l2", 0, allows_zero=True), 0.0),
        (check_share("tol", 0.25), 0.25),
        (check_time_limit(None), math.inf),
        (check_time_limit(0), 0.0),
        (check_time_limit(math.inf), math.inf),
        (check_choice("order", "cyclic", ("cyclic", "random")), "cyclic"),
    ],
)
def test_values_become_those_of_python(checked, value):
    assert type(checked) is type(value)
    assert checked == value


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: check_boolean("flag", 1), TypeError, "flag must be True or False, got 1"),
        (
            lambda: check_choice("order", "sorted", ("cyclic",)),
            ValueError,
            "must be one of 'cyclic', got 'sorted'",
        ),
        (lambda: check_choice("order", None, ("cyclic",)), TypeError, "order must be one of"),
        (lambda: check_count("n", 0), ValueError, "n must be an integer >= 1, got 0"),
        (lambda: check_count("n", True), TypeError, "n must be an integer >= 1, got True"),
        (lambda: check_count("n", 2.0), TypeError, "n must be an integer >= 1, got 2.0"),
        (lambda: check_seed(2**31), ValueError, "seed must be a whole number from 0 to 2^31 - 1"),
        (lambda: check_seed("1"), TypeError, "seed must be a whole number"),
        (lambda: check_positive("tol", 0.0), ValueError, "tol must be a positive finite number, got 0.0"),
        (lambda: check_positive("tol", math.nan), ValueError, "tol must be a positive finite number"),
        (lambda: check_positive("tol", math.inf), ValueError, "tol must be a positive finite number"),
        (lambda: check_positive("tol", None), TypeError, "tol must be a positive finite number, got None"),
        (lambda: check_positive("l2", -1.0, allows_zero=True), ValueError, "l2 must be a finite number >= 0"),
        (lambda: check_share("tol", 1.0), ValueError, "tol must be a number between 0 and 1, got 1.0"),
        (lambda: check_share("tol", "1"), TypeError, "tol must be a number between 0 and 1"),
        (lambda: check_time_limit(-1.0), ValueError, "time_limit must be a number of seconds >= 0 or None"),
        (lambda: check_time_limit(math.nan), ValueError, "time_limit must be a number of seconds"),
        (lambda: check_time_limit("soon"), TypeError, "time_limit must be a number of seconds"),
        (lambda: check_fields(Newton(reuse=2)), ValueError, "reuse of Newton must be True or False, got 2"),
        (lambda: check_fields(SGD(seed=-1)), ValueError, "seed of SGD must be a whole number"),
        # The calls that take them.
        (lambda: separate(X, Y, time_limit="1"), TypeError, "time_limit must be"),
        (lambda: separate(X, Y, seed=-1), ValueError, "seed must be"),
        (lambda: widest_gap(X, Y, tol=None), TypeError, "tol must be a number between 0 and 1"),
        (lambda: enclosing_ball(X, time_limit=-1), ValueError, "time_limit must be"),
        (lambda: fewest_errors(X, Y, max_nodes=0.5), TypeError, "max_nodes must be an integer >= 0"),
        (lambda: fewest_errors(X, Y, seed=None), TypeError, "seed must be"),
    ],
)
def test_what_else_is_refused_in_one_sentence(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)

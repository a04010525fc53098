"""check_loss: the losses of the registry pass, and a loss that breaks a law is refused with words that say where."""

import itertools
import math
from typing import NamedTuple

import numpy as np
import pytest

from empirisk.losses.check_loss import check_loss
from tests.laws.loss_cases import case_id, those_with

NUMBERS = itertools.count()


@pytest.mark.parametrize("loss", those_with("derivative"), ids=case_id)
def test_the_losses_of_the_registry_pass(loss):
    check_loss(loss)


def loss_with(**methods):
    """Least squares with some methods replaced or added."""

    class Mine(NamedTuple):
        scale: float = 1.0

        def value(self, z, y):
            return 0.5 * (z - y) * (z - y)

        def derivative(self, z, y):
            return z - y

    for name, method in methods.items():
        setattr(Mine, name, method)
    Mine.__name__ = f"Mine{next(NUMBERS)}"  # Numba tells the classes of named tuples apart by their names
    return Mine()


def test_value_and_derivative_are_enough():
    check_loss(loss_with())


def test_every_optional_method_may_be_there():
    check_loss(
        loss_with(
            second_derivative=lambda self, z, y: 1.0,
            smoothness=lambda self: 1.0,
            conjugate=lambda self, u, y: 0.5 * u * u + u * y,
            dual_step=lambda self, u, z, y, q: (y - z + q * u) / (q + 1.0),
            prox=lambda self, z, y, step: (z + step * y) / (1.0 + step),
            lower_bound=lambda self: 0.0,
        )
    )


WRONG = {
    "derivative of another function": (
        {"derivative": lambda self, z, y: 2.0 * (z - y)},
        "derivative is -58 at z = -30, y = -1, where the slope of value is -29",
    ),
    "derivative wrong in one place": (
        {"derivative": lambda self, z, y: z - y if z < 3.2 else z - y + 0.01},
        r"derivative is 4.21 at z = 3.2, y = -1, where the slope of value is 4.2",
    ),
    "value is nan": (
        {"value": lambda self, z, y: math.nan if z > 29.0 else 0.5 * (z - y) ** 2},
        "value is nan at z = 29.5, y = -1",
    ),
    "derivative is infinite": (
        {"derivative": lambda self, z, y: math.inf if z == 0.0 else z - y},
        "derivative is inf at z = 0, y = -1",
    ),
    "value overflows too soon": ({"value": lambda self, z, y: math.exp(40.0 * abs(z))}, "value is inf at z = -30"),
    "value raises": (
        {"value": lambda self, z, y: abs(z - y) / y},
        r"value raises ZeroDivisionError \(float division by zero\) at z = -3, y = 0",
    ),
    "value returns nothing": ({"value": lambda self, z, y: None}, "value returns None, which is not a number, at z"),
    "a kink that is not declared": (
        {
            "value": lambda self, z, y: abs(z - y - 0.123),
            "derivative": lambda self, z, y: 1.0 if z > y + 0.123 else -1.0,
        },
        r"derivative jumps from -1 to 1 at z = -0.877, y = -1: declare it with has_kinks\(\)",
    ),
    "not convex": (
        {
            "value": lambda self, z, y: math.log1p((z - y) ** 2),
            "derivative": lambda self, z, y: 2.0 * (z - y) / (1.0 + (z - y) ** 2),
        },
        r"not convex: value is .* at z = .*, y = -1, above the chord from z = .* declare is_convex\(\)",
    ),
    "second derivative": (
        {"second_derivative": lambda self, z, y: 2.0},
        "second_derivative is 2 at z = -30, y = -1, where the slope of derivative is 1",
    ),
    "smoothness too small": (
        {"smoothness": lambda self: 0.9},
        r"smoothness\(\) is 0.9, but the derivative changes by 0.5 from z = -30 to z = -29.5, y = -1, 1 times",
    ),
    "smoothness is infinite": ({"smoothness": lambda self: math.inf}, r"smoothness\(\) is inf; .* leave it out"),
    "conjugate at a derivative": (
        {"conjugate": lambda self, u, y: 0.5 * u * u},
        r"conjugate is .* at u = -29, y = -1, but u is the derivative at z = -30, so it must be u z - value = 449.5",
    ),
    "conjugate finite outside its domain": (
        {
            "value": lambda self, z, y: math.sqrt(1.0 + (z - y) ** 2) - 1.0,
            "derivative": lambda self, z, y: (z - y) / math.sqrt(1.0 + (z - y) ** 2),
            "conjugate": lambda self, u, y: u * y + 1.0 - math.sqrt(1.0 - min(1.0, u * u)),
        },
        r"conjugate is .* at u = -1.499.*, y = -1, below u z - value = .* outside its domain it must be infinite",
    ),
    "conjugate infinite inside its domain": (
        {"conjugate": lambda self, u, y: 0.5 * u * u + u * y if u == 0.0 or abs(u) > 20.0 else math.inf},
        r"conjugate is inf at u = -14.5, y = -1, above the mean of its values at 0 and -29",
    ),
    "conjugate infinite at zero": (
        {"conjugate": lambda self, u, y: 0.5 * u * u + u * y if u != 0.0 else math.inf},
        "conjugate is infinite at u = 0, y = -1, but value has a least value",
    ),
    "conjugate is nan": ({"conjugate": lambda self, u, y: math.nan}, "conjugate is nan at u = -29, y = -1"),
    "dual step": (
        {"dual_step": lambda self, u, z, y, q: (y - z + q * u) / (q + 2.0)},
        r"dual_step is .* at u = 0, z = -10, y = -1, q = 0, but minus that is no derivative",
    ),
    "dual step for a row without features": (
        {"dual_step": lambda self, u, z, y, q: u + (y - z - u) / (q / (1.0 + 1.0 / q))},
        "dual_step raises ZeroDivisionError .* at u = 0, z = -10, y = -1, q = 0",
    ),
    "prox": (
        {"prox": lambda self, z, y, step: (z + step * y) / (1.0 + 2.0 * step)},
        r"prox is .* at z = -10, y = -1, step = 0.01, but \(z - x\) / step = .* is no derivative at x",
    ),
    "pieces": (
        {"pieces": lambda self, y: ((1.0, -y), (-1.0, y))},
        "the largest of the pieces is 29 at z = -30, y = -1, where value is 420.5",
    ),
    "pieces of numbers only": (
        {"pieces": lambda self, y: ((1.0, -float(y)), (-1.0, y))},
        r"pieces\(y\) must give pairs of numbers, and of arrays for an array",
    ),
    "values below zero": (
        {"value": lambda self, z, y: 0.5 * (z - y) ** 2 - 3.0},
        r"value is -0.12 at z = -3.4, y = -1, below 0: give a lower_bound\(\)",
    ),
    "values below the bound": (
        {"lower_bound": lambda self: 0.001},
        r"value is 0 at z = -1, y = -1, below lower_bound\(\), 0.001",
    ),
    "tasks": ({"tasks": lambda self: ("ranking",)}, r"tasks\(\) is \('ranking',\), which must be \"classification\""),
    "labels": ({"accepts": lambda self, y: y > 100.0}, r"accepts\(y\) takes none of .* give check_loss some labels"),
    "nan far out": (
        {
            "value": lambda self, z, y: math.exp(-abs(z)) * z * z + z * z,
            "derivative": lambda self, z, y: (2.0 * z - z * abs(z)) * math.exp(-abs(z)) + 2.0 * z,
            "is_convex": lambda self: False,
        },
        "derivative is nan at z = -1e.300, y = -1",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_loss_that_breaks_a_law_is_refused(case):
    methods, words = WRONG[case]
    with pytest.raises(ValueError, match=rf"^loss Mine\d+: {words}") as caught:
        check_loss(loss_with(**methods))
    assert "\n" not in str(caught.value)


def test_what_numba_cannot_compile_is_named_with_its_line():
    with pytest.raises(ValueError, match=r"value cannot be compiled: .*context manager"):
        check_loss(loss_with(value=_opens_a_file))
    with pytest.raises(
        ValueError, match=r"derivative cannot be compiled: Unknown attribute .hex. .*\(line \d+ of test_c"
    ):
        check_loss(loss_with(derivative=lambda self, z, y: z - y + 0.0 * len(z.hex())))


def _opens_a_file(self, z, y):
    with np.errstate(over="ignore") as _:
        return 0.5 * (z - y) * (z - y)


def test_compiled_must_equal_interpreted():
    """Machine code freezes a global; the interpreter reads it anew."""
    loss = loss_with(value=lambda self, z, y: 0.5 * (z - y) * (z - y) + OFFSET)
    check_loss(loss)
    global OFFSET
    OFFSET = 5.0
    try:
        with pytest.raises(ValueError, match=r"value is 420.5 compiled and 425.5 interpreted at z = -30, y = -1"):
            check_loss(loss)
    finally:
        OFFSET = 0.0


OFFSET = 0.0


def test_declared_kinks_and_non_convexity_are_allowed():
    check_loss(
        loss_with(
            value=lambda self, z, y: min(abs(z - y), 2.0),
            derivative=lambda self, z, y: 0.0 if abs(z - y) >= 2.0 or z == y else math.copysign(1.0, z - y),
            has_kinks=lambda self: True,
            is_convex=lambda self: False,
        )
    )


def test_a_margin_loss_is_told_of_tasks():
    margin = {
        "value": lambda self, z, y: max(0.0, 1.0 - y * z) ** 2,
        "derivative": lambda self, z, y: -2.0 * y * max(0.0, 1.0 - y * z),
        "conjugate": lambda self, u, y: 0.25 * u * u + u * y if u * y <= 0.0 else math.inf,
    }
    with pytest.raises(ValueError, match=r"y = 0, .*; if its labels are -1 and \+1 only, say so with tasks\(\)"):
        check_loss(loss_with(**margin))
    check_loss(loss_with(**margin), labels=(-1, 1))
    check_loss(loss_with(**margin, tasks=lambda self: ("classification",)))


class Methodless(NamedTuple):
    scale: float = 1.0

    def value(self, z, y):
        return abs(z - y)


class Fieldless(NamedTuple):
    def value(self, z, y):
        return 0.5 * (z - y) ** 2

    def derivative(self, z, y):
        return z - y


class NoTuple:
    def value(self, z, y):
        return 0.5 * (z - y) ** 2

    def derivative(self, z, y):
        return z - y


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (Methodless(), r"loss Methodless: it has no method derivative\(z, y\)"),
        (Methodless, r"check_loss takes an object: Methodless\(\), not the class"),
        (Fieldless(), "loss Fieldless: a loss must be a NamedTuple with at least one field"),
        (NoTuple(), "loss NoTuple: a loss must be a NamedTuple with at least one field"),
        ("logistic", r"loss str: it has no method value\(z, y\)"),
    ],
)
def test_what_is_no_loss_is_refused(loss, words):
    with pytest.raises(ValueError, match=words):
        check_loss(loss)

"""The number parser against its oracle, Python's `float`: the same 64 bits or the same refusal."""

import math
import os
import struct
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from empirisk.data.numbers import NOT_A_NUMBER, NOT_FINITE, NUMBER, parse_exactly, parse_number

compiling = settings(deadline=None)  # the first example pays for the compiler

pytestmark = pytest.mark.compiled

digits = st.text("0123456789", max_size=40)
decimals = st.builds(
    lambda sign, whole, point, fraction, power: sign + (whole + point + fraction or "0") + power,
    st.sampled_from(["", "+", "-"]),
    digits.filter(bool),
    st.sampled_from([".", ""]),
    digits,
    st.one_of(st.just(""), st.builds("{}{}".format, st.sampled_from(["e", "E", "e+", "e-"]), st.integers(0, 400))),
)


def as_buffer(text):
    return np.frombuffer(text.encode() + b"\n", np.uint8)


def parse(text):
    """The value of a literal, by whichever of the two ways decides it."""
    buffer = as_buffer(text)
    value, end, kind = parse_number(buffer, 0)
    assert (kind, end) == (NUMBER, len(text)), text
    return parse_exactly(buffer, [0])[0] if math.isnan(value) else value


def assert_equals_python(text):
    assert struct.pack("d", parse(text)) == struct.pack("d", float(text)), text


@compiling
@given(st.floats(allow_nan=False, allow_infinity=False))
@example(5e-324)
@example(2.2250738585072014e-308)
@example(2.225073858507201e-308)
@example(1.7976931348623157e308)
@example(-0.0)
@example(9007199254740993.0)
def test_every_float_survives_its_shortest_and_its_longest_spelling(x):
    for text in (repr(x), f"{x:.17e}", f"{x:.25e}", f"{x:.3f}"):
        assert_equals_python(text)


@compiling
@given(decimals)
@example("1.")
@example("0e999999999999999999999")
@example("1e-999999999999999999999")
@example("1" + "0" * 400 + "e-400")
@example("0." + "0" * 400 + "1e401")
@example("55850193501327255e-1")
@example("179769313486231580793e289")
@example("2.4703282292062327208e-324")
@example("7.2057594037927933e16")
@example("123456789012345678" + "0" * 30)
@example("123456789012345678" + "0" * 30 + "1")
def test_any_decimal_literal(text):
    assert_equals_python(text)


@pytest.mark.parametrize(
    "text",
    [
        "1" + "0" * 1_000_000 + "e-10000000",
        "1" + "0" * 1_000_000 + "e-1000000",
        "0." + "0" * 999_999 + "123e1000000",
        "0." + "0" * 1_234_566 + "1e12345670",
        "0." + "0" * 1_234_566 + "1e1234567",
        "-7" * 1 + "3" * 1_200_000 + "e-1200001",
    ],
    ids=range(6),
)
def test_a_million_digits_and_an_exponent_of_eight(text):
    """An exponent was cut off after seven digits, which a million digits of the mantissa made matter."""
    assert_equals_python(text)


def test_whole_numbers_above_2_to_the_53_are_left_to_the_reader():
    for text in ("9007199254740993", "-9007199254740994", "123456789012345678901"):
        assert math.isnan(parse_number(as_buffer(text), 0)[0])
    for text in ("9007199254740992", "9007199254740993.0", "9007199254740993e0"):
        assert not math.isnan(parse_number(as_buffer(text), 0)[0])


@pytest.mark.parametrize(
    "text", [".5", "-.5", "+.5e1", "00012.50", "1e5", "1E+05", "1e-05", "-0", "+0.0", "1e400", "-1e400"]
)
def test_spellings_that_python_accepts(text):
    assert_equals_python(text)


@compiling
@given(st.integers(2**52, 2**53 - 1), st.integers(-70, 70), st.sampled_from([-1, 0, 1]))
def test_half_way_between_two_floats(mantissa, power, nudge):
    tie = Fraction(2 * mantissa + 1) * Fraction(2) ** power
    scaled = tie * 10**80  # a whole number: 10^80 clears every denominator 2^70
    assert scaled.denominator == 1
    assert_equals_python(f"{scaled.numerator + nudge}e-80")
    assert_equals_python(f"{int(tie)}")


def test_most_literals_are_decided_without_python():
    rng = np.random.default_rng(0)
    samples = rng.normal(size=500) * 10.0 ** rng.integers(-200, 200, 500)
    undecided = sum(math.isnan(parse_number(as_buffer(repr(float(x))), 0)[0]) for x in samples)
    assert undecided == 0


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan", "inf", "+Inf", "-INFINITY", "infinity"])
def test_not_finite_words(text):
    value, end, kind = parse_number(as_buffer(text), 0)
    assert math.isnan(value)
    assert (end, kind) == (len(text), NOT_FINITE)


@pytest.mark.parametrize(
    "text", ["", "-", "+", ".", "-.", "e5", "1e", "1e+", ".e1", "i", "in", "n", "na", "x", ".inf", "--1"]
)
def test_not_a_number(text):
    assert parse_number(as_buffer(text), 0)[2] == NOT_A_NUMBER


@pytest.mark.parametrize(
    ("text", "end"), [("1_000", 1), ("0x10", 1), ("1.5.2", 3), ("1e5e5", 3), ("12 ", 2), ("infinite", 3)]
)
def test_the_end_is_where_the_literal_stops(text, end):
    assert parse_number(as_buffer(text), 0)[1] == end


@compiling
@given(st.one_of(st.binary(max_size=30), st.text("0129+-.eEinfaty _\n").map(str.encode)))
def test_any_bytes_end_within_the_buffer(noise):
    buffer = np.frombuffer(noise + b"\n", np.uint8)
    for start in range(len(buffer)):
        value, end, kind = parse_number(buffer, start)
        assert start <= end < len(buffer)
        token = noise[start:end].decode("latin-1")
        if kind == NUMBER:
            assert math.isnan(value) or value == float(token)
        elif kind == NOT_FINITE:
            assert not math.isfinite(float(token))


def test_interpreted_code_agrees_without_a_warning():
    texts = [
        "0.1",
        "-1.7976931348623157e308",
        "9007199254740993.0",
        "3.141592653589793238462643383279",
        "6.02214076e23",
        "1e-300",
    ]
    program = (
        "import sys, numpy as np\n"
        "from empirisk.data.numbers import parse_number\n"
        "for text in sys.argv[1:]:\n"
        "    print(float(parse_number(np.frombuffer(text.encode() + b'\\n', np.uint8), 0)[0]).hex())\n"
    )
    command = [sys.executable, "-W", "error", "-c", program, *texts]
    run = subprocess.run(
        command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == [float(text).hex() for text in texts]

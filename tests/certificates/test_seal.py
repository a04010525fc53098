"""Sealed JSON: the same certificate comes back, every damage is found, and a new seal leaves the truth to `verify`."""

import json
import math
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest

import empirisk as er
from empirisk.certificates import KINDS, from_sealed_json, known_kinds, register, sealed_json
from empirisk.homes import HOMES, register_home
from tests.certificates.sealed import as_text, changed, is_refused, places, sealed_again, through_text

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(40, 3))
SIGNS = np.where(X @ [1.0, -2.0, 0.5] + 0.3 > 0.0, 1.0, -1.0)
NOISY = np.where(RANDOM.random(40) < 0.2, -SIGNS, SIGNS)
HINGE = er.EmpiricalRisk(X, NOISY, "hinge", l2=0.1)
CLASSES = er.MulticlassRisk(X, RANDOM.integers(0, 3, 40), 3, er.vector_losses.OneVersusRest(er.Hinge()), l2=0.1)
READER = """
import json, sys
from empirisk.certificates import from_sealed_json
print(from_sealed_json(json.loads(sys.stdin.read())).sentence())
"""


class Made(NamedTuple):
    """A certificate, and how it is verified."""

    certificate: object
    verify: object


def of_data(certificate, labels):
    return Made(certificate, lambda again: er.verify(again, X, labels))


def of_problem(problem):
    solution = er.minimize(problem)
    return Made(solution.certificate, lambda again: again.verify(problem, solution.point))


@pytest.fixture(scope="module")
def made():
    return {
        "separation": of_data(er.separate(X, SIGNS), SIGNS),
        "inseparability": of_data(er.separate(X, NOISY), NOISY),
        "enclosing_ball": of_data(er.enclosing_ball(X), None),
        "duality_gap": of_problem(HINGE),
        "class_gaps": of_problem(CLASSES),
    }


def test_it_comes_back(made):
    for kind, (certificate, verify) in made.items():
        data = json.loads(as_text(certificate))
        assert data["kind"] == kind
        again = from_sealed_json(data)
        assert type(again) is KINDS[kind] is type(certificate)
        assert as_text(again) == as_text(certificate)
        assert verify(again) == verify(certificate)


def test_every_change_under_the_old_seal_is_refused(made):
    for certificate, _ in made.values():
        data = sealed_json(certificate)
        for path in places(data):
            with pytest.raises(ValueError, match=r"certificate"):
                from_sealed_json(changed(data, path))
        with pytest.raises(ValueError, match="altered"):
            from_sealed_json({**data, "more": 1})


def test_the_last_bit_is_under_the_seal(made):
    data = sealed_json(made["separation"].certificate)
    for seal in ("", None, data["seal"][::-1], data["seal"].upper()):
        with pytest.raises(ValueError, match="altered"):
            from_sealed_json({**data, "seal": seal})
    with pytest.raises(ValueError, match="altered"):
        from_sealed_json({**data, "margin": math.nextafter(data["margin"], 0.0)})
    with pytest.raises(ValueError, match="has no seal"):
        from_sealed_json({name: value for name, value in data.items() if name != "seal"})


def test_a_new_seal_leaves_the_truth_to_verify(made):
    plane = made["separation"].certificate
    lie = plane._replace(margin=2.0 * plane.margin)
    assert through_text(lie).margin == lie.margin
    assert is_refused(lie, X, SIGNS)
    assert not is_refused(plane, X, SIGNS)
    slightly = plane._replace(margin=math.nextafter(plane.margin, 0.0))
    assert not is_refused(slightly, X, SIGNS)  # a claim that is weaker than need be by one bit is true


def of_array(name, value):
    """The sealed JSON with another value of this part of an array."""
    return lambda array: {**array, name: value(array[name]) if callable(value) else value}


BROKEN_ARRAYS = {
    "no object": lambda array: array["values"],
    "a part too few": lambda array: {name: array[name] for name in ("dtype", "values")},
    "a part too many": of_array("order", "C"),
    "unknown dtype": of_array("dtype", "float16"),
    "object dtype": of_array("dtype", "object"),
    "dtype that is no text": of_array("dtype", []),
    "dtype of other numbers": of_array("dtype", "int64"),
    "shape too small": of_array("shape", [1]),
    "shape too large": of_array("shape", [2**70]),
    "shape below zero": of_array("shape", [-1, -3]),
    "shape of floats": of_array("shape", [3.0]),
    "shape of truth values": of_array("shape", [True]),
    "shape that is no list": of_array("shape", 3),
    "values that are no list": of_array("values", "abc"),
    "value that is an integer": of_array("values", lambda values: [1, *values[1:]]),
    "value that is a text": of_array("values", lambda values: ["1.0", *values[1:]]),
    "value that is nothing": of_array("values", lambda values: [None, *values[1:]]),
    "value that is NaN": of_array("values", lambda values: [math.nan, *values[1:]]),
    "value that is infinite": of_array("values", lambda values: [math.inf, *values[1:]]),
    "a value too many": of_array("values", lambda values: [*values, 1.0]),
    "nested values": of_array("values", lambda values: [values]),
}


@pytest.mark.parametrize("broken", BROKEN_ARRAYS.values(), ids=BROKEN_ARRAYS.keys())
def test_arrays_that_cannot_be_are_refused(made, broken):
    data = sealed_json(made["separation"].certificate)
    arrays = {**data["arrays"], "weights": broken(data["arrays"]["weights"])}
    with pytest.raises(ValueError, match="weights"):
        from_sealed_json(sealed_again({**data, "arrays": arrays}))


@pytest.mark.parametrize(("dtype", "value"), [("int64", 2**63), ("int64", 10**400), ("uint8", 256), ("uint8", -1)])
def test_integers_beyond_their_type_are_refused(made, dtype, value):
    data = sealed_json(made["separation"].certificate)
    data["arrays"]["support_rows"] = {"dtype": dtype, "shape": [1], "values": [value]}
    with pytest.raises(ValueError, match="support_rows"):
        from_sealed_json(sealed_again(data))


def test_arrays_of_another_shape_are_refused(made):
    data = sealed_json(made["separation"].certificate)
    for shape in ([3, 1], [1, 3]):
        data["arrays"]["weights"]["shape"] = shape
        with pytest.raises(ValueError, match="weights"):
            from_sealed_json(sealed_again(data))


def test_other_names_are_refused(made):
    for certificate, verify in made.values():
        data = sealed_json(certificate)
        for name in certificate.to_json():
            with pytest.raises(ValueError, match="certificate"):
                from_sealed_json(sealed_again({key: value for key, value in data.items() if key != name}))
        with pytest.raises(ValueError, match="not 'more'"):
            from_sealed_json(sealed_again({**data, "more": 1}))
        more = {**data["arrays"], "more": {"dtype": "float64", "shape": [0], "values": []}}
        with pytest.raises(ValueError, match="no array 'more'"):
            from_sealed_json(sealed_again({**data, "arrays": more}))
        for name, array in data["arrays"].items():
            if array["values"]:  # an array that is left out is empty
                fewer = {key: value for key, value in data["arrays"].items() if key != name}
                assert _is_refused(sealed_again({**data, "arrays": fewer}), verify), (data["kind"], name)


def _is_refused(data, verify):
    try:
        again = from_sealed_json(data)
    except ValueError:
        return True
    return not verify(again).holds


@pytest.mark.parametrize("data", [None, [], 1, "x", {}, {"kind": 1}, {"kind": "faith"}, {"kind": ["separation"]}])
def test_what_is_no_certificate_is_refused(data):
    with pytest.raises(ValueError, match="certificate"):
        from_sealed_json(data)
    if isinstance(data, dict):
        for arrays in ({}, None, []):
            with pytest.raises(ValueError, match="certificate"):
                from_sealed_json(sealed_again({**data, "arrays": arrays}))


@pytest.mark.parametrize("arrays", [None, [], "x", 1])
def test_arrays_must_be_an_object(made, arrays):
    with pytest.raises(ValueError, match="no arrays"):
        from_sealed_json(sealed_again({**sealed_json(made["separation"].certificate), "arrays": arrays}))


def test_a_process_that_has_not_loaded_the_chapter_reads_its_certificates(made):
    certificate = made["separation"].certificate
    done = subprocess.run(
        [sys.executable, "-c", READER], input=as_text(certificate), capture_output=True, text=True, timeout=300
    )
    assert done.stdout.strip() == certificate.sentence(), done.stderr


def test_every_kind_of_a_chapter_has_a_home():
    for name in er.__all__:
        getattr(er, name)
    for kind, cls in KINDS.items():
        if cls.__module__.startswith("empirisk.") and not cls.__module__.startswith("empirisk.certificates."):
            assert HOMES[cls.__name__] == cls.__module__
            assert getattr(er, cls.__name__) is getattr(er.certificates, cls.__name__) is cls
            assert kind in known_kinds()
    with pytest.raises(ValueError, match="'Separation' has a home already"):
        register_home("Separation", "os")


STRANGERS = """
import json, sys
from empirisk.certificates import from_sealed_json
from empirisk.certificates.seal import seal_of
before = set(sys.modules)
for kind in ("linear_classifier", "perceptron", "minimize", "os", "__all__", "Separation", ""):
    data = {"kind": kind, "arrays": {}}
    try:
        from_sealed_json({**data, "seal": seal_of(data)})
    except ValueError as error:
        print(error)
print(sorted(set(sys.modules) - before))
"""


def test_a_kind_that_nobody_knows_imports_nothing():
    done = subprocess.run([sys.executable, "-c", STRANGERS], capture_output=True, text=True, check=True, timeout=300)
    *said, loaded = done.stdout.splitlines()
    assert loaded == "[]"
    ours = [kind for kind in known_kinds() if kind not in KINDS or KINDS[kind].__module__.startswith("empirisk.")]
    known = ", ".join(ours)
    assert said[0] == f"unknown kind of certificate 'linear_classifier'; known: {known}"
    assert len(said) == 7
    assert "separation" in known
    assert "zero_one_optimality" in known


def test_a_name_belongs_to_one_kind():
    class Separation(NamedTuple):
        """Another one."""

    with pytest.raises(ValueError, match=r"kind 'separation' already, in empirisk\.separation\.plane"):
        register(Separation)
    assert KINDS["separation"] is er.Separation


def test_no_seal_is_not_called_an_alteration():
    with pytest.raises(ValueError, match="the certificate has no seal: it is a part of a model or of a report"):
        from_sealed_json({"kind": "duality_gap", "gap": 0.0})

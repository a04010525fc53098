"""Laws of every certificate: it keeps the contract, survives JSON and a file, and no part of it can be changed alone.

Each number, text, truth value and array is changed by itself, the seal made anew: what is left to judge is the truth of
the claim, and it must be refused when it is read or when it is verified. The changes that are rightly harmless are
listed with their reason.
"""

from __future__ import annotations

import functools
import inspect
import json
import math
from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.capabilities import name_of
from empirisk.certificates import KINDS, certificate_from_json, from_sealed_json, known_kinds, sealed_json
from empirisk.certificates.seal import seal_of
from empirisk.protocols import Certificate, Headline, OptimalityCertificate, Verification, Words
from tests.laws.certificate_cases import CASES, HARMLESS, case, kind_of
from tests.laws.certificate_changes import changes_of_form, changes_of_value, parts

pytestmark = pytest.mark.interpreted  # tiny data of many kinds; kernels then give NumPy's numbers, and files must not
PLAIN = (bool, int, float, str, type(None), list, dict)


def methods(protocol: Any) -> list[str]:
    return [name for name, value in vars(protocol).items() if not name.startswith("_") and inspect.isroutine(value)]


@pytest.mark.parametrize("name", CASES)
def test_it_keeps_the_contract(name):
    certificate, problem, point = case(name)
    assert name_of(certificate) == kind_of(name)
    assert all(callable(getattr(certificate, method)) for method in methods(Certificate))
    if point is not None:
        for attribute in vars(OptimalityCertificate):
            if not attribute.startswith("_"):
                assert hasattr(certificate, attribute)
    verdict = certificate.verify(problem, point)
    assert isinstance(verdict, Verification)
    assert verdict.holds, verdict.sentence
    assert all(isinstance(value, (int, float)) for value in verdict.numbers.values())
    assert verdict.numbers
    for tol in (1e-12, 1.0):
        words = certificate.words(tol)
        assert isinstance(words, Words)
        assert (words.shortfall == "") == certificate.is_within(tol)
        assert len(words.headline) >= 1
        assert all(isinstance(one, Headline) for one in words.headline)
        assert all(note.endswith(".") for note in words.notes)
        assert words.meaning.endswith(".")
        assert words.checked
    assert certificate.sentence().endswith(".")


def test_every_kind_has_a_case():
    strangers = {kind for kind, cls in KINDS.items() if not cls.__module__.startswith("empirisk.")}  # of other tests
    assert {name_of(case(name).certificate) for name in CASES} == set(known_kinds()) - strangers


def fields(certificate: Any) -> dict[str, Any]:
    return json.loads(json.dumps(certificate.to_json()))


@pytest.mark.parametrize("name", CASES)
def test_it_comes_back_through_json(name):
    certificate, problem, point = case(name)
    sealed = json.loads(json.dumps(sealed_json(certificate), allow_nan=False))
    direct = type(certificate).from_json(certificate.to_json(), certificate.arrays())
    read = certificate_from_json(fields(certificate), certificate.arrays())
    for again in (direct, read, from_sealed_json(sealed)):
        assert type(again) is type(certificate)
        assert again.to_json() == certificate.to_json() == fields(certificate)
        assert all(type(value) in PLAIN for _, value in parts(certificate.to_json(), ()))
        for key, array in certificate.arrays().items():
            assert again.arrays()[key].dtype == array.dtype
            np.testing.assert_array_equal(again.arrays()[key], array)
        assert again.verify(problem, point).holds


@pytest.mark.parametrize("name", CASES)
def test_it_does_not_hold_for_another_problem_or_point(name):
    certificate, problem, point = case(name)
    for other in map(case, CASES):
        verdicts = certificate.verify(other.problem, point), certificate.verify(other.problem, other.point)
        if type(other.problem) is not type(problem):  # of the same type they may be the same
            assert not any(verdict.holds for verdict in verdicts)
        if other.point is not None and other.point is not point:
            assert not certificate.verify(problem, other.point).holds
    if point is not None:
        assert not certificate.verify(problem, point._replace(weights=point.weights * (1.0 + 1e-9))).holds


@pytest.mark.parametrize("name", CASES)
def test_one_verify_takes_problem_and_point(name):
    certificate, problem, point = case(name)
    assert er.verify(certificate, problem, point) == certificate.verify(problem, point)


@pytest.mark.parametrize("name", CASES)
def test_a_change_without_a_new_seal_is_refused(name):
    sealed = json.loads(json.dumps(sealed_json(case(name).certificate)))
    for change in changes_of_value(sealed):
        if change.path != ("seal",):
            with pytest.raises(ValueError, match=r"altered|not a certificate"):
                from_sealed_json(change.whole)


@functools.cache
def accepted(name: str) -> frozenset[tuple[str, str, str]]:
    """The changes of one part, sealed anew, that nobody refuses: kind, name of the part and direction."""
    certificate, problem, point = case(name)
    data = without_seal(certificate)
    found = set()
    for change in (*changes_of_value(data), *changes_of_form(data)):
        if not is_refused(change.whole, problem, point):
            found.add((kind_of(name), change.word, change.direction))
    return frozenset(found)


@pytest.mark.parametrize("name", CASES)
def test_no_part_can_be_changed_alone(name):
    assert accepted(name) <= set(HARMLESS)


def test_every_excuse_is_needed():
    found = set().union(*map(accepted, CASES))
    assert {key[:2] for key in HARMLESS} == {key[:2] for key in found}


@pytest.mark.parametrize("name", CASES)
def test_what_has_another_form_is_refused_when_it_is_read(name):
    for change in changes_of_form(without_seal(case(name).certificate)):
        if change.direction in ("type", "name", "dtype", "reshaped") and not is_a_type_of(change):
            with pytest.raises(ValueError, match=r"\w"):
                from_sealed_json(sealed_again(change.whole))


def is_a_type_of(change: Any) -> bool:
    """Whether the part can have this type too: labels are numbers, texts or truth values; evidence may be None."""
    if change.path in (("proof",), ("packing",)):
        return change.whole[change.path[0]] is None
    return change.path[-2:-1] == ("classes",) and change.whole["kind"] != "class_gaps"


@pytest.mark.parametrize("name", [name for name in CASES if kind_of(name) in ("duality_gap", "class_gaps")])
def test_no_gap_below_the_recomputed_one_holds(name):
    certificate, problem, point = case(name)
    found = certificate.verify(problem, point).numbers["gap"]
    gaps = getattr(certificate, "gaps", (certificate,))
    bold = [gap._replace(gap=math.nextafter(found, 0.0) / len(gaps), rounding=0.0) for gap in gaps]
    lie = bold[0] if len(gaps) == 1 else certificate._replace(gaps=tuple(bold))
    assert not lie.verify(problem, point).holds


def without_seal(certificate: Any) -> dict[str, Any]:
    sealed = json.loads(json.dumps(sealed_json(certificate)))
    return {key: value for key, value in sealed.items() if key != "seal"}


def sealed_again(data: Any) -> Any:
    return {**data, "seal": seal_of(data)} if isinstance(data, dict) else data


def is_refused(data: Any, problem: Any, point: Any) -> bool:
    try:
        certificate = from_sealed_json(sealed_again(data))
    except ValueError:
        return True
    return not certificate.verify(problem, point).holds

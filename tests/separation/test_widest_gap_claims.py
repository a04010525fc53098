"""The proof of the widest gap: it holds in JSON, fails after tampering, and speaks of its data."""

import math

import pytest

import empirisk as er
from empirisk.certificates import from_sealed_json, sealed_json
from empirisk.separation.widest_gap import WidestGap, widest_gap
from tests.certificates.sealed import as_text, changed, is_refused, places, through_text
from tests.separation.gaps import KINDS, separable


@KINDS
def test_json_round_trip(fit_intercept, augmented):
    X, y = separable(fit_intercept=fit_intercept)
    found = widest_gap(X, y, fit_intercept=fit_intercept, augmented=augmented)
    again = through_text(found)
    assert as_text(again) == as_text(found)
    assert er.verify(again, X, y).holds


CHANGES = {
    "augmented": lambda gap: {"augmented": not gap.augmented},
    "support_rows": lambda gap: {"support_rows": gap.support_rows + 1},
    "dual_weights": lambda gap: {
        "dual_weights": gap.dual_weights[::-1].copy() * [*[1.0] * (gap.dual_weights.size - 1), 0.5]
    },
    "norm_low": lambda gap: {"norm_low": gap.norm_low * (1.0 + 1e-6)},
    "norm_low, a weaker claim": lambda gap: {"norm_low": gap.norm_low * (1.0 - 1e-6)},
    "norm_high": lambda gap: {"norm_high": gap.norm_high * (1.0 - 1e-6)},
    "plane": lambda gap: {"plane": gap.plane._replace(intercept=gap.plane.intercept + 1e-3)},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_lies_are_found_even_when_sealed_again(change):
    X, y = separable()
    found = widest_gap(X, y)
    lie = found._replace(**change(found))
    assert not er.verify(lie, X, y).holds
    assert is_refused(lie, X, y)


def test_altered_json_is_refused():
    data = sealed_json(widest_gap(*separable()))
    assert set(WidestGap._fields) <= {*data, *data["arrays"]}
    for path in places(data):
        with pytest.raises(ValueError, match="certificate"):
            from_sealed_json(changed(data, path))
    others = {"norm_low": math.nextafter(data["norm_low"], 0.0), "plane": {}, "kind": "separation", "seal": "0" * 32}
    for field, value in others.items():
        with pytest.raises(ValueError, match="altered"):
            from_sealed_json({**data, field: value})


def test_other_data_are_refused():
    X, y = separable()
    found = widest_gap(X, y)
    other = X.copy()
    other[0, 0] += 1.0
    assert not er.verify(found, other, y).holds
    assert not er.verify(found, X, -y).holds
    assert not er.verify(found, X[:-1], y[:-1]).holds

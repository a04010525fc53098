"""The certificate of a bound: its words, its check, and the lies that it refuses. Its form is in tests/laws."""

import json

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.bounds import labelled_rows, losses_of, plane_evidence, risk_bound
from empirisk.bounds.mistakes import mistakes
from empirisk.certificates import from_sealed_json, sealed_json

rng = np.random.default_rng(0)
X = rng.normal(size=(2000, 2))
Y = np.where(X[:, 0] + 0.3 * rng.normal(size=2000) > 0.0, "yes", "no")
PLANE = plane_evidence([1.0, 0.0], 0.0)


def made(**changes):
    return risk_bound("vc_tail", labelled_rows(X, Y), 0.05, {"is_affine": True}, PLANE)._replace(**changes)


def test_a_claim_and_its_words():
    bound = made()
    wrong = int(np.sum((X[:, 0] >= 0.0) != (Y == "yes")))
    assert bound.errors == wrong
    assert bound.value == pytest.approx(er.bounds.vc_tail(wrong, 2000, 3), rel=1e-12)
    assert bound.value >= er.bounds.vc_tail(wrong, 2000, 3)
    assert bound.sentence() == (
        "With probability 0.95 over the draw of 2000 independent rows, at most 13.9 % of future rows are predicted "
        "wrong by the plane; of these rows 7.95 % are."
    )
    verdict = er.verify(bound, X, Y)
    assert verdict.holds, verdict.sentence
    assert verdict.numbers["value"] <= bound.value
    again = from_sealed_json(json.loads(json.dumps(sealed_json(bound))))
    assert er.verify(again, scipy.sparse.csr_array(X), Y).holds


def test_it_says_where_it_says_nothing():
    few = risk_bound("vc_tail", labelled_rows(X[:5], Y[:5]), 0.05, {"is_affine": True}, PLANE)
    assert few.is_vacuous
    assert few.value == 1.0
    assert few.sentence().endswith("Vacuous: no statement.")
    assert few.words(1e-6).shortfall
    rare = np.where(np.arange(2000) < 30, "yes", "no")
    bound = risk_bound("test", labelled_rows(X, rare), 0.05, {}, plane_evidence([0.0, 0.0], -1.0))
    assert bound.sentence().endswith("Predicting the larger class everywhere may do as well (1.5 %).")


def test_losses_and_their_words():
    losses = np.abs(X[:, 0]).clip(max=2.0)
    bound = risk_bound("test_losses", losses_of(losses), 0.05, {"largest": 2.0, "seed": 0})
    assert losses.mean() < bound.value < losses.mean() + 0.06
    assert "the expected loss of the predictor on a future row is at most 0.8" in bound.sentence()
    assert er.verify(bound, losses).holds
    assert not er.verify(bound, losses[::-1].copy()).holds
    run = risk_bound("progressive", losses_of(losses), 0.05, {"largest": 2.0})
    assert "one of the 2000 predictors of the run, drawn at random" in run.sentence()
    large = risk_bound("test_losses", losses_of(100.0 * losses), 0.05, {"largest": 200.0, "seed": 0})
    assert large.value > large.baseline
    assert "larger class" not in large.sentence()  # losses have no classes


LIES = {
    "a smaller bound": {"value": 0.12},
    "a bound that is smaller by little": {"value": made().value * (1.0 - 1e-9)},
    "fewer errors": {"ingredients": {**made().ingredients, "errors": 3}},
    "a dimension one too small": {"ingredients": {**made().ingredients, "h": 2}},
    "another ghost sample": {"ingredients": {**made().ingredients, "ghosts": 4000}},
    "a union bound forgotten": {"ingredients": {**made().ingredients, "log_growth": 0.0}},
    "planes through the origin": {"ingredients": {**made().ingredients, "is_affine": False}},
    "more confidence": {"delta": 1e-6},
    "another kind": {"kind": "test"},
    "a kind that there is not": {"kind": "oracle"},
    "another plane": {"evidence": plane_evidence([1.0, 1e-3], 0.0)},
    "another plane and its digest": {
        "evidence": plane_evidence([-1.0, 0.0], 0.0),
        "subject": risk_bound("test", labelled_rows(X, Y), 0.05, {}, plane_evidence([-1.0, 0.0], 0.0)).subject,
    },
    "another predictor": {"predictor": "any plane"},
    "no assumption": {"assumption": ""},
    "a rarer class": {"baseline": 0.9},
    "other classes": {"classes": ("no", "maybe")},
    "other rows": {"fingerprint": "0" * 32},
    "no number": {"value": float("nan")},
}


@pytest.mark.parametrize("lie", LIES)
def test_lies_are_refused(lie):
    verdict = er.verify(made(**LIES[lie]), X, Y)
    assert not verdict.holds
    assert verdict.sentence.endswith(".")


def test_both_ends_of_a_forged_tail_are_refused():
    """J and all that leads to it computed for h - 1, consistently."""
    k = made().errors
    small = er.bounds.vc.tail_bound(k, 2000, er.bounds.growth(2, 10_000), er.bounds.vc.log_of(0.05))
    others = {name: value for name, value in small._asdict().items() if name != "value"}
    forged = made(value=small.value * (1 + 2.0**-44), ingredients={**made().ingredients, "h": 2, **others})
    assert forged.value < made().value
    assert not er.verify(forged, X, Y).holds


def test_it_is_about_these_rows():
    assert "other data" in er.verify(made(), X[:-1], Y[:-1]).sentence
    assert not er.verify(made(), X, Y[::-1]).holds
    assert "give no sample weights" in er.verify(made(), X, Y, np.ones(2000)).sentence


def test_ties_are_predicted_plus_one():
    """x on the plane: right for the last class, wrong for the first; labels that nobody knows are wrong."""
    points = np.array([[0.0], [0.0], [0.1], [-0.1], [1.0]])
    rows = labelled_rows(points, ["b", "a", "b", "a", "c"], ("a", "b"))
    assert mistakes(rows, np.ones((1, 1)), np.zeros(1)).tolist() == [False, True, False, False, True]
    third = np.array([[0.1, 0.2, -0.3]])  # its sum is not zero in exact arithmetic: 0.1 + 0.2 > 0.3
    rows = labelled_rows(third, ["a"], ("a", "b"))
    assert mistakes(rows, np.ones((1, 3)), np.zeros(1)).tolist() == [True]


def test_a_tie_between_classes_is_an_error():
    rows = labelled_rows([[1.0], [-1.0], [0.0]], [0, 1, 2])
    planes = plane_evidence([[1.0], [-1.0], [0.0]], [0.0, 0.0, 0.0])
    assert mistakes(rows, planes["weights"], planes["intercept"]).tolist() == [False, False, True]


def test_a_constant_score_of_many_ties_is_exact_and_quick():
    """Whole numbers: no row needs long arithmetic."""
    cards = rng.integers(0, 2, size=(5000, 4)).astype(float)
    y = np.where(cards @ [2.0, -1.0, -1.0, 0.0] >= 0.0, 1, -1)
    assert not mistakes(labelled_rows(cards, y), np.array([[2.0, -1.0, -1.0, 0.0]]), np.zeros(1)).any()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: risk_bound("vc_tial", None), "did you mean 'vc_tail'"),
        (lambda: risk_bound("vc_tail", labelled_rows(X, Y), 0.05, {}, PLANE), "needs the choice 'is_affine'"),
        (lambda: risk_bound("vc_tail", labelled_rows(X, Y), 0.05, {"is_affine": 1}, PLANE), "is_affine must be"),
        (lambda: risk_bound("test", labelled_rows(X, Y), 1.0, {}, PLANE), "delta must be"),
        (
            lambda: risk_bound("test", labelled_rows(X, Y), 0.05, {}, plane_evidence([1.0], 0.0)),
            "weights must be 1 x 2",
        ),
        (lambda: risk_bound("test", labelled_rows(X, Y), 0.05), "the evidence of 'test' is"),
        (lambda: risk_bound("test", losses_of([0.0]), 0.05, {}, PLANE), "is about LabelledRows, got Losses"),
        (lambda: plane_evidence([np.nan], 0.0), "finite"),
        (lambda: labelled_rows(X, ["a"] * 2000), "only one class, a"),
        (lambda: labelled_rows(X, [1.0] * 2000, ("a", "b")), "no label of y is a class"),
        (lambda: labelled_rows(X[:0], []), "must have rows and columns"),
        (lambda: labelled_rows(X, None), "needs y"),
        (lambda: labelled_rows(X, Y[:-1]), "one label a row"),
        (lambda: labelled_rows(np.full((2, 1), np.inf), [0, 1]), "infinity"),
        (lambda: losses_of([]), "there are no losses"),
        (lambda: losses_of([0.1, -0.2]), "got -0.2 in row 1"),
        (lambda: losses_of([[0.1, 0.2]]), "one number a row"),
        (lambda: losses_of(["a"]), "losses must be numbers"),
        (lambda: risk_bound("test_errors", losses_of([0.5])), "an error is 0 or 1, got 0.5 in row 0"),
        (
            lambda: risk_bound("test_losses", losses_of([0.5, 3.0]), 0.05, {"largest": 2.0, "seed": 0}),
            "between 0 and 2, got 3.0 in row 1",
        ),
        (lambda: risk_bound("progressive", losses_of([0.5]), 0.05, {"largest": 0.0}), "largest must be"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, said):
    with pytest.raises((ValueError, TypeError), match=said):
        call()


@pytest.mark.parametrize("kind", ["vapnik", "vc_tail", "vc_sparse"])
def test_a_plane_through_the_origin_has_no_intercept(kind):
    with pytest.raises(ValueError, match="no intercept"):
        risk_bound(kind, labelled_rows(X, Y), 0.05, {"is_affine": False}, plane_evidence([1.0, 0.0], 0.5))

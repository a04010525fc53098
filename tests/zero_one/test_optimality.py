"""The certificate: through JSON and back, refused after any change, refuted where a new seal is on a lie."""

import numpy as np
import pytest

import empirisk as er
from empirisk.certificates import from_sealed_json, sealed_json
from empirisk.zero_one.fewest_errors import fewest_errors
from empirisk.zero_one.optimality import ZeroOneOptimality
from empirisk.zero_one.tree import BY_COUNT
from tests.certificates.sealed import as_text, changed, is_refused, places, through_text

pytestmark = pytest.mark.compiled


def grid(n=100, seed=0):
    """Points of a small grid: copies, common lines, both labels on one point."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(n, 3)).astype(float)
    y = np.where(X[:, 0] + X[:, 1] - X[:, 2] + 2.0 * rng.normal(size=n) > 1.5, 1, -1)
    return X, y


@pytest.fixture(scope="module")
def proven():
    X, y = grid()
    answer = fewest_errors(X, y)
    assert answer.is_optimal
    assert answer.certificate.proof is not None
    return X, y, answer.certificate


def test_json_both_ways(proven):
    X, y, certificate = proven
    again = through_text(certificate)
    assert as_text(again) == as_text(certificate)
    assert er.verify(again, X, y).holds


def test_a_packing_through_json():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 14))
    y = np.where(rng.random(90) < 0.5, -1, 1)
    s = rng.integers(1, 4, 90).astype(float)
    certificate = fewest_errors(X, y, sample_weight=s, time_limit=None).certificate
    assert certificate.packing is not None
    again = through_text(certificate)
    assert er.verify(again, X, y, s).holds
    greedy = again.packing._replace(shares=tuple(1.5 * share for share in again.packing.shares))
    lie = again._replace(packing=greedy)
    assert not er.verify(lie, X, y, s).holds
    assert is_refused(lie, X, y, s)


def test_every_change_is_found(proven):
    data = sealed_json(proven[-1])
    assert len(list(places(data))) > 20
    for path in places(data):
        with pytest.raises(ValueError, match="certificate"):
            from_sealed_json(changed(data, path))


def test_other_data_are_refused(proven):
    X, y, certificate = proven
    for other_X, other_y in ((X + 1.0, y), (X[:-1], y[:-1]), (X, np.roll(y, 1)), (X[:, :2], y)):
        assert not er.verify(certificate, other_X, other_y).holds
    assert not er.verify(certificate, X, y, np.ones(len(y))).holds
    assert not er.verify(certificate, X, y, -np.ones(len(y))).holds


def test_lies_under_a_new_seal_are_refuted(proven):
    X, y, certificate = proven
    proof = certificate.proof

    def verdict(**fields):
        lie = certificate._replace(**fields)
        assert is_refused(lie, X, y) == bool(fields)
        return er.verify(lie, X, y)

    def of_proof(**fields):
        return verdict(proof=proof._replace(**fields))

    assert verdict().holds
    lies = [
        verdict(errors=certificate.errors - 1.0),
        verdict(bound=certificate.bound + 1.0, errors=certificate.errors + 1.0),
        verdict(n_wrong=certificate.n_wrong - 1),
        verdict(weights=-certificate.weights),
        verdict(weights=certificate.weights[:-1]),
        verdict(weights=certificate.weights * np.nan),
        verdict(proof=None),
        of_proof(loss=proof.loss + 1),
        of_proof(tree=proof.tree[:-1]),
        of_proof(tree=np.append(proof.tree, BY_COUNT).astype(np.uint8)),
        of_proof(tree=np.full_like(proof.tree, BY_COUNT)),
        of_proof(tree=np.full(8, BY_COUNT, np.uint8)),
        of_proof(tree=np.where(proof.tree < 4, 3 - proof.tree, proof.tree).astype(np.uint8)),
        of_proof(L=np.zeros_like(proof.L)),
        of_proof(L=np.outer(np.arange(1.0, 5.0), np.ones(4))),
        of_proof(L=proof.L[:3, :3]),
        of_proof(rows=proof.rows[:-1]),
        of_proof(rows=(*proof.rows[:-1], proof.rows[0])),
    ]
    assert [said.sentence for said in lies if said.holds] == []


def test_lies_about_sets_are_refuted(proven):
    X, y, certificate = proven
    proof = certificate.proof
    assert proof.conflicts or proof.parts

    def of_proof(**fields):
        return er.verify(certificate._replace(proof=proof._replace(**fields)), X, y)

    assert not of_proof(conflicts=(), parts=()).holds
    for conflict in proof.conflicts[:1]:
        other = conflict._replace(weights=(conflict.weights[0] + 1, *conflict.weights[1:]))
        assert not of_proof(conflicts=(other, *proof.conflicts[1:])).holds
        negative = conflict._replace(weights=tuple(-w for w in conflict.weights))
        assert not of_proof(conflicts=(negative, *proof.conflicts[1:])).holds
    for part in proof.parts[:1]:
        assert not of_proof(parts=(part._replace(loss=part.loss + 1), *proof.parts[1:])).holds


def test_sentences(proven):
    X, y, certificate = proven
    assert "No plane makes fewer than" in certificate.sentence()
    rough = fewest_errors(X, y, max_nodes=0).certificate
    assert "every plane makes at least" in rough.sentence()
    assert rough.gap == rough.errors - rough.bound


@pytest.mark.parametrize("data", [None, [], {}, {"kind": "other"}, {"kind": "zero_one_optimality"}])
def test_what_is_no_certificate_is_refused(data):
    with pytest.raises(ValueError, match="certificate"):
        ZeroOneOptimality.from_json(data, {})
    with pytest.raises(ValueError, match="certificate"):
        from_sealed_json(data)

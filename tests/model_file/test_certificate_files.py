"""Certificates as files of their own: every kind comes back, and nothing else is read."""

from __future__ import annotations

import json

import numpy as np
import pytest

import empirisk as er
from empirisk.certificates.seal import seal_of
from empirisk.model_file import ModelFileError, load, save
from tests.model_file.files import assert_same

X = np.array([[0.0, 0.0], [1.0, 1.0], [3.0, 0.0], [0.0, 3.5]])
Y = np.array([0, 0, 1, 1])

MAKERS = {
    "separation": lambda: er.separate(X, Y),
    "inseparability": lambda: er.separate(np.array([[0.0], [1.0], [2.0]]), [0, 1, 0]),
    "mistake_bound": lambda: er.perceptron(X, Y).certificate,
    "widest_gap": lambda: er.widest_gap(X, Y),
    "enclosing_ball": lambda: er.enclosing_ball(X),
    "zero_one_optimality": lambda: er.fewest_errors(X, Y, time_limit=1.0).certificate,
}


@pytest.mark.parametrize("kind", MAKERS)
def test_it_comes_back(kind, tmp_path):
    certificate = MAKERS[kind]()
    save(certificate, tmp_path / "proof")
    back = load(tmp_path / "proof")
    assert_same(back, certificate)
    first, *_, last = (tmp_path / "proof").read_text().splitlines()
    assert (first, last) == ("{", "}")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "eval"}, "unknown kind of certificate 'eval'; known: "),
        ({"kind": ["separation"]}, "this is not a certificate"),
        ({"n_rows": 0}, "the field 'n_rows' of the certificate is not what it can be"),
        ({"more": 1}, "not 'more'"),
        ({"arrays": {}}, "the field 'weights' of the certificate is not what it can be"),
        ({"arrays": {"weights": {"dtype": "object", "shape": [1], "values": ["os.system"]}}}, "cannot be read"),
        ({"arrays": None}, "the certificate has no arrays"),
    ],
)
def test_what_somebody_sealed_again(change, said, tmp_path):
    save(MAKERS["separation"](), tmp_path / "proof")
    content = {**json.loads((tmp_path / "proof").read_text()), **change}
    (tmp_path / "proof").write_text(json.dumps({**content, "seal": seal_of(content)}))
    with pytest.raises(ModelFileError, match="proof is not a valid certificate: ") as caught:
        load(tmp_path / "proof")
    assert said in str(caught.value)


def test_a_gap_has_no_file_of_its_own(tmp_path):
    gap = er.minimize(er.EmpiricalRisk(X, np.where(Y == 1, 1.0, -1.0), "squared", l2=1.0)).certificate
    with pytest.raises(TypeError, match="this DualityGap is about the point of a problem"):
        save(gap, tmp_path / "proof")
    assert list(tmp_path.iterdir()) == []

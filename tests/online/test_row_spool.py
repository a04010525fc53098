"""Rows on disk are those that were added, mapped, and a run that is closed is one that knew its columns."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.designs import as_design, matrix_of
from empirisk.online.learners.states import arrays_of
from empirisk.online.row_spool import RowSpool
from tests.online.games import told
from tests.online.test_open_run import GAMES, X, Y, played

pytestmark = pytest.mark.interpreted


def test_rows_come_back_as_they_were():
    weights = np.arange(1.0, 41.0)
    with RowSpool() as spool:
        empty = spool.rows(3)
        assert (empty.n_rows, empty.n_columns) == (0, 3)
        spool.add(as_design(X[:7]), Y[:7], np.empty(0))
        assert spool.rows(X.shape[1]).weights.size == 0
        spool.add(as_design(X[7:8]), Y[7:8], weights[7:8])
        spool.add(as_design(X[8:9]), Y[8:9], weights[8:9])
        spool.add(as_design(X[9:]), Y[9:], np.empty(0))
        rows = spool.rows(X.shape[1])
    assert np.array_equal(matrix_of(rows.design).toarray(), X.toarray())
    assert np.array_equal(rows.labels, Y)
    assert rows.weights.tolist() == [*np.ones(7), *weights[7:9], *np.ones(31)]
    assert not rows.design.values.flags.writeable
    risk = er.EmpiricalRisk(matrix_of(rows.design), rows.labels, "logistic", l2=0.1)
    assert er.minimize(risk).certified


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_disk_is_said(monkeypatch):
    with RowSpool() as spool, open("/dev/full", "wb", buffering=0) as full:
        monkeypatch.setitem(spool._files, "labels", full)
        with pytest.raises(OSError, match="No space left on device") as raised:
            spool.add(as_design(X[:7]), Y[:7], np.empty(0))
    assert raised.value.filename == tempfile.gettempdir()


@pytest.mark.parametrize(("learner", "options"), GAMES)
def test_a_closed_run_is_one_that_knew_its_columns(learner, options):
    options = {name: value for name, value in options.items() if name != "start"}
    found = played(learner, options, [11, 12])[0].closed()
    narrow = scipy.sparse.csr_array(X[:, : found.n_columns])
    known = er.online.learn(narrow, Y, learner, **options)
    assert found.fingerprint == known.fingerprint
    assert told(found.ledger) == pytest.approx(told(known.ledger), rel=1e-12)
    for name, array in arrays_of(known.state).items():
        np.testing.assert_allclose(arrays_of(found.state)[name], array, rtol=1e-12, atol=1e-12)

"""Every learner once as machine code: it plays, its certificate verifies, and batches make the same bytes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from tests.online.games import rows

QUADRATIC = (
    "mirror_descent:mirror_map=diagonal_quadratic(1.0;0.5;2.0;4.0)",
    "mirror_descent:mirror_map=matrix_quadratic(2.0;0.5;0.0;0.0;0.5;1.0;0.0;0.0;0.0;0.0;1.0;0.0;0.0;0.0;0.0;3.0)",
)
EXACT = "follow_the_leader:exact=true"
SETS = {
    EXACT: {"loss": "squared"},
    "follow_the_leader": {"constraint": "l2_ball:radius=2", "fit_intercept": False},
    "exponentiated_gradient": {"constraint": "simplex:radius=2", "fit_intercept": False},
    "forward_ridge": {"loss": "squared"},
    QUADRATIC[1]: {"constraint": "l2_ball:radius=0.05", "fit_intercept": False},
    "newton_step": {"constraint": "l2_ball:radius=0.05", "fit_intercept": False},
}


SPARSE = ("mixture", "adagrad", "gradient_descent")  # of the others the kernels that read rows are these


LANES = "mixture:learners=adagrad+scale_free_betting(eps=0.1)"


@pytest.mark.parametrize("learner", [*er.online.LEARNERS, LANES, *QUADRATIC, EXACT])
def test_machine_code_plays_the_same_game(learner):
    X, y, _ = rows("random", n=30)
    for table in (X, scipy.sparse.csr_array(X)) if learner in SPARSE else (X,):
        run = er.online.learn(table, y, learner, **SETS.get(learner, {}))
        by_rows = er.online.learn(table[:1], y[:1], learner, **SETS.get(learner, {}))
        for i in range(1, 30):
            by_rows.learn(table[i : i + 1], y[i : i + 1])
        assert by_rows.ledger == run.ledger
        certificate = run.regret(table, y)
        assert certificate.verify(certificate.problem_of(table, y)).holds
        assert np.isfinite(run.scores(table)).all()

"""A certificate made on one machine verifies on another: one with other BLAS kernels, and without machine code."""

import os
import subprocess
import sys

import numpy as np

import empirisk as er

CHECK = """
import sys
import numpy as np
import empirisk as er
X, y, losses = (np.load(name) for name in sys.argv[1:4])
for name in sys.argv[4:]:
    bound = er.load(name)
    verdict = er.verify(bound, losses) if not bound.classes else er.verify(bound, X, y)
    print(bound.kind, verdict.holds, verdict.sentence)
"""
OTHER = {"OPENBLAS_CORETYPE": "Prescott", "NUMBA_DISABLE_JIT": "1"}  # sums in another order, no fused products


def test_certificates_verify_elsewhere(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 30)) * np.logspace(-3, 3, 30)
    y = np.where(X[:, 15] + 0.3 * rng.normal(size=400) > 0.0, "yes", "no")
    far = X + np.where(X[:, 15:16] > 0.0, 1.0, -1.0)
    losses = np.minimum(np.abs(far[:, 14]), 1.0)
    fit, hinge = er.LinearClassifier().fit(X, y), er.LinearClassifier(loss="hinge", l2=0.1).fit(X, y)
    made = [fit.bound(X, y, kind=kind) for kind in ("pac_bayes", "pac_bayes_draw", "pac_bayes_zero_draw", "margin")]
    made.append(hinge.bound(X, y, kind="compression_support"))
    for kind, choices in (("test_losses", {"largest": 1.0, "seed": 0}), ("progressive", {"largest": 1.0})):
        made.append(er.bounds.risk_bound(kind, er.bounds.losses_of(losses), 0.05, choices))
    names = []
    for bound in made:
        names.append(str(tmp_path / f"{bound.kind}.json"))
        er.save(bound, names[-1])
    data = [str(tmp_path / f"{name}.npy") for name in ("X", "y", "losses")]
    for name, array in zip(data, (X, y, losses), strict=True):
        np.save(name, array)
    done = subprocess.run(
        [sys.executable, "-c", CHECK, *data, *names],
        env={**os.environ, **OTHER},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(made)
    assert all(" True Recomputed from the data" in line for line in lines), done.stdout

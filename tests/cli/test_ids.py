"""Ids and time stamps that float64 would round, from the command line."""

import json

import numpy as np

import empirisk as er
from tests.cli.same_numbers import refused

LARGE = 2**53


def test_ids_as_features_are_refused_and_can_be_left_out(run, tmp_path):
    rows = [(LARGE + k, k % 5, "ab"[k % 2]) for k in range(20)]
    lines = ["id,x,y", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    said = "t.csv:3: column 'id': expected numbers that float64 holds exactly, found '9007199254740993': "
    advice = "subtract an offset or divide, or leave the column out with --drop"
    for command in ("fit", "separate"):
        output = ["-o", "m"] if command == "fit" else []
        refused(run(command, "t.csv", *output), 3, said + advice)
    assert run("fit", "t.csv", "-o", "m", "--drop", "id", "--l2", 0.1).exit_code == 0
    assert run("predict", "m", "t.csv").exit_code == 0
    (tmp_path / "small.csv").write_text("id,x,y\n1,2,a\n3,4,b\n5,6,a\n8,1,b\n")
    assert run("fit", "small.csv", "-o", "m", "--l2", 0.1).exit_code == 0
    refused(run("predict", "m", "t.csv"), 3, said + advice)


def test_ids_as_labels_come_back(run, tmp_path):
    X = np.array([[0.0, 1.0], [5.0, 1.0], [0.5, 1.0], [6.0, 2.0]])
    ids = np.array([LARGE, LARGE + 1, LARGE, LARGE + 1])
    np.savez(tmp_path / "t.npz", X=X, y=ids, feature_names=np.array(["a", "b"]))
    lines = [f"{a},{b},{y}" for (a, b), y in zip(X.tolist(), ids.tolist(), strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,y", *lines]))
    np.save(tmp_path / "t.npy", np.column_stack([X.astype(np.int64), ids]))
    printed = "".join(f"{label}\n" for label in ids.tolist())
    for data in ("t.npz", "t.csv", "t.npy"):
        done = run("fit", data, "-o", "m", "--l2", 0.01, "--task", "classification", "--json")
        assert done.exit_code == 0, done.stderr
        assert er.load("m").classes.tolist() == [LARGE, LARGE + 1]
        assert er.load("m").classes.dtype == np.int64
        assert run("predict", "m", data).stdout == printed
        assert run("verify", "m", data).exit_code == 0
    assert run("fit", "t.csv", "-o", "m", "--l2", 0.01, "--task", "classification").exit_code == 0
    assert run("verify", "m", "t.npz").exit_code == 0
    verdict = json.loads(run("separate", "t.csv", "--json").stdout)
    assert verdict["is_separable"] is True
    refused(
        run("fit", "t.npz", "-o", "m", "--task", "regression", "--quiet"),
        3,
        "t.npz: y holds 9007199254740993 (row 1, counted from 0), which float64 cannot hold exactly: subtract an "
        "offset, or divide",
    )

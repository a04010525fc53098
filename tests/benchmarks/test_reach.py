"""The tables of `benchmarks/reach.py`: what is not certified is listed with its reason, and what is slow."""

import json

from benchmarks import reach

PROVEN = {
    "table": "census",
    "columns": "raw",
    "loss": "hinge",
    "setting": "default",
    "rows": 10,
    "width": 3,
    "said": "10 of 20 rows; ",
    "is_proven": True,
    "seconds": 0.9,
    "status": "certified",
    "gap": 1e-8,
    "solver": "newton: because.",
    "rivals": {"lbfgs": 0.1, "newton": 0.3},
}
OPEN = PROVEN | {"loss": "absolute", "is_proven": False, "gap": 0.5, "status": "stopped", "rivals": {"sdca": 2.0}}


def test_what_is_open_and_what_is_slow_is_listed():
    said = reach.report([PROVEN, OPEN])
    assert "| all |  |  | 2 | 1 | 50.0 % |" in said
    assert (
        "| census | raw | absolute | default | 5.0e-01 | 0.900 | stopped (certified by sdca 2.000) | newton |" in said
    )
    assert "| census | raw | hinge | default | 0.900 | 0.100 | 9.0 | lbfgs | newton |" in said


def test_a_case_that_was_measured_again_counts_once(tmp_path):
    path = tmp_path / "lines"
    path.write_text("".join(json.dumps(one) + "\n" for one in (OPEN, PROVEN, OPEN | {"is_proven": True})))
    assert [one["is_proven"] for one in reach.read_results(path)] == [True, True]


def test_a_fit_that_takes_too_long_is_cut_off():
    with reach.at_most(60.0):
        pass
    try:
        with reach.at_most(0.01):
            while True:
                sum(range(1000))
    except reach.TimeUpError:
        return
    raise AssertionError

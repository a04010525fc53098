"""empirisk stream on Vowpal Wabbit text, CSV and JSON lines: learned, saved, resumed, predicted, verified."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from empirisk.cli.stream import format as stream_format
from empirisk.data.hashing import MOST_BITS, hashed
from empirisk.data.sources import Piped
from empirisk.data.streams import FORMATS
from empirisk.model_file import load
from tests.cli.commands.stream_rows import digest

N = 40
SUFFIXES = {"vw": "vw", "csv": "csv", "jsonl": "jsonl"}


def rows_of(seed: int = 1) -> list[dict[str, Any]]:
    """Label, weight, two numbers, of which the first may be missing, and a category."""
    rng = np.random.default_rng(seed)
    found = []
    for k in range(N):
        a, b, city = rng.normal(), rng.normal(), rng.choice(["Oslo", "Rom", "Bern"])
        label = 1 if a + (city == "Rom") > 0.3 else -1
        found.append({"label": label, "w": int(rng.integers(0, 3)) if k else 1, "city": city, "b": round(b, 3)})
        if rng.random() < 0.7:
            found[-1]["a"] = round(a, 3)
    return found


def text_of(format: str, seed: int = 1) -> str:
    rows = rows_of(seed)
    if format == "vw":
        parts = [" ".join(f"{name}:{row[name]}" for name in ("city", "b", "a") if name in row) for row in rows]
        return "".join(f"{row['label']} {row['w']} 'tag | {part}\n" for row, part in zip(rows, parts, strict=True))
    if format == "csv":
        lines = [f"{row.get('a', '')},{row['b']},{row['city']},{row['label']},{row['w']}\n" for row in rows]
        return "".join(["a,b,city,label,w\n", *lines])
    return "".join(json.dumps(row) + "\n" for row in rows)


def options_of(format: str, features: str = "hash") -> list[str]:
    """Few columns: the interpreter looks at each of them."""
    options = {"vw": [], "csv": ["--weights", "w", "--missing", "absent"], "jsonl": ["--weights", "w"]}
    return [*options[format], *(["--bits", "8"] if features == "hash" else ["--features", "exact"])]


@pytest.fixture(params=SUFFIXES)
def format(request) -> str:
    return request.param


@pytest.fixture
def stream(format, written) -> Path:
    return written(f"rows.{SUFFIXES[format]}", text_of(format))


def test_options_know_what_the_registry_has():
    assert tuple(FORMATS) == stream_format.FORMATS
    assert stream_format.MOST_BITS == MOST_BITS
    assert {*stream_format.OPTIONS, "header"} == {option for format in FORMATS.values() for option in format.options}


def test_every_format_says_the_same(run, written):
    ledgers = []
    for format, suffix in SUFFIXES.items():
        path = written(f"rows.{suffix}", text_of(format))
        assert run("stream", path, *options_of(format), "--save", "m", "--quiet").exit_code == 0
        ledgers.append(load("m").ledger)
    assert ledgers[0] == ledgers[1] == ledgers[2]
    assert ledgers[0].rounds == sum(row["w"] > 0 for row in rows_of())
    assert ledgers[0].weight == sum(row["w"] for row in rows_of())


@pytest.mark.parametrize("features", ["hash", "exact"])
def test_a_run_cut_anywhere_and_resumed_is_the_undisturbed_one(features, format, run, stream, monkeypatch):
    options = [*options_of(format, features), "--learner", "adagrad"]
    assert run("stream", stream, *options, "--save", "whole", "--quiet").exit_code == 0
    lines = stream.read_text().splitlines(keepends=True)
    head = lines[:1] if format == "csv" else []
    Path("rows.gz").write_bytes(gzip.compress(stream.read_bytes()))
    for cut in (1, 2, 9, 30):
        first, rest = "".join(lines[: len(head) + cut]), "".join([*head, *lines[len(head) + cut :]])
        done = run("stream", "-", "--format", format, *options, "--save", "part", "--quiet", input=first)
        assert done.exit_code == 0
        assert load("part").n_rows == cut
        done = run("stream", "rows.gz", "--resume", "part", "--same-stream", "--save", "again", "--quiet")
        assert (done.exit_code, done.stderr) == (0, "")
        assert digest("again") == digest("whole")
        run("stream", "-", "--resume", "part", "--save", "part", "--quiet", input=rest)
        assert digest("part") == digest("whole")
    read = Piped.read
    monkeypatch.setattr(Piped, "read", lambda self, wanted=-1: read(self, min(wanted, 5)))
    run("stream", stream, *options, "--save", "few", "--every", "7", "--quiet")
    assert digest("few") == digest("whole")


@pytest.mark.parametrize("features", ["hash", "exact"])
def test_predict_score_and_verify_take_the_file(features, format, run, stream):
    options = options_of(format, features)
    run("stream", stream, *options, "--save", "model", "--passes", "2", "--quiet")
    done = run("verify", "model", stream)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "Verdict    The run is what the file says.")
    assert run("score", "model", stream).exit_code == 0
    done = run("predict", "model", stream, "--scores", "--probabilities")
    header, *rows = done.stdout.splitlines()
    assert (header, len(rows)) == ("label,score,probability_-1,probability_1", N)
    Path("other").write_text(text_of(format, seed=2))
    assert run("verify", "model", "other").exit_code == 1
    done = run("predict", "model", "other", "-o", "labels")
    assert (done.exit_code, len(Path("labels").read_text().split())) == (0, N)


def test_rows_to_predict_may_lack_labels_and_have_new_names(run, written):
    run("stream", written("r.vw", text_of("vw")), "--bits", "8", "--save", "vw", "--quiet")
    run("stream", written("r.csv", text_of("csv")), *options_of("csv"), "--save", "csv", "--quiet")
    run("stream", written("r.jsonl", text_of("jsonl")), *options_of("jsonl"), "--save", "jsonl", "--quiet")
    vw = run("predict", "vw", "-", "--scores", input="| city:Rom b:1 a:2\n| new:name\n").stdout
    table = run("predict", "csv", "-", "--scores", input="a,b,city\n2,1,Rom\n,,Utopia\n").stdout
    lines = run("predict", "jsonl", "-", "--scores", input='{"city":"Rom","b":1,"a":2}\n{"x":1}\n').stdout
    assert vw == table == lines
    done = run("predict", "csv", "-", input="a,c\n1,2\n")
    assert done.exit_code == 3
    assert "expected the columns of the run, 'a', 'b', 'city', 'label', 'w', found 'a', 'c'" in done.stderr
    assert run("predict", "vw", "-", input="").stderr.endswith("expected at least one example, found none\n")
    done = run("predict", "csv", "r.csv", "--keep", "a")
    assert (done.exit_code, done.stderr[:24]) == (2, "Error: --keep is for tab")


def test_names_are_counted(run, stream, format):
    done = run("stream", stream, *options_of(format)[:-1], "10", "--quiet")
    lines = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert lines["Data"].endswith("names hashed into 1024 columns")
    assert lines["Names"] == "5 columns used, by about 5 names, 0.391 % of which meet another"
    facts = json.loads(run("stream", stream, *options_of(format)[:-1], "1", "--quiet", "--json").stdout)
    assert facts["names"] == {"columns": 2, "used": 2, "names": None, "share_that_meets_another": 1.0}
    assert (facts["format"], facts["format_options"]["bits"]) == (format, 1)


def test_exact_names_list_the_largest_weights(run, stream, format):
    options = [*options_of(format, "exact"), "--learner", "adagrad", "--save", "m"]
    done = run("stream", stream, *options, "--quiet")
    model = load("m")
    assert {*model.feature_names} == {"a", "b", "city=Oslo", "city=Rom", "city=Bern"}
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("Largest")]
    best = int(np.argmax(np.abs(model.weights)))
    assert line.split()[1:3] == [model.feature_names[best], f"{model.weights[best]:.4g},"]
    done = run("stream", stream, *options, "--most-columns", "3", "--quiet")
    assert done.exit_code == 3
    assert "expected at most 3 names, found one more" in done.stderr


def test_hashed_columns_are_those_of_vowpal_wabbit(run):
    options = ("--format", "vw", "--bits", "10", "--learner", "adagrad")
    run("stream", "-", *options, "--save", "m", "--quiet", input="1 |ns a b:2\n")
    weights = load("m").weights
    assert np.flatnonzero(weights).tolist() == sorted(hashed(name, hashed("ns")) % 2**10 for name in "ab")


def test_classes_that_are_texts(run, written):
    table = written("t.csv", "a,class\n" + "".join(f"{k % 7 - 3},{'up' if k % 7 > 2 else 'down'}\n" for k in range(30)))
    done = run("stream", table, "--classes", "up,down", "--save", "m", "--quiet", "--bits", "8")
    assert done.exit_code == 0
    assert load("m").classes.tolist() == ["down", "up"]
    assert {*run("predict", "m", table).stdout.split()} == {"down", "up"}
    assert run("verify", "m", table).exit_code == 0
    assert run("score", "m", table).exit_code == 0
    done = run("stream", table, "--resume", "m", "--same-stream", "--classes", "up,low")
    assert (done.exit_code, "is not that of the run" in done.stderr) == (2, True)
    done = run("stream", table, "--quiet")
    assert "--classes names labels that are texts" in done.stderr
    few, lines = ("--bits", "8"), '{"class": "up", "a": 1}\n{"class": "flat", "a": 1}\n'
    done = run(
        "stream", "-", "--format", "jsonl", "--classes", "up,down", "--skip-bad", "1", *few, "--json", input=lines
    )
    assert json.loads(done.stdout)["skipped"] == ["<stdin>:2:1: expected the label 'down' or 'up', found 'flat'"]


REFUSED = {
    ("vw", "--resume model --format svmlight"): "--format svmlight is not that of the run, vw",
    ("vw", "--resume model --bits 20"): "--bits 20 is not that of the run, 8",
    ("vw", "--resume model --features exact"): "--features exact is not that of the run, hash",
    ("vw", "--label a"): "--label is not for vw data, which take features, bits",
    ("vw", "--classes a,b"): "the labels of vw data are numbers",
    ("vw", "--bits 0"): "0 is not in the range",
    ("vw", "--bits 20 --features exact"): "--bits is for names that are hashed",
    ("vw", "--start model"): "--start takes columns by their number",
    ("csv", "--resume model --missing error"): "--missing error is not that of the run, absent",
    ("csv", "--resume model --ignore a,b"): "--ignore a, b is not that of the run, none",
    ("csv", "--resume model --no-header"): "--no-header is not that of the run, True",
    ("csv", "--separator xx"): "must be one character of punctuation",
    ("jsonl", "--no-header"): "--no-header is not for jsonl data",
    ("jsonl", "--missing absent"): "--missing is not for jsonl data",
}


@pytest.mark.parametrize(("format", "options"), REFUSED, indirect=["format"])
def test_options_that_do_not_go(format, options, run, stream):
    run("stream", stream, *options_of(format), "--save", "model", "--quiet")
    done = run("stream", stream, *options.split())
    assert done.exit_code == 2
    assert REFUSED[format, options] in done.stderr


BAD = {
    ("vw", "1 0 | a\n"): "<stdin>: expected a row of a weight above zero, found none",
    ("vw", "\n"): "<stdin>: expected at least one example, found none",
    ("vw", "1 | a\n2 | b\n"): "<stdin>:2:1: expected the label -1, 0 or 1, found 2: --classes names others",
    ("vw", "1 -1 | a\n"): "<stdin>:1:3: expected a weight >= 0, found -1",
    ("csv", ""): "<stdin>: expected at least one example, found none",
    ("csv", "a,label\n"): "<stdin>: expected at least one example, found none",
    ("csv", "a,b\n1,2\n"): "<stdin>:1:1: expected one label column named label, target, class or y, found none",
    ("csv", "a,label\n1,1\n,1\n"): "found an empty cell; --missing absent leaves it out",
    ("csv", "a,label\n1,1\nx,1\n"): "found 'x'; --text takes the column as categories",
    ("csv", "1,1,label\n1,1,1\n"): "found '1' again; --no-header reads it as a row",
    ("jsonl", '{"a": 1}\n'): "expected a label named label, target, class or y, found none; --label names another",
}


@pytest.mark.parametrize(("format", "text"), BAD)
def test_bad_data(format, text, run):
    done = run("stream", "-", "--format", format, "--bits", "8", "--quiet", input=text)
    assert done.exit_code == 3
    assert BAD[format, text] in done.stderr
    assert "Traceback" not in done.stderr


def test_streams_that_disagree_in_columns(run):
    run("stream", "-", "--format", "csv", "--bits", "8", "--save", "m", "--quiet", input="a,label\n1,1\n2,-1\n")
    before = digest("m")
    done = run("stream", "-", "--resume", "m", "--save", "m", input="b,label\n1,1\n")
    assert done.exit_code == 3
    assert "<stdin>:1:1: expected the columns of the run, 'a', 'label', found 'b', 'label'" in done.stderr
    assert digest("m") == before
    assert run("stream", "-", "--resume", "m", "--save", "m", "--quiet", input="a,label\n1,1\n").exit_code == 0
    assert load("m").n_rows == 3


def test_bad_lines_are_skipped(run):
    text = "1 | a\n1 2 3 | a\n-1 | b\n"
    options = ("--format", "vw", "--bits", "8", "--skip-bad", "1")
    facts = json.loads(run("stream", "-", *options, "--json", input=text).stdout)
    assert facts["rows"] == 2
    assert facts["skipped"] == ["<stdin>:2:5: expected a label, a weight and '|', found the third number '3'"]

"""Every kind that a file can name is found when it is asked for, and nothing else is loaded."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.certificates import certificate_from_json
from empirisk.model_file.registry import HOMES, Kind, known_kind, register
from empirisk.models.plane import PlaneModel

# All modules of the package: which kinds are registered there, and in which module.
EVERYTHING = """
import importlib, json, pkgutil
import empirisk
for module in pkgutil.walk_packages(empirisk.__path__, "empirisk."):
    importlib.import_module(module.name)
from empirisk.certificates import KINDS
from empirisk.model_file.registry import KINDS as MODELS
print(json.dumps([{kind: cls.__module__ for kind, cls in KINDS.items()}, sorted(MODELS)]))
"""
# Which kind is asked for, and what is loaded then; fields that are missing are refused by the class that was found.
# A child a kind, made after what all need was loaded: a process of its own takes a second for that.
FRESH = """
import json, os, sys
from empirisk.certificates import KINDS, certificate_from_json
for kind in sys.argv[1:]:
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0, kind
        continue
    try:
        certificate_from_json({"kind": kind}, {})
    except ValueError as error:
        assert "unknown kind" not in str(error), error
    print(json.dumps([kind, KINDS[kind].__module__, sorted(sys.modules)]), flush=True)
    os._exit(0)
"""
CHAPTERS = ("separation", "chains", "zero_one", "bounds")  # the later may need the earlier


def lines_of(code: str, *arguments: str) -> list[Any]:
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def everything() -> tuple[dict[str, str], list[str]]:
    return lines_of(EVERYTHING)[0]


def test_every_kind_of_model_is_listed(everything):
    assert everything[1] == sorted(HOMES)


def test_a_fresh_process_finds_every_certificate_and_loads_no_other_chapter(everything):
    assert len(everything[0]) >= 10
    found = lines_of(FRESH, *everything[0])
    assert {kind: home for kind, home, _ in found} == everything[0]
    for _, home, loaded in found:
        chapter = home.split(".")[1]
        later = CHAPTERS[CHAPTERS.index(chapter) + 1 :] if chapter in CHAPTERS else CHAPTERS
        assert not [name for name in loaded if name.startswith(tuple(f"empirisk.{other}" for other in later))]
        assert not {"sklearn", "rich", "matplotlib", "pandas"} & set(loaded)


def test_a_certificate_file_needs_no_solver(tmp_path):
    er.save(er.separate(np.array([[0.0], [1.0]]), [0, 1]), tmp_path / "proof")
    code = "import json, sys, empirisk; empirisk.load(sys.argv[1]); print(json.dumps(sorted(sys.modules)))"
    loaded = lines_of(code, str(tmp_path / "proof"))[0]
    assert "empirisk.separation.plane" in loaded
    unwanted = ("empirisk.solvers", "empirisk.driver", "empirisk.models", "empirisk.zero_one", "sklearn")
    assert not [name for name in loaded if name.startswith(unwanted)]


def test_unknown_kinds():
    with pytest.raises(ValueError, match=r"unknown kind of certificate 'os'; known: chain_gap, class_gaps"):
        certificate_from_json({"kind": "os"}, {})
    assert known_kind("os") is known_kind(["plane"]) is None


def test_a_name_is_taken_once():
    assert isinstance(known_kind("plane"), Kind)
    other = type("PlaneModel", (), {})
    with pytest.raises(ValueError, match=r"there are models of the kind 'plane' already, in empirisk\.models\.plane"):
        register(other, print, print)
    assert known_kind("plane").cls is PlaneModel

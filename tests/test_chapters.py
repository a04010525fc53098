"""Every kind that a file can name is found when it is asked for, and nothing else is loaded."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import empirisk as er
from empirisk.chapters import CERTIFICATES, MODELS, bring_certificate

# All modules of the package: which kinds are registered there, and in which module.
EVERYTHING = """
import importlib, json, pkgutil
import empirisk
for module in pkgutil.walk_packages(empirisk.__path__, "empirisk."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
from empirisk.certificates import KINDS
from empirisk.model_file.registry import KINDS as MODELS
print(json.dumps([{kind: cls.__module__ for kind, cls in KINDS.items()}, sorted(MODELS)]))
"""
FRESH = """
import json, sys
from empirisk.chapters import bring_certificate
before = set(sys.modules)
bring_certificate({"kind": sys.argv[1]})
from empirisk.certificates import KINDS
print(json.dumps([sys.argv[1] in KINDS, sorted(name for name in set(sys.modules) - before)]))
"""


def output_of(code: str, *arguments: str) -> object:
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_every_registered_kind_is_listed():
    certificates, models = output_of(EVERYTHING)
    elsewhere = {kind: home for kind, home in certificates.items() if not home.startswith("empirisk.certificates.")}
    assert elsewhere == CERTIFICATES
    assert models == sorted(MODELS)


@pytest.mark.parametrize("kind", ["duality_gap", *CERTIFICATES])
def test_a_fresh_process_finds_it_and_loads_no_other_chapter(kind):
    is_known, loaded = output_of(FRESH, kind)
    assert is_known
    chapter = CERTIFICATES.get(kind, "empirisk.certificates").split(".")[1]
    strangers = {"zero_one": [], "separation": ["zero_one"]}.get(chapter, ["zero_one", "separation"])
    assert not [name for name in loaded if name.split(".")[1:2] and name.split(".")[1] in strangers]
    assert not {"sklearn", "rich", "matplotlib", "pandas"} & set(loaded)


def test_a_certificate_file_needs_no_solver(tmp_path):
    er.save(er.separate(np.array([[0.0], [1.0]]), [0, 1]), tmp_path / "proof")
    code = "import json, sys, empirisk; empirisk.load(sys.argv[1]); print(json.dumps(sorted(sys.modules)))"
    loaded = output_of(code, str(tmp_path / "proof"))
    assert "empirisk.separation.plane" in loaded
    unwanted = ("empirisk.solvers", "empirisk.driver", "empirisk.models", "empirisk.zero_one", "sklearn")
    assert not [name for name in loaded if name.startswith(unwanted)]


def test_an_unknown_kind_is_refused_with_all_that_are_known():
    with pytest.raises(ValueError, match=r"unknown kind .* 'os'; known: .*duality_gap.*zero_one_optimality"):
        bring_certificate({"kind": "os"})

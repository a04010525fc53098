"""Help pages: names that are those of the registries, and examples that can be typed."""

from __future__ import annotations

import json
import shlex

import pytest

from empirisk.capabilities import offers, tasks_of
from empirisk.cli.help import Command
from empirisk.cli.listing import REGISTRIES, entries, names
from empirisk.constraints import CONSTRAINTS, as_constraint
from empirisk.losses import LOSSES, as_loss
from empirisk.solvers import SOLVERS
from empirisk.texts import has_text
from tests.cli.every_command import every_command, parsed
from tests.cli.test_main import loaded_after


def test_names_are_those_of_the_registries():
    assert names("losses") == [name for name, cls in LOSSES.items() if offers(cls(), "derivative")]
    assert names("constraints") == [name for name, cls in CONSTRAINTS.items() if has_text(cls)]
    assert names("solvers") == list(SOLVERS)


def test_what_is_said_of_each_is_so():
    for kind in REGISTRIES:
        for entry in entries(kind):
            assert entry.summary
            assert "\n" not in entry.line()
    for entry in entries("losses"):
        loss = as_loss(entry.name)
        assert sorted(entry.tasks) == sorted(tasks_of(loss))
        assert entry.parameters == loss._asdict()
    for entry in entries("constraints"):
        assert entry.parameters == as_constraint(entry.name)._asdict()


def test_the_help_of_fit_names_them_all(run):
    words = run("fit", "--help").stdout.replace(",", " ").split()
    for kind in REGISTRIES:
        assert set(names(kind)) <= set(words)


@pytest.mark.parametrize("name", every_command())
def test_every_command_has_three_examples_that_can_be_typed(name, run):
    command = every_command()[name]
    assert isinstance(command, Command)
    assert len(command.examples) == 3
    shown = run(*name.split(" "), "--help").stdout
    for example in command.examples:
        assert f"  empirisk {example}\n" in shown
        for part in example.split(" && empirisk "):
            parsed(shlex.split(part.partition(" > ")[0].partition(" < ")[0]))


@pytest.mark.parametrize("kind", REGISTRIES)
def test_lists(kind, run):
    done = run("fit", "--list", kind)
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    for entry in entries(kind):
        assert any(line.split()[:1] == [entry.name] and line.endswith(entry.line()) for line in lines)
    found = json.loads(run("fit", "--list", kind, "--json").stdout)[kind]
    assert [one["name"] for one in found] == names(kind)
    assert all(("tasks" in one) == (kind == "losses") for one in found)


def test_lists_load_nothing_heavy():
    loaded = loaded_after("from empirisk.cli.main import main; main(['fit', '--list', 'solvers'])")
    assert "click" in loaded
    assert not loaded & {"numpy", "scipy", "numba", "sklearn", "rich", "safetensors"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fitt", "t.csv"], "No such command 'fitt'; did you mean 'fit'?"),
        (["xyz"], "No such command 'xyz'."),
        (["fit", "t.csv", "-o", "m", "--constraint", "l2_bal:radius=2"], "did you mean 'l2_ball' or 'l1_ball'?"),
        (["fit", "t.csv", "-o", "m", "--solver", "newtn"], "did you mean 'newton'?"),
        (["fit", "t.csv", "-o", "m", "--los", "hinge"], "'--loss'"),
    ],
)
def test_near_matches_of_unknown_names(arguments, said, run):
    done = run(*arguments)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())

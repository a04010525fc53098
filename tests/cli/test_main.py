"""The group: help without imports, exit codes, one sentence for whatever goes wrong."""

from __future__ import annotations

import errno
import subprocess
import sys
import threading
import time
import types

import click
import pytest

import empirisk
from empirisk.cli import entry, errors
from empirisk.cli.commands import predict
from empirisk.cli.main import COMMANDS
from tests.cli.every_command import every_command


def loaded_after(code: str) -> set[str]:
    """The top-level modules that are loaded after running this code in a process of its own."""
    script = (
        f"import sys\ntry:\n    {code}\nexcept SystemExit: pass\nprint(*{{m.partition('.')[0] for m in sys.modules}})"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", ["['--help']", "['fit', '--help']", "['predict', '-h']", "['verify', '-h']"])
def test_help_loads_nothing_heavy(arguments):
    loaded = loaded_after(f"from empirisk.cli.main import main; main({arguments})")
    assert "click" in loaded
    assert not loaded & {"numpy", "scipy", "numba", "sklearn", "rich", "safetensors", "matplotlib", "pandas"}


def test_help_names_every_command_and_the_exit_codes(run):
    done = run("--help")
    assert done.exit_code == 0
    for name, said in COMMANDS.items():
        assert name in done.stdout
        assert said in done.stdout
    assert "130 interrupted" in done.stdout


def test_version(run):
    assert run("--version").stdout == f"empirisk, version {empirisk.__version__}\n"


def test_every_option_is_explained(run):
    for command in every_command().values():
        assert command is not None
        assert command.help
        assert all(p.help for p in command.params if isinstance(p, click.Option))


def test_usage_errors_are_two(run):
    assert run().exit_code == 2
    assert "No such command 'ft'" in run("ft").stderr
    for arguments in (["ft"], ["fit"], ["fit", "x.csv"], ["fit", "x.csv", "-o", "m", "--nonsense"], ["predict", "m"]):
        done = run(*arguments)
        assert done.exit_code == 2
        assert done.stdout == ""
        assert "Error: " in done.stderr


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (OSError(errno.EACCES, "Permission denied", "m"), 4, "m: Permission denied"),
        (OSError("no details"), 4, "no details"),
        (MemoryError(), 4, "there is not enough memory for these data"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (ZeroDivisionError("by zero"), 70, "a bug in empirisk, please report it"),
    ],
)
def test_whatever_goes_wrong_is_one_sentence(error, code, said, run, monkeypatch):
    def fail(*args, **kwargs):
        raise error

    monkeypatch.delenv("EMPIRISK_TRACEBACK")
    monkeypatch.setattr(predict, "check_writable", fail)
    done = run("predict", "m", "d", "-o", "x")
    assert done.exit_code == code
    assert done.stderr.startswith(f"Error: {said}")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_a_bug_shows_its_traceback_when_asked(run, monkeypatch):
    monkeypatch.setattr(predict, "check_writable", None)
    with pytest.raises(AssertionError, match="'NoneType' object is not callable"):
        run("predict", "m", "d", "-o", "x")


@pytest.fixture
def hook(monkeypatch):
    """What the entry point installs, and the exceptions that it passed on."""
    seen = []
    monkeypatch.setattr(errors, "_lost_interrupt", threading.Event())
    monkeypatch.setattr(sys, "unraisablehook", seen.append)
    errors.redeliver_lost_interrupts()
    return sys.unraisablehook, seen


def test_an_interrupt_that_a_callback_swallowed_comes_again(hook):
    install, seen = hook
    install(types.SimpleNamespace(exc_type=KeyboardInterrupt))
    naps = (time.sleep(0.01) for _ in range(1000))  # it comes between two of them
    with pytest.raises(KeyboardInterrupt):
        list(naps)
    assert seen == []


def test_what_fails_after_a_swallowed_interrupt_is_an_interrupt(hook, run, monkeypatch):
    def fail(*args):
        raise RuntimeError("half compiled")

    install, _ = hook
    monkeypatch.setattr(threading, "Timer", lambda *_: threading.Thread())
    install(types.SimpleNamespace(exc_type=KeyboardInterrupt))
    monkeypatch.setattr(predict, "check_writable", fail)
    done = run("predict", "m", "d", "-o", "x")
    assert (done.exit_code, done.stderr) == (130, "Error: interrupted\n")


def test_an_interrupt_says_what_was_written_before(run, rows, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("empirisk.models.facts.facts_of", interrupt)
    done = run("fit", rows, "-o", "m", "--quiet")
    assert (done.exit_code, done.stderr) == (130, "Error: interrupted; m was written before\n")
    monkeypatch.setattr("empirisk.models.examples.fit_examples", interrupt)
    done = run("fit", rows, "-o", "m", "--quiet", "--keep")
    assert (done.exit_code, done.stderr) == (130, "Error: interrupted, and nothing was written\n")


def test_what_a_half_compiled_kernel_raises_is_no_bad_data(hook, run, rows, monkeypatch):
    def fail(*args, **kwargs):
        raise TypeError("half compiled")

    install, _ = hook
    monkeypatch.setattr(threading, "Timer", lambda *_: threading.Thread())
    monkeypatch.setattr("empirisk.models.examples.fit_examples", fail)
    assert run("fit", rows, "-o", "m", "--quiet").exit_code == 3
    install(types.SimpleNamespace(exc_type=KeyboardInterrupt))
    done = run("fit", rows, "-o", "m", "--quiet")
    assert done.exit_code == 130
    assert done.stderr.startswith("Error: interrupted, and nothing was written; with --keep")


def test_an_interrupt_while_the_commands_are_loaded(monkeypatch, capsys):
    class Interrupting:
        def find_spec(self, name, *rest):
            if name == "empirisk.cli.main":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "empirisk.cli.main")
    monkeypatch.delattr(empirisk.cli, "main")
    monkeypatch.setattr(sys, "meta_path", [Interrupting(), *sys.meta_path])
    with pytest.raises(SystemExit) as end:
        entry.run()
    assert end.value.code == entry.INTERRUPTED == errors.INTERRUPTED
    assert capsys.readouterr().err == "Error: interrupted\n"


def test_other_swallowed_exceptions_are_shown_as_ever(hook):
    install, seen = hook
    other = types.SimpleNamespace(exc_type=ValueError)
    install(other)
    assert seen == [other]

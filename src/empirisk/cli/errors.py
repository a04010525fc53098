"""What can go wrong, as one sentence and an exit code; never a traceback."""

from __future__ import annotations

import _thread
import contextlib
import os
import sys
import threading
from collections.abc import Iterator

import click

from empirisk.cli.wording import as_options, hint_for_option

UNCERTIFIED, INTERRUPTED = 1, 130
SECONDS_TO_LEAVE_CALLBACK = 0.05
WRITTEN = "written"  # the key of what a command has written so far
_lost_interrupt = threading.Event()


class Failure(click.ClickException):
    """One sentence; what it repeats of a file or a name is made safe for a terminal."""

    def format_message(self) -> str:
        """The sentence."""
        from empirisk.texts import visible  # here: it loads NumPy

        return visible(self.message)


class Bug(Failure):
    """What should not have happened."""

    exit_code = 70  # as sysexits.h has it: 1 is the answer "not certified"


class Usage(Failure):
    """Options that do not go together."""

    exit_code = 2


class BadData(Failure):
    """A file that does not say what it should."""

    exit_code = 3


class InputOutput(Failure):
    """A file that cannot be read or written."""

    exit_code = 4


class Interrupted(Failure):
    """Ctrl-C."""

    exit_code = INTERRUPTED


@contextlib.contextmanager
def as_sentences(last: bool = False) -> Iterator[None]:
    """Turn exceptions into sentences; `last` shows them and exits, where no command line is left to do so."""
    try:
        try:
            with saying_of_interrupts("interrupted"):
                yield
        except click.NoSuchOption as error:
            hint = hint_for_option(error.option_name)
            raise Usage(f"there is no option {error.option_name}{hint}") if hint else error from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            said = _in_words(error)
            if isinstance(said, Bug) and "EMPIRISK_TRACEBACK" in os.environ:
                raise
            raise said from None
    except click.ClickException as failure:
        if not last:
            raise
        failure.show()
        sys.exit(failure.exit_code)


@contextlib.contextmanager
def saying_of_interrupts(sentence: str) -> Iterator[None]:
    """Let an interrupt in here end with this sentence, and with what was written before.

    So does what fails after an interrupt that was lost while a kernel was compiled: it may have left that half done.
    """
    try:
        yield
    except (Interrupted, click.exceptions.Exit, click.Abort):
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) or (isinstance(error, Exception) and _lost_interrupt.is_set()):
            ctx = click.get_current_context(silent=True)
            written = [] if ctx is None else ctx.meta.get(WRITTEN, [])
            raise Interrupted("; ".join([sentence, *(f"{path} was written before" for path in written)])) from None
        raise


def note_written(path: str) -> None:
    """Remember that a file was written, for the sentence of an interrupt."""
    click.get_current_context().meta.setdefault(WRITTEN, []).append(path)


def redeliver_lost_interrupts() -> None:
    """Send Ctrl-C again where Python had to drop it.

    An exception in a callback from C, such as those of LLVM while a kernel is compiled, is printed and forgotten.
    """
    usual = sys.unraisablehook

    def hook(lost: sys.UnraisableHookArgs) -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            _lost_interrupt.set()
            again = threading.Timer(SECONDS_TO_LEAVE_CALLBACK, _thread.interrupt_main)
            again.daemon = True
            again.start()
        else:
            usual(lost)

    sys.unraisablehook = hook


def _in_words(error: Exception) -> click.ClickException:
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        return InputOutput(reason if error.filename is None else f"{error.filename}: {reason}")
    if isinstance(error, MemoryError):
        return InputOutput("there is not enough memory for these data")
    # Imported here: they load NumPy.
    from empirisk.data.errors import DataError
    from empirisk.model_file import ModelFileError
    from empirisk.protocols import Unsupported

    if isinstance(error, (DataError, ModelFileError)):
        return BadData(as_options(str(error)))
    if isinstance(error, Unsupported):
        return Usage(as_options(str(error)))
    said = f"{type(error).__name__}: {error}".splitlines()[0]
    return Bug(f"a bug in empirisk, please report it (EMPIRISK_TRACEBACK=1 shows more): {said}")

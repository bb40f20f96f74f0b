"""The outermost layer of the command: every kind of exception becomes an exit status."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from typing import TextIO

from ..isa.errors import Outcome, SimtError, UsageError
from . import status
from .output.output import error_dict, prepare_streams, print_error, print_json, print_remark

TRACEBACK_VARIABLE = "SIMTLAB_TRACEBACK"
"""Environment variable: any value shows the traceback of a bug in simtlab."""


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status, whatever exception ends it."""
    prepare_streams()
    wants_json = "--json" in arguments

    def work() -> int:
        from .app import dispatch

        result = dispatch(arguments)
        # A write error must show here, not while the interpreter shuts down.
        sys.stdout.flush()
        return result

    try:
        code = _guarded(work, wants_json)
    except OSError:  # stderr is full or has no reader: the error cannot be shown
        code = status.USAGE
        _discard(sys.stderr)
    if code == status.BROKEN_PIPE:
        _discard(sys.stdout)
    return code


def _guarded(work: Callable[[], int], wants_json: bool) -> int:
    try:
        return work()
    except SimtError as error:
        return _report(error, wants_json)
    except KeyboardInterrupt:
        if wants_json:
            error = SimtError("interrupted before there was a result", code="SIM430")
            error.outcome = Outcome.INTERRUPTED
            return _report(error, True)
        print_remark("interrupted")
        return status.INTERRUPTED
    except BrokenPipeError:
        return status.BROKEN_PIPE
    except SystemExit as end:
        # rich turns a closed reader into this.
        if isinstance(end.__context__, BrokenPipeError):
            return status.BROKEN_PIPE
        raise
    except MemoryError:
        return _report(
            UsageError("out of memory", code="SIM513", hint="use a smaller size"), wants_json
        )
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        if error.filename is not None:
            return _report(UsageError(f"{error.filename}: {reason}", code="SIM510"), wants_json)
        if not _has_working_folder():
            return _report(
                UsageError(
                    "the working folder no longer exists",
                    code="SIM510",
                    hint="change to another folder with cd",
                ),
                wants_json,
            )
        # An error about a file has its name; one without a name is about stdout.
        return _cannot_write(error)
    except Exception as error:
        return _bug(error)


def _report(error: SimtError, wants_json: bool) -> int:
    """Show an error of the user's. Traps and failed checks are results, the rest is usage."""
    try:
        if wants_json:
            print_json(error_dict(error))
        sys.stdout.flush()
    except BrokenPipeError:
        return status.BROKEN_PIPE
    except OSError as problem:
        return _cannot_write(problem)
    if not wants_json:
        try:
            print_error(error)
        except BrokenPipeError:
            _discard(sys.stderr)
            return status.BROKEN_PIPE
    return status.of(error)


def _cannot_write(problem: OSError) -> int:
    """Report that stdout cannot be written any more, and return the status."""
    _discard(sys.stdout)
    reason = (problem.strerror or str(problem)).lower()
    print_error(UsageError(f"cannot write the output: {reason}", code="SIM511"))
    return status.USAGE


def _has_working_folder() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def _bug(error: Exception) -> int:
    if os.environ.get(TRACEBACK_VARIABLE):
        traceback.print_exc()
    print_remark(
        f"this is a bug in simtlab: {type(error).__name__}: {error}\n"
        "Please report it with the command line, the source and what `simtlab doctor` prints.\n"
        f"{TRACEBACK_VARIABLE}=1 shows where it happened."
    )
    return status.BUG


def _discard(stream: TextIO) -> None:
    """Let the interpreter's last flush of a stream go nowhere instead of failing again."""
    try:
        number = stream.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)

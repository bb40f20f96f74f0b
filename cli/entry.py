"""From arguments to an exit status: dispatch, and what becomes of every kind of exception."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable

from ..isa.errors import SimtError, UsageError
from . import status
from .output import error_dict, prepare_streams, print_error, print_json, print_remark

TRACEBACK_VARIABLE = "SIMTLAB_TRACEBACK"
"""Set to anything, it shows the traceback of an error of simtlab's own."""


def run(arguments: list[str]) -> int:
    """Run the command; every exception that there can be becomes an exit status."""
    prepare_streams()
    wants_json = "--json" in arguments

    def work() -> int:
        from .app import dispatch

        result = dispatch(arguments)
        # A write error must show here, not while the interpreter shuts down.
        sys.stdout.flush()
        return result

    code = _guarded(work, wants_json)
    if code == status.BROKEN_PIPE:
        _discard_output()
    return code


def _guarded(work: Callable[[], int], wants_json: bool) -> int:
    try:
        return work()
    except SimtError as error:
        return _report(error, wants_json)
    except KeyboardInterrupt:
        if wants_json:
            return _report(SimtError("interrupted before there was a result", code="SIM430"), True)
        print_remark("interrupted")
        return status.INTERRUPTED
    except BrokenPipeError:
        return status.BROKEN_PIPE
    except MemoryError:
        return _report(
            UsageError("out of memory", code="SIM513", hint="use a smaller size"), wants_json
        )
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        if error.filename is not None:
            return _report(UsageError(f"{error.filename}: {reason}", code="SIM510"), wants_json)
        # Files have names; what has none is stdout, of which nothing more can be expected.
        _discard_output()
        print_error(UsageError(f"cannot write the output: {reason}", code="SIM511"))
        return status.USAGE
    except Exception as error:
        return _bug(error)


def _report(error: SimtError, wants_json: bool) -> int:
    """Show an error of the user's. Traps and failed checks are results, the rest is usage."""
    try:
        if wants_json:
            print_json({**getattr(error, "partial", {}), **error_dict(error)})
            sys.stdout.flush()
        else:
            sys.stdout.flush()
            print_error(error)
    except BrokenPipeError:
        return status.BROKEN_PIPE
    return exit_status(error)


def exit_status(error: SimtError) -> int:
    """The exit status for an error of the user's, by the family of its code."""
    if error.first.code == "SIM430":
        return status.INTERRUPTED
    return status.FAILED if error.first.code.startswith("SIM4") else status.USAGE


def _bug(error: Exception) -> int:
    if os.environ.get(TRACEBACK_VARIABLE):
        traceback.print_exc()
    print_remark(
        f"this is a bug in simtlab: {type(error).__name__}: {error}\n"
        "Please report it with the command line, the source and what `simtlab doctor` prints.\n"
        f"{TRACEBACK_VARIABLE}=1 shows where it happened."
    )
    return status.BUG


def _discard_output() -> None:
    """Let the interpreter's last flush of stdout go nowhere instead of failing again."""
    try:
        number = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)

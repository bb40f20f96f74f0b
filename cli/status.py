"""Exit statuses of the command."""

from __future__ import annotations

from ..isa.errors import Outcome, SimtError

DONE = 0
"""The command did its work."""

FAILED = 1
"""The kernel trapped, or a result differs from its reference."""

USAGE = 2
"""The command, a source, an object file or an argument is wrong, or a file cannot be used."""

BUG = 70
"""An error of simtlab's own (EX_SOFTWARE of sysexits.h)."""

INTERRUPTED = 130
"""Ctrl-C, as a shell reports it (128 + SIGINT)."""

BROKEN_PIPE = 141
"""The reader of the output went away, as a shell reports it (128 + SIGPIPE)."""

_BY_OUTCOME = {
    Outcome.MISTAKE: USAGE,
    Outcome.FINDING: FAILED,
    Outcome.INTERRUPTED: INTERRUPTED,
}


def of(error: SimtError) -> int:
    """Return the exit status for an error of the user's."""
    return _BY_OUTCOME[error.outcome]

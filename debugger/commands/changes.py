"""Commands that change values, and that check them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from ...isa.errors import Outcome, SimtError, UsageError
from ..session import Session
from ..values import shown_value
from .registry import command, stop_lines


class ExpectationFailed(SimtError):
    """An `expect` of a script was not true."""

    code = "SIM533"
    outcome = Outcome.FINDING


@command(
    "set",
    "set $s3[lane 5] = 7 | y[5] = 1.5",
    "change a value and execute the run anew from here; it is then marked as edited",
)
def _(self: Session, rest: str) -> Sequence[str]:
    place, equals, value = rest.partition("=")
    if not equals or not place.strip() or not value.strip() or value.startswith("="):
        raise UsageError(
            f"`set` takes PLACE = VALUE, not {rest!r}", code="SIM531", hint="as `set $s3 = 7`"
        )
    session = self
    stop = session.set_value(place.strip(), session.value(value))
    return stop_lines(session, stop)


@command("undo", "undo", "take back all changes of values: the recorded run again")
def _(self: Session, rest: str) -> Sequence[str]:
    return stop_lines(self, self.undo_edits())


@command("expect", "expect EXPR", "end a script with status 1 unless the expression is true")
def _(self: Session, rest: str) -> Sequence[str]:
    if not self.value(rest):
        raise ExpectationFailed(f"`{rest}` is not true {_seen(self, rest)}", code="SIM533")
    return []


def _seen(session: Session, text: str) -> str:
    """Return where the session is, and the left side of a comparison that was not true."""
    for sign in ("==", "!=", "<=", ">=", "<", ">"):
        left, found, _ = text.partition(sign)
        if found and left.count("(") == left.count(")"):
            try:
                value = shown_value(session.value(left))
            except UsageError:
                break
            return f"({left.strip()} is {value}) at {session.recording.facts['unit']} {session.t:,}"
    return f"at {session.recording.facts['unit']} {session.t:,}"


@command("echo", "echo TEXT", "print a text")
def _(self: Session, rest: str) -> Sequence[str]:
    return [rest]


@command("save", "save F.npz", "write the recording, with the changes that were made")
def _(self: Session, rest: str) -> Sequence[str]:
    try:
        (path,) = shlex.split(rest)
    except ValueError:
        raise UsageError("`save` takes the name of a file", code="SIM531") from None
    if self.is_edited:
        raise UsageError(
            "an edited run cannot be written: its values do not follow from its issues",
            code="SIM530",
            hint="`undo` first, or keep the commands in a script",
        )
    try:
        self.recording.save(path)
    except OSError as problem:
        raise UsageError(
            f"cannot write {path}: {(problem.strerror or str(problem)).lower()}", code="SIM511"
        ) from None
    return [f"wrote {path}"]

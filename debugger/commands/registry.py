"""The table of commands, and what reading their words needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...isa.errors import UsageError
from ..cursor import Stop
from ..session import Session
from ..views import location

Handler = Callable[[Session, str], Sequence[str]]


@dataclass(frozen=True)
class Command:
    """One command: its names, the long one first, its usage, and what it does in one line."""

    names: tuple[str, ...]
    usage: str
    help: str
    handle: Handler


COMMANDS: dict[str, Command] = {}
"""Name -> command."""


def command(names: str, usage: str, help_: str) -> Callable[[Handler], Handler]:
    """Register a function as a command: it takes the session and the rest of the line."""

    def register(handle: Handler) -> Handler:
        found = Command(tuple(names.split()), usage, help_, handle)
        for name in found.names:
            COMMANDS[name] = found
        return handle

    return register


def count(text: str, name: str) -> int:
    """Return how often a command is done; once without a text. Raises UsageError."""
    if not text:
        return 1
    try:
        found = int(text, 0)
    except ValueError:
        found = 0
    if not 1 <= found <= 1 << 40:
        raise UsageError(f"{name} takes a whole number from 1 on, not {text!r}", code="SIM531")
    return found


def number(text: str, what: str) -> int:
    """Return a whole number. Raises UsageError."""
    try:
        return int(text.replace(",", ""), 0)
    except ValueError:
        raise UsageError(f"{what} is a whole number, not {text!r}", code="SIM531") from None


def item(session: Session, text: str) -> int:
    """Return a flat absolute id from itself, or from `GROUP+LOCAL`. Raises UsageError."""
    group, plus, local = text.replace(" ", "").partition("+")
    if not plus:
        return number(text, "a work-item")
    launch = session.launch
    found = session.timeline.item_of_place(
        number(group, "a workgroup"), number(local, "a local id"), launch
    )
    if found is None:
        raise UsageError(f"launch {launch} has no work-item {text}", code="SIM534")
    return found


def stop_lines(session: Session, stop: Stop) -> list[str]:
    """Return what is printed where a move has ended."""
    return ([stop.text] if stop.text else []) + location(session)

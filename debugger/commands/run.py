"""Lines of the command language, executed one after the other on a session."""

from __future__ import annotations

from collections.abc import Sequence

from ...isa.errors import UsageError, did_you_mean
from ..session import Session
from . import breaks, changes, looks, moves  # noqa: F401 (each registers its commands)
from .registry import COMMANDS, command


class Quit(Exception):
    """The user ends the session."""


_REPEATED = ("step", "tick", "line", "to", "back", "bs", "bc", "bl", "bt", "continue", "finish")
"""Commands that an empty line repeats."""

_ELSEWHERE = {
    "run": "the run is recorded already: `continue` goes to the next breakpoint",
    "start": "the run is recorded already: `step` executes its first instruction",
    "backtrace": "`stack` shows the paths of the warp",
    "thread": "`warp` and `lane` choose what is in focus",
    "threads": "`warp` and `lane` choose what is in focus",
    "x": "`memory` shows memory",
}
"""Words of other debuggers -> what serves here."""


class Commands:
    """Runs commands on a session. `last` is what an empty line repeats."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.last = ""

    def run(self, line: str) -> list[str]:
        """Run one line and return what it prints. Raises SimtError, and Quit."""
        text = _without_comment(line).strip()
        if not text:
            if line.strip() or not self.last:
                return []
            text = self.last
        word, _, rest = text.partition(" ")
        found = COMMANDS.get(word)
        if found is None:
            raise UsageError(
                f"unknown command {word!r}",
                code="SIM531",
                hint=_ELSEWHERE.get(word)
                or did_you_mean(word, COMMANDS)
                or "`help` lists the commands",
            )
        printed = list(found.handle(self.session, rest.strip()))
        self.last = text if found.names[0] in _REPEATED else ""
        return printed


def _without_comment(line: str) -> str:
    """Return a line up to its `#`, which begins a comment at the start or after a space."""
    if line.lstrip().startswith("#"):
        return ""
    at = line.find(" #")
    return line if at < 0 else line[:at]


@command("help h ?", "help [COMMAND]", "list the commands, or explain one")
def _(self: Session, rest: str) -> Sequence[str]:
    if rest:
        command = COMMANDS.get(rest)
        if command is None:
            raise UsageError(
                f"unknown command {rest!r}", code="SIM531", hint=did_you_mean(rest, COMMANDS)
            )
        names = ", ".join(command.names[1:])
        return [command.usage, f"  {command.help}", *([f"  also: {names}"] if names else [])]
    every = dict.fromkeys(COMMANDS.values())
    return [
        f"{c.usage:<34} {c.help}" if len(c.usage) <= 34 else f"{c.usage}\n{'':34} {c.help}"
        for c in every
    ]


@command("quit q exit", "quit", "end the session")
def _(self: Session, rest: str) -> Sequence[str]:
    raise Quit

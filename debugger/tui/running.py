"""A command in a thread, so that the panes live while a long move is made."""

from __future__ import annotations

import asyncio
from threading import Event

from ..commands.run import Commands
from ..session import Session

SOON = 0.1
"""Seconds for which the interface waits for a command before it says that the command runs."""


class Running:
    """Runs one command of the language at a time; `stop` ends its move where it is."""

    def __init__(self, session: Session) -> None:
        """Let the moves of a session end when `stop` is called."""
        self.line = ""
        """The command that runs; empty if none does."""
        self._session = session
        self._commands = Commands(session)
        self._asked = Event()
        session.asked = self._asked.is_set

    async def start(self, line: str) -> tuple[asyncio.Task[list[str]], bool]:
        """Start a command. Return its task, and whether it has ended soon."""
        self.line = line.strip() or self._commands.last or "nothing"
        self._asked.clear()
        task = asyncio.create_task(asyncio.to_thread(self._commands.run, line))
        task.add_done_callback(self._end)
        done, _ = await asyncio.wait({task}, timeout=SOON)
        return task, bool(done)

    def _end(self, task: asyncio.Task[list[str]]) -> None:
        self.line = ""

    def stop(self) -> None:
        """End the move that is being made, if there is one."""
        self._asked.set()

    def progress(self) -> str:
        """Return what runs, and where the replay is."""
        session = self._session
        return (
            f"{self.line}: {session.position:,} of {session.timeline.n:,} instructions | "
            "Esc or Ctrl-C ends it here"
        )

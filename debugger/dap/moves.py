"""Moves of the protocol: steps, continue and pause, forwards and backwards."""

from __future__ import annotations

from collections.abc import Callable

from ...isa.errors import UsageError
from ..cursor import Stop
from .client import FOCUS_THREAD, After, Body, Client


class Moves:
    """Answers requests that move the session."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def on_configurationDone(self, arguments: Body, after: After) -> None:
        """Answer `configurationDone`."""
        session = self._client.session
        if self._client.options.get("stopOnEntry", False):
            after.append(lambda: self._client.stopped(Stop("entry", "")))
        else:
            after.append(lambda: self._client.run(session.resume))

    def _move(self, arguments: Body, after: After, move: Callable[[], Stop]) -> None:
        thread = int(arguments.get("threadId", FOCUS_THREAD))
        if thread != FOCUS_THREAD and thread - 2 != self._client.session.warp:
            self._client.session.focus_warp(thread - 2)
        after.append(lambda: self._client.run(move))

    def _steps(self, arguments: Body, *, back: bool) -> Callable[[], Stop]:
        session = self._client.session
        if arguments.get("granularity") == "instruction":
            return lambda: session.step(back=back)
        return lambda: session.line(back=back)

    def on_next(self, arguments: Body, after: After) -> None:
        """Answer `next`."""
        self._move(arguments, after, self._steps(arguments, back=False))

    def on_stepIn(self, arguments: Body, after: After) -> None:
        """Answer `stepIn`."""
        session = self._client.session
        self._move(arguments, after, lambda: session.step())

    def on_stepOut(self, arguments: Body, after: After) -> None:
        """Answer `stepOut`."""
        self._move(arguments, after, self._client.session.finish)

    def on_stepBack(self, arguments: Body, after: After) -> None:
        """Answer `stepBack`."""
        self._move(arguments, after, self._steps(arguments, back=True))

    def on_continue(self, arguments: Body, after: After) -> Body:
        """Answer `continue`."""
        self._move(arguments, after, self._client.session.resume)
        return {"allThreadsContinued": True}

    def on_reverseContinue(self, arguments: Body, after: After) -> None:
        """Answer `reverseContinue`."""
        session = self._client.session
        self._move(arguments, after, lambda: session.resume(back=True))

    def on_pause(self, arguments: Body, after: After) -> None:
        """Answer `pause`. A move that it has interrupted has reported where it has stopped."""
        client = self._client
        _ = client.session
        if not client.was_interrupted:
            after.append(lambda: client.stopped(Stop("pause", "")))
        client.was_interrupted = False

    def on_exceptionInfo(self, arguments: Body, after: After) -> Body:
        """Answer `exceptionInfo`."""
        outcome = self._client.session.recording.facts["outcome"]
        if outcome is None:
            raise UsageError("the run has not trapped", code="SIM531")
        return {
            "exceptionId": outcome["code"], "description": outcome["text"],
            "breakMode": "always",
        }  # fmt: skip

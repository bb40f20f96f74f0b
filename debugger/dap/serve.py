"""Streams and ports on which the Debug Adapter Protocol is served."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from queue import Queue
from threading import Lock, Thread
from typing import Any, BinaryIO

from .adapter import Adapter
from .client import Start
from .wire import BadMessage, Broken, read, write

URGENT = ("pause", "disconnect")
"""Requests that interrupt what is executed."""


def serve(reader: BinaryIO, writer: BinaryIO, start: Start) -> None:
    """Answer the requests of one client until it disconnects."""
    number = 0

    def send(message: dict[str, object]) -> None:
        nonlocal number
        number += 1
        write(writer, {"seq": number, **message})

    inbox = Inbox(reader)
    adapter = Adapter(start, send, inbox.is_urgent)
    try:
        while not adapter.client.has_ended:
            try:
                message = inbox.take()
            except BadMessage as problem:
                adapter.client.complain(str(problem))
                continue
            if message is None:
                return
            adapter.handle(message)
            inbox.done(message)
    except Broken as problem:
        adapter.client.complain(f"{problem}; the session ends")
    except (BrokenPipeError, ConnectionError):
        return


class Inbox:
    """Messages, read by a thread of their own: a pause is noticed while a request is answered."""

    def __init__(self, reader: BinaryIO) -> None:
        self._messages: Queue[dict[str, Any] | Exception | None] = Queue()
        self._urgent = 0
        """Requests that have been read but not answered, and end what is executed meanwhile."""
        self._lock = Lock()
        Thread(target=self._read, args=(reader,), daemon=True).start()

    def _read(self, reader: BinaryIO) -> None:
        while True:
            try:
                message = read(reader)
            except BadMessage as problem:
                self._messages.put(problem)
                continue
            except Exception as problem:  # whatever it is, the other thread has to end
                self._add(1)
                self._messages.put(problem)
                return
            if message is None or message.get("command") in URGENT:
                self._add(1)
            self._messages.put(message)
            # Nothing is read after the last request: a stream that is read cannot be closed.
            if message is None or message.get("command") == "disconnect":
                return

    def _add(self, number: int) -> None:
        with self._lock:
            self._urgent += number

    def is_urgent(self) -> bool:
        """Return whether a client waits for what is executed to end."""
        return self._urgent > 0

    def take(self) -> dict[str, Any] | None:
        """Return the next message; None at the end. Raises BadMessage, Broken, OSError."""
        message = self._messages.get()
        if isinstance(message, Exception):
            raise message
        return message

    def done(self, message: dict[str, Any]) -> None:
        """Note that a message has been answered."""
        if message.get("command") in URGENT:
            self._add(-1)


def on_streams(start: Start) -> None:
    """Serve on stdin and stdout. Whatever else prints goes to stderr meanwhile."""
    with redirect_stdout(sys.stderr):
        serve(sys.stdin.buffer, sys.__stdout__.buffer, start)  # pyright: ignore


def on_port(port: int, start: Start, listening: Callable[[int], None]) -> None:
    """Serve one client on a port of the local host; 0 chooses one. Raises OSError."""
    with socket.create_server(("127.0.0.1", port)) as server:
        listening(server.getsockname()[1])
        connection, _ = server.accept()
    with connection, connection.makefile("rb") as reader, connection.makefile("wb") as writer:
        serve(reader, writer, start)

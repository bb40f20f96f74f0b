"""Streams and ports on which the Debug Adapter Protocol is served."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import BinaryIO

from .adapter import Adapter
from .client import Start
from .wire import BadMessage, Broken, read, write


def serve(reader: BinaryIO, writer: BinaryIO, start: Start) -> None:
    """Answer the requests of one client until it disconnects."""
    number = 0

    def send(message: dict[str, object]) -> None:
        nonlocal number
        number += 1
        write(writer, {"seq": number, **message})

    adapter = Adapter(start, send)
    try:
        while not adapter.client.has_ended:
            try:
                message = read(reader)
            except BadMessage as problem:
                adapter.client.complain(str(problem))
                continue
            if message is None:
                return
            adapter.handle(message)
    except Broken as problem:
        adapter.client.complain(f"{problem}; the session ends")
    except (BrokenPipeError, ConnectionError):
        return


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

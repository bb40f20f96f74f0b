"""Messages of the Debug Adapter Protocol on a stream: a header with a length, then JSON."""

from __future__ import annotations

import json
from typing import Any, BinaryIO

MOST_BYTES = 1 << 26
"""The longest message that is read."""

MOST_HEADERS = 1 << 12


class BadMessage(Exception):
    """A message that cannot be read; the stream is at the end of it."""


class Broken(Exception):
    """The stream has no further messages that could be found."""


def read(stream: BinaryIO) -> dict[str, Any] | None:
    """Return the next message; None at the end of the stream. Raises BadMessage and Broken."""
    length: int | None = None
    size = 0
    while True:
        line = stream.readline(MOST_HEADERS)
        if not line:
            return None
        size += len(line)
        if size > MOST_HEADERS:
            raise Broken("the header of a message is too long")
        text = line.decode("ascii", "replace").strip()
        if not text and length is not None:
            break
        name, _, value = text.partition(":")
        if name.strip().lower() == "content-length":
            if not value.strip().isdigit() or int(value) > MOST_BYTES:
                raise Broken(f"a message cannot have the length {value.strip()!r}")
            length = int(value)
    body = b""
    while len(body) < length:
        part = stream.read(length - len(body))
        if not part:
            return None
        body += part
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as problem:
        raise BadMessage(f"a message is not JSON: {problem}") from None
    if not isinstance(found, dict):
        raise BadMessage("a message is not a JSON object")
    return found


def write(stream: BinaryIO, message: dict[str, Any]) -> None:
    """Write a message."""
    body = json.dumps(message, separators=(",", ":")).encode()
    stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    stream.flush()

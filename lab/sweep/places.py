"""Places in a TOML file: where a key or a value was written, for messages."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from ...isa.errors import Span, UsageError

MAX_BYTES = 1 << 20


class SweepError(UsageError):
    """A sweep has a mistake, or cannot be run."""

    code = "SIM551"


_HEADER = re.compile(r"\s*\[\[?\s*([\w.\-\"' ]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""\s*("[^"]*"|'[^']*'|[\w\-]+(?:\.[\w\-]+)*)\s*=""")


class Places:
    """The lines of a file. Values are found by their text, in the lines after their key."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.lines = text.splitlines()
        self._keys: dict[tuple[str, str], list[int]] = {}
        table = ""
        for number, line in enumerate(self.lines):
            if header := _HEADER.match(line):
                table = header[1].strip("\"' ")
                self._keys.setdefault((table, ""), []).append(number)
            elif key := _KEY.match(line):
                self._keys.setdefault((table, key[1].strip("\"'")), []).append(number)

    def of(self, table: str, key: str = "", value: object = None, nth: int = 0) -> Span | None:
        """Return where a key is, or a value of it; `nth` counts tables of one name from 0."""
        starts = self._keys.get((table, key), [])
        if nth >= len(starts):
            return None
        first = starts[nth]
        found = self._find(value, first, key) if value is not None else None
        return found or self._key_place(first, key or table)

    def after(self, place: Span, key: str) -> Span:
        """Return where a key is in the table that begins at `place`; else that place."""
        for number in range(place.line, len(self.lines)):
            if _HEADER.match(self.lines[number]):
                break
            match = _KEY.match(self.lines[number])
            if match and match[1].strip("\"'") == key:
                return self._key_place(number, key)
        return place

    def _key_place(self, number: int, key: str) -> Span:
        line = self.lines[number]
        column = max(0, line.find(key))
        return Span(self.file, number + 1, column + 1, max(1, len(key)), line)

    def _find(self, value: object, first: int, key: str) -> Span | None:
        words = [f'"{value}"', f"'{value}'"] if isinstance(value, str) else [_written(value)]
        end = next(
            (n for n in range(first + 1, len(self.lines)) if _is_start(self.lines[n])),
            len(self.lines),
        )
        for number in range(first, end):
            line = self.lines[number]
            begin = line.index("=", line.find(key)) + 1 if number == first else 0
            for word in words:
                match = re.compile(rf"(?<![\w.]){re.escape(word)}(?![\w.])").search(line, begin)
                if match:
                    return Span(self.file, number + 1, match.start() + 1, len(word), line)
        return None


def _is_start(line: str) -> bool:
    return bool(_HEADER.match(line) or _KEY.match(line))


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_toml(path: Path) -> tuple[dict[str, Any], Places]:
    """Return the content of a TOML file and its places. Raises SweepError, UsageError."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise UsageError(f"cannot read {path}: {reason}", code="SIM510") from None
    if len(data) > MAX_BYTES:
        raise SweepError(f"{path} is larger than {MAX_BYTES >> 20} MiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SweepError(f"{path} is not UTF-8 text") from None
    places = Places(str(path), text)
    try:
        return tomllib.loads(text), places
    except tomllib.TOMLDecodeError as problem:
        message, span = _toml_error(str(problem), places)
        raise SweepError(f"{path} is not TOML: {message}", span=span) from None
    except RecursionError:
        raise SweepError(f"{path}: tables or arrays are nested too deeply") from None


def _toml_error(text: str, places: Places) -> tuple[str, Span | None]:
    """Return the message without its place, and the place."""
    match = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", text)
    if not match:
        return text, None
    message = text[: match.start()]
    line = int(match[1]) if match[1] else max(1, len(places.lines))
    source = places.lines[line - 1] if line <= len(places.lines) else ""
    column = int(match[2]) if match[2] else len(source) + 1
    return message[:1].lower() + message[1:], Span(places.file, line, column, 1, source)

"""Source texts: reading them, their names, their lines, and places in them."""

from __future__ import annotations

import codecs
import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...isa.errors import Diagnostic, Edit, Note, SourceError, Span, Suggestion
from ...isa.objectfile import MAX_FILE_NAME
from ...isa.program import Location

TEXT = "<text>"
"""The name of a source that is not a file."""

MAX_BYTES = 1 << 26
"""Most bytes of one source file, or characters of a text."""

MAX_LINES = 1 << 20
"""Most lines of one source: a minute and 1.7 GB."""

MAX_COLUMN = 0xFFFF
"""The last column of a line table; everything beyond counts as there."""

_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters, other line ends, and what makes a line look different from what it is."""


@dataclass(eq=False)
class SourceFile:
    """A source text.

    `name` is the name in the object file: relative to the folder of the main source, so that it
    does not depend on the current directory. `shown` is the name in messages of the assembler:
    relative to the current directory where that is possible. `path` is None for a text.
    """

    name: str
    shown: str
    path: Path | None
    text: str
    included: tuple[Note, ...] = ()
    """Where the file was first included, from the inside out."""
    mark: int = 0
    """Bytes of the byte order mark before the text."""
    lines: list[str] = field(init=False)
    raw: str = field(init=False)
    """The text with its own line ends."""

    def __post_init__(self) -> None:
        self.raw = self.text
        self.text = self.text.replace("\r\n", "\n")
        self.lines = self.text.split("\n")

    def span(self, line: int, column: int, length: int) -> Span:
        """Return a place in this text, 1-based, with the text of its line."""
        text = self.lines[line - 1] if line <= len(self.lines) else None
        return Span(self.shown, line, column, max(1, length), text)

    def with_bytes(self, span: Span) -> Span:
        """Return a place in this text with its range of bytes."""
        lines = self.raw.split("\n")
        before = sum(_utf8(line) + 1 for line in lines[: span.line - 1])
        text = lines[span.line - 1] if span.line <= len(lines) else ""
        start = self.mark + before + _utf8(text[: span.column - 1])
        marked = text[span.column - 1 : span.column - 1 + span.length].removesuffix("\r")
        return replace(span, bytes=(start, start + _utf8(marked)))


def _utf8(text: str) -> int:
    """Return the number of bytes of a text in UTF-8, which may have lone surrogates."""
    return len(text.encode("utf-8", "surrogatepass"))


class Mistake(Exception):
    """What is wrong with a statement, placed by offsets into its line.

    `at` has an offset into the text of the statement and a number of characters; None means the
    whole statement. `unknown` is the name that was not found, so that it is not reported if the
    definition of that name has an error.
    """

    def __init__(
        self,
        code: str,
        message: str,
        at: tuple[int, int] | None = None,
        label: str = "",
        hint: str = "",
        notes: tuple[Note, ...] = (),
        unknown: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.at = at
        self.label = label
        self.hint = hint
        self.notes = notes
        self.unknown = unknown

    def moved(self, by: int, whole: tuple[int, int]) -> Mistake:
        """Move the mistake to a text in which its own begins after `by` characters.

        `whole` is the place there of all of its text.
        """
        self.at = whole if self.at is None else (self.at[0] + by, self.at[1])
        return self


class Line:
    """The text of one statement: a line of a file, or several if its brackets span lines."""

    __slots__ = ("file", "number", "text")

    def __init__(self, file: SourceFile, number: int, text: str) -> None:
        self.file = file
        self.number = number
        self.text = text

    def span(self, start: int, length: int) -> Span:
        """Return the place of `length` characters from offset `start` on."""
        text = self.text
        if "\n" not in text:
            return Span(self.file.shown, self.number, start + 1, length, text)
        row = text.count("\n", 0, start)
        column = start - (text.rfind("\n", 0, start) + 1)
        source = text.split("\n")[row]
        length = max(1, min(length, len(source) - column))
        return Span(self.file.shown, self.number + row, column + 1, length, source)

    def whole(self) -> tuple[int, int]:
        """Return offset and length of the first line without indentation and comment."""
        code = self.text
        for end in ("\n", "//"):
            if end in code:
                code = code[: code.index(end)]
        code = code.rstrip()
        start = len(code) - len(code.lstrip())
        return start, max(1, len(code) - start)

    def is_written(self, start: int, length: int) -> bool:
        """Return whether a part of the statement is in the file as it is here."""
        return True

    def location(self, file_number: int, start: int) -> Location:
        """Return the entry of the line table for a statement that begins at offset `start`."""
        return Location(file_number, self.number, min(start + 1, MAX_COLUMN))

    @property
    def origin(self) -> SourceFile:
        """The file that the line table names for this line."""
        return self.file

    def notes(self) -> tuple[Note, ...]:
        """Return the notes on how the line got here: its includes."""
        return self.file.included

    def diagnostic(self, mistake: Mistake) -> Diagnostic:
        """Return the message about a mistake in this line."""
        start, length = self.whole() if mistake.at is None else mistake.at
        span = self.span(start, max(1, length))
        edits: tuple[Edit, ...] = ()
        if isinstance(mistake.hint, Suggestion) and self.is_written(start, length):
            edits = (Edit(span, mistake.hint.replacement),)
        return Diagnostic(
            mistake.code,
            mistake.message,
            span,
            mistake.label,
            mistake.hint,
            (*mistake.notes, *self.notes()),
            edits=edits,
        )


def open_text(text: str, name: str = TEXT, path: Path | None = None) -> SourceFile:
    """Return a source that was given as text, such as one that an editor has not saved.

    Raises SourceError if it is too large or is not a text.
    """
    _check_size(text, len(text), name)
    return _checked(SourceFile(name, name, path, text))


def object_name(path: Path) -> str:
    """Return the name of the main source in the object file; `_` replaces other characters."""
    name = "".join(c if c.isprintable() and c not in '"\\:' else "_" for c in path.name)
    return name[:MAX_FILE_NAME] or "_"


def open_file(path: Path, name: str, where: Span | None = None) -> SourceFile:
    """Read a source file; `name` is its name in the object file, `where` the `.include`.

    Raises SourceError if it cannot be read, is too large or is not a text.
    """
    shown = _shown(path, name)
    code = "SIM135" if where else "SIM510"
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as problem:
        reason = (problem.strerror or "it cannot be read").lower()
        raise SourceError(f"cannot read {shown}: {reason}", span=where, code=code) from None
    except ValueError:
        raise SourceError(
            f"{str(path)!r} cannot be the name of a file", span=where, code=code
        ) from None
    _check_size(data, len(data), shown, where)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise SourceError(diagnostics=(_not_utf8(data, problem, shown),)) from None
    mark = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    return _checked(SourceFile(name, shown, path, text, mark=mark))


def _check_size(source: str | bytes, size: int, shown: str, where: Span | None = None) -> None:
    """Refuse a source that would take long to assemble. Raises SourceError."""
    if size > MAX_BYTES:
        most = f"is larger than {MAX_BYTES >> 20} MiB"
    elif (source.count("\n") if isinstance(source, str) else source.count(b"\n")) > MAX_LINES:
        most = f"has more than {MAX_LINES:,} lines"
    else:
        return
    raise SourceError(
        f"{shown} {most}, the most for one source",
        span=where,
        code="SIM145",
        hint="a kernel with so much code is a loop, or several kernels in files of their own",
    )


def _not_utf8(data: bytes, problem: UnicodeDecodeError, shown: str) -> Diagnostic:
    before = data[: problem.start]
    begin = before.rfind(b"\n") + 1
    end = data.find(b"\n", problem.start)
    line = data[begin : end if end >= 0 else len(data)].rstrip(b"\r")
    column = len(before[begin:].decode("utf-8", "replace")) + 1
    return Diagnostic(
        "SIM101",
        f"{shown} is not UTF-8 text: byte {data[problem.start]:#04x} is not allowed here",
        Span(
            shown,
            before.count(b"\n") + 1,
            column,
            1,
            line.decode("utf-8", "replace"),
            (problem.start, problem.start + 1),
        ),
        label="not UTF-8",
        hint="save the file as UTF-8; an object file (.sbc) is read by `simtlab disasm`",
    )


def _shown(path: Path, name: str) -> str:
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):  # the current directory is gone, or on another drive
        relative = ".."
    shown = name if relative.startswith("..") else Path(relative).as_posix()
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in shown)


def _checked(file: SourceFile) -> SourceFile:
    """Refuse characters that no editor shows, or that end a line elsewhere only."""
    found = _FORBIDDEN.search(file.text)
    if found is None:
        return file
    line = file.text.count("\n", 0, found.start()) + 1
    column = found.start() - file.text.rfind("\n", 0, found.start())
    shown = _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", file.lines[line - 1])
    raise SourceError(
        diagnostics=(
            Diagnostic(
                "SIM101",
                f"the character U+{ord(found.group()):04X} is not allowed in a source text",
                file.with_bytes(Span(file.shown, line, column, 1, shown)),
                label="an invisible character",
                hint="remove it; a source text has visible characters, spaces, tabs and line ends",
            ),
        )
    )

"""Places in a text as the protocol counts them: lines from 0, and units of an encoding.

A position counts UTF-16 units unless client and server have agreed on another encoding. The
assembler counts characters.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol.types import Position, PositionEncodingKind, Range

from ...isa.errors import Span

_CODECS = {
    PositionEncodingKind.Utf8: ("utf-8", 1),
    PositionEncodingKind.Utf16: ("utf-16-le", 2),
    PositionEncodingKind.Utf32: ("utf-32-le", 4),
}
"""By encoding: its codec, and the bytes of a unit."""


class Positions:
    """The places of one text."""

    def __init__(
        self,
        lines: Sequence[str],
        encoding: PositionEncodingKind | str = PositionEncodingKind.Utf16,
    ) -> None:
        self.lines = lines
        self.codec, self.width = _CODECS[PositionEncodingKind(encoding)]

    def units(self, text: str) -> int:
        """Return the length of a text in units."""
        return len(text.encode(self.codec, "surrogatepass")) // self.width

    def place(self, line: int, column: int) -> Position:
        """Return the position of a line from 1 on and a column in characters from 0 on."""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return Position(line - 1, self.units(text[:column]))

    def range(self, line: int, column: int, length: int) -> Range:
        """Return the range of some characters of a line."""
        return Range(self.place(line, column), self.place(line, column + length))

    def of(self, span: Span) -> Range:
        """Return the range of a place of a message."""
        return self.range(span.line, span.column - 1, span.length)

    def line(self, line: int) -> Range:
        """Return the range of a whole line from 1 on."""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return self.range(line, 0, len(text))

    def everything(self) -> Range:
        """Return the range of the whole text."""
        return Range(Position(0, 0), self.place(len(self.lines), len(self.lines[-1])))

    def column(self, position: Position) -> tuple[int, int]:
        """Return the line from 1 on and the column in characters from 0 on of a position.

        A position after the end of its line means the end.
        """
        number = position.line + 1
        text = self.lines[position.line] if position.line < len(self.lines) else ""
        units = 0
        for column, character in enumerate(text):
            if units >= position.character:
                return number, column
            units += self.units(character)
        return number, len(text)

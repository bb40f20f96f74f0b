"""The line table: file, line and column of every instruction."""

from __future__ import annotations

from ...isa.objectfile import is_file_name
from ...isa.program import Location
from ..syntax.parse import Statement
from ..syntax.shapes import Word
from ..syntax.values import literal
from ..texts.source import MAX_COLUMN, Line, Mistake

_MAX_FILES = 0xFFFF
_MAX_LINE = 0xFFFF_FFFF


class Locations:
    """Gives out locations and numbers their files in the order of first use.

    That order depends on the instructions alone, so a disassembly with `.loc` gives the same one.
    """

    def __init__(self, files: list[str]) -> None:
        self._files = files
        self._numbers: dict[str, int] = {}
        self._next: tuple[str, int, int] | None = None

    def of(self, line: Line, start: int) -> Location:
        """Return the location of an instruction that begins at offset `start` of a line."""
        if self._next is not None:
            file, number, column = self._next
            self._next = None
            return Location(self._number(file), number, column)
        return line.location(self._number(line.origin.name), start)

    def set_next(self, statement: Statement) -> None:
        """Take the place of the next instruction from a `.loc`. Raises Mistake."""
        _, file, line, column = statement.parts
        assert isinstance(file, Word) and isinstance(line, Word) and isinstance(column, Word)
        name = file.text[1:-1]
        if not is_file_name(name):
            raise Mistake(
                "SIM141",
                f"{file.text} is not a relative file name",
                file.at,
                "not possible in an object file",
            )
        self._next = (name, _number(line, _MAX_LINE), _number(column, MAX_COLUMN))

    def _number(self, file: str) -> int:
        number = self._numbers.get(file)
        if number is None:
            number = len(self._files)
            if number > _MAX_FILES:
                raise Mistake("SIM145", f"instructions come from more than {_MAX_FILES} files")
            self._files.append(file)
            self._numbers[file] = number
        return number


def _number(word: Word, most: int) -> int:
    value = literal(word)
    if not isinstance(value, int) or not 1 <= value <= most:
        raise Mistake(
            "SIM141", f"{word.text} is not a line or column", word.at, f"must be from 1 to {most}"
        )
    return value

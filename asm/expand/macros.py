"""Macros: their definition, and the lines that replace a use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ...isa.errors import Note, Span, Suggestion, did_you_mean
from ...isa.program import Location
from ...isa.table import BY_NAME
from ..syntax.parse import Statement
from ..syntax.shapes import Word, scan
from ..texts.source import Line, Mistake, SourceFile

MAX_TEXT = 4096
"""Longest line after the arguments are in: uses inside uses can double it each time."""

_HOLE = re.compile(r'//.*|"[^"]*"|\'(?:\\.|[^\'\\])*\'|\\([A-Za-z_]\w*)|@([A-Za-z_][A-Za-z0-9_.]*)')
_LABEL = re.compile(r"\s*@([A-Za-z_][A-Za-z0-9_.]*)\s*(?::|//|$)")


class Hole(NamedTuple):
    """A place in a line of a macro that a use fills: a parameter, or a label of the macro."""

    start: int
    end: int
    parameter: int | None
    label: str


@dataclass(frozen=True, slots=True, eq=False)
class Macro:
    """A macro: each line of its body with the holes in it. `statement` is its definition."""

    name: str
    parameters: tuple[str, ...]
    body: tuple[tuple[Line, tuple[Hole, ...]], ...]
    statement: Statement


def define(statement: Statement) -> Macro:
    """Return the macro of a `.macro` statement. Raises Mistake."""
    words = [part for part in statement.parts[1:] if isinstance(part, Word)]
    name, parameters = words[0], tuple(word.text for word in words[1:])
    if name.text in BY_NAME:
        raise Mistake(
            "SIM134",
            f"`{name.text}` is an instruction and cannot be the name of a macro",
            name.at,
            "an instruction",
        )
    for index, word in enumerate(words[1:]):
        if word.text in parameters[:index]:
            raise Mistake(
                "SIM111",
                f"the macro `{name.text}` has two parameters `{word.text}`",
                word.at,
                "defined again",
            )
    local = {m.group(1) for line in statement.body if (m := _LABEL.match(line.text))}
    body = tuple(
        (line, tuple(_holes(statement, line, parameters, local))) for line in statement.body
    )
    return Macro(name.text, parameters, body, statement)


def _holes(
    statement: Statement, line: Line, parameters: tuple[str, ...], local: set[str]
) -> Iterator[Hole]:
    for match in _HOLE.finditer(line.text):
        parameter, label = match.groups()
        if label in local:
            yield Hole(*match.span(), None, label)
        elif parameter in parameters:
            yield Hole(*match.span(), parameters.index(parameter), "")
        elif parameter:
            start, length = statement.parts[1].at
            raise UnknownParameter(
                line,
                Mistake(
                    "SIM133",
                    f"the macro has no parameter `{parameter}`",
                    (match.start(), match.end() - match.start()),
                    "unknown",
                    _near(parameter, parameters)
                    or "parameters follow the macro's name: .macro name a, b",
                    notes=(Note("the macro begins here", statement.line.span(start, length)),),
                ),
            )


def _near(parameter: str, parameters: tuple[str, ...]) -> str:
    """Return a hint with a parameter that is similar, or an empty text."""
    near = did_you_mean(parameter, parameters)
    return Suggestion.of(near, f"\\{near.replacement}") if isinstance(near, Suggestion) else ""


class UnknownParameter(Exception):
    """A mistake in the body of a macro, which is another line than its definition."""

    def __init__(self, line: Line, mistake: Mistake) -> None:
        super().__init__(mistake.message)
        self.line = line
        self.mistake = mistake


class Argument(NamedTuple):
    """The text of an argument and its place in the line of the use."""

    text: str
    start: int


def arguments(macro: Macro, statement: Statement) -> tuple[Argument, ...]:
    """Return the arguments of a use: the texts between the commas. Raises Mistake."""
    text = statement.line.text
    words = scan(text)[1:]
    found: list[Argument] = []
    depth, first = 0, 0
    for index in range(len(words) + 1):
        kind = words[index].kind if index < len(words) else "COMMA"
        depth += (kind == "LPAR") - (kind == "RPAR")
        if kind == "COMMA" and depth == 0 and index > first:
            start, last = words[first].start, words[index - 1]
            found.append(Argument(text[start : last.start + len(last.text)], start))
            first = index + 1
    if len(found) != len(macro.parameters):
        names = ", ".join(macro.parameters)
        raise Mistake(
            "SIM132",
            f"the macro `{macro.name}` takes {_count(len(macro.parameters), 'argument')}, "
            f"{len(found) or 'none'} {'is' if len(found) == 1 else 'are'} given",
            statement.parts[0].at,
            f"takes {names}" if names else "takes no arguments",
            notes=(Note("defined here", macro.statement.line.span(*macro.statement.parts[1].at)),),
        )
    return tuple(found)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}" if number else f"no {what}s"


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """One use of a macro; `number` makes its labels its own."""

    macro: Macro
    statement: Statement
    arguments: tuple[Argument, ...]
    number: int

    def lines(self) -> Iterator[ExpandedLine]:
        """Yield the lines that replace the use."""
        for line, holes in self.macro.body:
            yield ExpandedLine(line, holes, self)

    def text_of(self, hole: Hole) -> str:
        """Return the text that fills a hole."""
        if hole.parameter is None:
            return f"@{self.macro.name}.{self.number}.{hole.label}"
        return self.arguments[hole.parameter].text


class _Filled(NamedTuple):
    """A filled hole: from `start` to `end` in the expanded text."""

    start: int
    end: int
    hole: Hole


class ExpandedLine(Line):
    """A line of a macro with its holes filled; its places are those of the macro's body."""

    __slots__ = ("_filled", "body", "use")

    def __init__(self, body: Line, holes: tuple[Hole, ...], use: Use) -> None:
        self.body = body
        self.use = use
        self._filled: list[_Filled] = []
        text, end = "", 0
        for hole in holes:
            text += body.text[end : hole.start]
            start = len(text)
            text += use.text_of(hole)
            self._filled.append(_Filled(start, len(text), hole))
            end = hole.end
        text += body.text[end:]
        super().__init__(body.file, body.number, text)
        if len(text) > MAX_TEXT:
            raise Mistake(
                "SIM131",
                f"a line of the macro `{use.macro.name}` has {len(text)} characters with its "
                f"arguments; at most {MAX_TEXT} are allowed",
            )

    def span(self, start: int, length: int) -> Span:
        """Return the place in the macro's body; a parameter counts as a whole."""
        begin = self._in_body(start)[0]
        end = self._in_body(start + max(1, length) - 1)[1]
        return self.body.span(begin, end - begin)

    def is_written(self, start: int, length: int) -> bool:
        """Return whether a part of the line is in the body, and not filled in."""
        end = start + length
        return not any(start < filled.end and filled.start < end for filled in self._filled)

    def _in_body(self, offset: int) -> tuple[int, int]:
        """Return begin and end in the body for an offset of the expanded text."""
        shift = 0
        for start, end, hole in self._filled:
            if offset < start:
                break
            if offset < end:
                return hole.start, hole.end
            shift = hole.end - end
        return offset + shift, offset + shift + 1

    def location(self, file_number: int, start: int) -> Location:
        """Return the location of the outermost use, which is the line of the kernel."""
        outer = self.use.statement
        return outer.line.location(file_number, outer.start)

    @property
    def origin(self) -> SourceFile:
        """The file of the outermost use."""
        return self.use.statement.line.origin

    def notes(self) -> tuple[Note, ...]:
        """Return notes on the line with its arguments, and on the chain of uses."""
        reads = ()
        if any(filled.hole.parameter is not None for filled in self._filled):
            reads = (Note(f"with its arguments the line reads `{_code(self.text)}`"),)
        return (*reads, *self.chain())

    def chain(self) -> tuple[Note, ...]:
        """Return the uses from the innermost to the outermost."""
        use = self.use.statement
        start, length = use.parts[0].at
        note = Note(
            f"in this use of the macro `{self.use.macro.name}`", use.line.span(start, length)
        )
        outer = use.line.chain() if isinstance(use.line, ExpandedLine) else use.line.notes()
        return (note, *outer)


def _code(text: str) -> str:
    return text.split("//", 1)[0].strip()

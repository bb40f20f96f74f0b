"""Names in a source: where they are defined and used.

Names are found by the assembler's scanner line by line, so that a line with an error hides its own
names only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from ...asm.syntax.parse import ends_macro, lines_of
from ...asm.syntax.shapes import Word, tokens
from ...asm.texts.source import Line, SourceFile
from ...asm.words import CONSTANTS, DIRECTIVES, FLAGS, TYPE_NAMES
from ...isa.table import BY_NAME


class Kind(Enum):
    """What a name names."""

    KERNEL = "kernel"
    MACRO = "macro"
    CONSTANT = "constant"
    READONLY = "readonly array"
    ARRAY = "array"
    LABEL = "label"
    PARAMETER = "parameter"
    REGISTER = "register"
    ARGUMENT = "parameter of the macro"
    INCLUDE = "included file"
    INSTRUCTION = "instruction"
    DIRECTIVE = "directive"
    NAME = "name"
    """A constant or an array: which one depends on what is declared."""


LOCAL = frozenset({Kind.ARRAY, Kind.LABEL, Kind.PARAMETER, Kind.REGISTER, Kind.ARGUMENT})
"""Kinds that are known in one kernel or macro only."""

_VALUES = (Kind.ARRAY, Kind.CONSTANT, Kind.READONLY)
"""What a NAME may be, the nearest first."""


class Occurrence(NamedTuple):
    """A name in a source. `line` is 1-based, `column` counts characters from 0.

    `scope` is the line at which the kernel or macro around it begins, 0 outside. A register is
    defined where an instruction writes it.
    """

    kind: Kind
    name: str
    file: str
    line: int
    column: int
    length: int
    scope: int
    is_definition: bool


@dataclass(frozen=True)
class Scope:
    """A kernel or macro from its first to its last line."""

    kind: Kind
    name: str
    begin: int
    end: int


class Index:
    """The names of some files; the first one is the open document."""

    def __init__(self, files: Iterable[SourceFile]) -> None:
        self.occurrences: list[Occurrence] = []
        self.scopes: list[Scope] = []
        for number, file in enumerate(files):
            finder = _Finder(file)
            self.occurrences += finder.find()
            if number == 0:
                self.scopes = finder.scopes
        self._defined: dict[str, list[Occurrence]] = {}
        for o in self.occurrences:
            if o.is_definition:
                self._defined.setdefault(o.name, []).append(o)

    def at(self, file: str, line: int, column: int) -> Occurrence | None:
        """Return the name at a place; where two names meet, the one that begins there."""
        found = [
            o
            for o in self.occurrences
            if o.file == file and o.line == line and o.column <= column <= o.column + o.length
        ]
        return found[-1] if found else None

    def same(self, wanted: Occurrence) -> list[Occurrence]:
        """Return every occurrence of what a name names, in the order of the sources."""
        kind, scope = self._meaning(wanted)
        named = (o for o in self.occurrences if o.name == wanted.name)
        return [o for o in named if self._is(o, kind, scope, wanted)]

    def definitions(self, wanted: Occurrence) -> list[Occurrence]:
        """Return where a name is defined: of a register, the first write in the kernel.

        A macro uses names of the kernels that use it: all that fit are returned.
        """
        found = [o for o in self.same(wanted) if o.is_definition]
        if wanted.kind is Kind.REGISTER:
            return found[:1]
        kind = Kind.ARRAY if wanted.kind is Kind.NAME else wanted.kind
        return found or [o for o in self._defined.get(wanted.name, ()) if o.kind is kind]

    def named(self, kinds: Iterable[Kind], line: int) -> list[Occurrence]:
        """Return the definitions of these kinds that are known at a line of the document."""
        wanted, scope = set(kinds), self.scope_at(line)
        return [
            o
            for o in self.occurrences
            if o.is_definition and o.kind in wanted and (o.kind not in LOCAL or o.scope == scope)
        ]

    def scope_at(self, line: int) -> int:
        """Return where the kernel or macro around a line begins; 0 outside."""
        return next((s.begin for s in self.scopes if s.begin <= line <= s.end), 0)

    def _meaning(self, wanted: Occurrence) -> tuple[Kind, int]:
        """Return kind and scope of what an occurrence names."""
        if wanted.kind is not Kind.NAME:
            return wanted.kind, wanted.scope
        for kind in _VALUES:
            for o in self._defined.get(wanted.name, ()):
                is_here = (o.file, o.scope) == (wanted.file, wanted.scope)
                if o.kind is kind and (is_here or kind is not Kind.ARRAY):
                    return kind, wanted.scope
        return Kind.NAME, wanted.scope

    def _is(self, other: Occurrence, kind: Kind, scope: int, wanted: Occurrence) -> bool:
        if other.kind is Kind.NAME:
            found, where = self._meaning(other)
        else:
            found, where = other.kind, other.scope
        is_local = kind in LOCAL
        return found is kind and (not is_local or (where == scope and other.file == wanted.file))


class _Finder:
    """Finds the names of one file, line after line."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self.scopes: list[Scope] = []
        self.scope: Scope | None = None

    def find(self) -> Iterator[Occurrence]:
        """Yield the names in the order of the text."""
        for line in lines_of(self.file):
            words = [word for word in tokens(line.text) if word.kind != "COMMENT"]
            if not words:
                continue
            self._enter(line, words[0].kind, words)
            for kind, word, is_definition in self._names(words):
                yield self._occurrence(line, kind, word, is_definition)
            self._leave(line, words)
        if self.scope is not None:
            self._close(len(self.file.lines))

    def _enter(self, line: Line, kind: str, words: Sequence[Word]) -> None:
        if kind in ("KERNEL", "MACRO"):
            if self.scope is not None:
                self._close(line.number - 1)
            name = words[1].text if len(words) > 1 else ""
            opened = Kind.KERNEL if kind == "KERNEL" else Kind.MACRO
            self.scope = Scope(opened, name, line.number, line.number)

    def _leave(self, line: Line, words: Sequence[Word]) -> None:
        if ends_macro(line) or words[0].kind == "RBRACE":
            self._close(line.number)

    def _close(self, end: int) -> None:
        if self.scope is not None:
            self.scopes.append(Scope(self.scope.kind, self.scope.name, self.scope.begin, end))
            self.scope = None

    def _occurrence(self, line: Line, kind: Kind, word: Word, is_definition: bool) -> Occurrence:
        before = line.text[: word.start]
        added = kind is Kind.ARGUMENT and is_definition  # the backslash of its name
        return Occurrence(
            kind,
            word.text,
            self.file.shown,
            line.number + before.count("\n"),
            word.start - (before.rfind("\n") + 1),
            len(word.text) - added,
            self.scope.begin if self.scope and kind is not Kind.KERNEL else 0,
            is_definition,
        )

    def _names(self, words: Sequence[Word]) -> Iterator[tuple[Kind, Word, bool]]:
        """Yield kind and word of each name of a statement, and whether it is defined there."""
        first = words[0].kind
        row = BY_NAME.get(words[0].text) if first == "NAME" else None
        writes = row is not None and row.dst is not None
        for index, word in enumerate(_with_inside(words)):
            kind = word.kind
            if kind in DIRECTIVES or kind == "KERNEL":
                yield Kind.DIRECTIVE, word, False
            elif kind == "LABEL" and not word.text[1].isdigit():
                yield Kind.LABEL, word, first == "LABEL"
            elif kind == "PARAMETER":
                yield Kind.PARAMETER, word, first == "KERNEL"
            elif kind == "REGISTER" and len(word.text) > 2:
                yield Kind.REGISTER, word, writes and index == 1
            elif kind == "HOLE":
                yield Kind.ARGUMENT, word, False
            elif kind == "STRING" and first == "INCLUDE":
                yield Kind.INCLUDE, word, False
            elif kind == "NAME":
                yield from self._name(first, index, word)

    def _name(self, first: str, index: int, word: Word) -> Iterator[tuple[Kind, Word, bool]]:
        defined = {
            ("KERNEL", 1): Kind.KERNEL,
            ("MACRO", 1): Kind.MACRO,
            ("CONST", 1): Kind.CONSTANT,
            ("READONLY", 2): Kind.READONLY,
            ("GROUP", 2): Kind.ARRAY,
            ("PRIVATE", 2): Kind.ARRAY,
        }.get((first, index))
        if defined is not None:
            yield defined, word, True
        elif first == "MACRO":
            yield Kind.ARGUMENT, Word("\\" + word.text, word.kind, word.start), True
        elif first == "NAME" and index == 0:
            yield (Kind.INSTRUCTION if word.text in BY_NAME else Kind.MACRO), word, False
        elif word.text not in TYPE_NAMES and word.text not in (*FLAGS, *CONSTANTS):
            yield Kind.NAME, word, False


def _with_inside(words: Sequence[Word]) -> Iterator[Word]:
    r"""Yield the words with those in brackets; a macro's `\a` is one word HOLE."""
    backslash: Word | None = None
    for word in words:
        if word.kind == "BRACKETS":
            inside = tokens(word.text[1:-1])
            yield from _with_inside([w._replace(start=w.start + word.start + 1) for w in inside])
        elif word.text == "\\":
            backslash = word
        elif backslash is not None and backslash.start + 1 == word.start:
            yield Word("\\" + word.text, "HOLE", backslash.start)
            backslash = None
        else:
            yield word

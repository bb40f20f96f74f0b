"""Includes, constants and macros: the second pass.

What comes out is one flat list of statements without them. A macro works on text: a line of its
body gets the arguments in place of its parameters and is parsed then, so a parameter may be any
part of a line, also of a mnemonic.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ...isa.errors import Note, SourceError, Span
from ...isa.objectfile import is_file_name
from ...isa.table import BY_NAME
from ..syntax.names import check_name
from ..syntax.parse import Parser, Statement
from ..syntax.shapes import Word
from ..syntax.values import Value, evaluate
from ..texts.collector import Collector
from ..texts.source import Mistake, SourceFile, open_file
from .macros import ExpandedLine, Macro, UnknownParameter, Use, arguments, define

MAX_DEPTH = 64
"""Files, or macro uses, inside each other."""

MAX_STATEMENTS = 1 << 20
"""Statements after expansion; a branch reaches 2^21 instructions."""

MAX_EXPANDED = 100_000
"""Lines that macros may produce in one run."""

MAX_INCLUDES = 10_000
"""Includes in one run, those of files that are included again counted again."""

MAX_CLIMB = 4
"""Folders that an include may go up from the folder of the main source."""

_ENDING = ".sinc"


@dataclass(slots=True)
class Expanded:
    """The flat statements of a source, and the names that hold for all of them.

    `incomplete` says that definitions are missing because of an error that was reported.
    """

    statements: list[Statement] = field(default_factory=list)
    constants: dict[str, Value] = field(default_factory=dict)
    defined: dict[str, Statement] = field(default_factory=dict)
    macros: dict[str, Macro] = field(default_factory=dict)
    files: dict[str, SourceFile] = field(default_factory=dict)
    unusable: set[str] = field(default_factory=set)
    incomplete: bool = False

    def give_up(self, statement: Statement) -> None:
        """Suppress later errors about the names in a statement that was refused."""
        self.unusable.update(p.text for p in statement.parts if isinstance(p, Word))

    def excuses(self, name: str) -> bool:
        """Return whether a name may be unknown because of an error that was reported."""
        names = (name, name.removeprefix("@"))  # `done:` was to define @done
        return self.incomplete or any(text in self.unusable for text in names)


def expand(
    main: SourceFile,
    parsed: list[Statement],
    parser: Parser,
    opener: Callable[[Path, str, Span | None], SourceFile] = open_file,
) -> Expanded:
    """Return the statements of a parsed source with all includes and macros in place.

    `opener` opens an included file: by its path, its name and the place of the `.include`.
    """
    expander = _Expander(parser, opener)
    expander.result.files[main.name] = main
    expander.file(main, parsed, (main.name,))
    return expander.result


class _Expander:
    def __init__(
        self, parser: Parser, opener: Callable[[Path, str, Span | None], SourceFile]
    ) -> None:
        self.parser = parser
        self.opener = opener
        self.collector: Collector = parser.collector
        self.result = Expanded()
        self._parsed: dict[str, tuple[SourceFile, list[Statement]]] = {}
        self._produced = 0
        self._included = 0
        self._uses: dict[str, int] = {}

    def file(self, file: SourceFile, parsed: list[Statement], chain: tuple[str, ...]) -> None:
        """Expand a file; `chain` names the files from the main one to this."""
        result = self.result
        for statement in parsed:
            try:
                match statement.rule:
                    case "instruction":
                        self._instruction(statement, ())
                    case "const":
                        self._const(statement)
                    case "macro":
                        self._macro(statement)
                    case "include":
                        self._include(file, statement, chain)
                    case "endmacro":
                        raise Mistake(
                            "SIM130", ".endmacro without .macro", label="no macro is open here"
                        )
                    case "broken":
                        self._broken(statement)
                    case _:
                        result.statements.append(statement)
            except Mistake as mistake:
                self._report(statement, mistake)
            if len(result.statements) > MAX_STATEMENTS:
                raise SourceError(
                    f"the source has more than {MAX_STATEMENTS} statements", code="SIM145"
                )

    def _report(self, statement: Statement, mistake: Mistake) -> None:
        """Keep the mistake; what the statement would have defined is not missed later."""
        # First: the names of the statement do not excuse its own mistake.
        if mistake.unknown is None or not self.result.excuses(mistake.unknown):
            self.collector.add(statement.line.diagnostic(mistake))
        if statement.rule in ("include", "macro"):
            self.result.incomplete = True
        if statement.rule == "const":
            self.result.give_up(statement)

    def _broken(self, statement: Statement) -> None:
        words = [part for part in statement.parts if isinstance(part, Word)]
        first = words[0]
        if first.kind != "NAME" or first.text not in BY_NAME:
            self.result.give_up(statement)
        self.result.incomplete |= first.kind in ("INCLUDE", "MACRO")
        self.result.statements.append(statement)

    def _const(self, statement: Statement) -> None:
        _, name, expression = statement.parts
        assert isinstance(name, Word)
        self._define(name, statement)
        self.result.constants[name.text] = evaluate(expression, self.result.constants)

    def _define(self, name: Word, statement: Statement) -> None:
        check_name(name)
        earlier = self.result.defined.get(name.text)
        if earlier is not None:
            raise Mistake(
                "SIM111",
                f"the constant `{name.text}` is defined twice",
                name.at,
                "defined again",
                notes=(first_defined(earlier, name.text),),
            )
        self.result.defined[name.text] = statement

    def _include(self, file: SourceFile, statement: Statement, chain: tuple[str, ...]) -> None:
        word = statement.parts[1]
        assert isinstance(word, Word)
        name = self._included_name(file, word)
        if name in chain:
            raise Mistake(
                "SIM137",
                f"{name} includes itself: {' -> '.join((*chain, name))}",
                word.at,
                "includes itself",
            )
        if len(chain) >= MAX_DEPTH:
            raise Mistake("SIM137", f"more than {MAX_DEPTH} files include each other", word.at)
        self._included += 1
        if self._included > MAX_INCLUDES:
            raise SourceError(
                f"the source has more than {MAX_INCLUDES} includes",
                span=statement.line.span(*word.at),
                code="SIM145",
            )
        if name not in self._parsed:
            folder = file.path.parent if file.path else Path()
            where = statement.line.span(*word.at)
            try:
                included = self.opener(folder / word.text[1:-1], name, where)
            except SourceError as problem:
                self.result.incomplete = True
                for diagnostic in problem.diagnostics:
                    self.collector.add(diagnostic)
                return
            included.included = (Note("included here", where), *file.included)
            self.result.files[included.name] = included  # the opener may open another one
            self._parsed[name] = included, self.parser.file(included)
        self.file(*self._parsed[name], (*chain, name))

    def _included_name(self, file: SourceFile, word: Word) -> str:
        """Return the name of an included file, relative to the folder of the main source."""
        given = word.text[1:-1]
        if not given.endswith(_ENDING):
            raise Mistake(
                "SIM136",
                f"{given!r} cannot be included: its name does not end in {_ENDING}",
                word.at,
                f"not a {_ENDING} file",
                "only files made for it are included; a .sasm file assembles alone",
            )
        base = posixpath.dirname(file.name) if file.path else ""
        name = posixpath.normpath(posixpath.join(base, given))
        if not is_file_name(given) or not is_file_name(name) or "\\" in given:
            raise Mistake(
                "SIM136",
                f"{given!r} is not a relative path with forward slashes",
                word.at,
                "not relative",
                "write the path relative to this file, as `../common.sinc`",
            )
        if name.split("/").count("..") > MAX_CLIMB:
            raise Mistake(
                "SIM136",
                f"{given!r} leads more than {MAX_CLIMB} folders up from the main source",
                word.at,
                "too far up",
                "keep included files near the sources that include them",
            )
        return name

    def _macro(self, statement: Statement) -> None:
        try:
            macro = define(statement)
        except UnknownParameter as problem:
            self.result.incomplete = True
            self.collector.add(problem.line.diagnostic(problem.mistake))
            return
        earlier = self.result.macros.get(macro.name)
        if earlier is not None:
            raise Mistake(
                "SIM111",
                f"the macro `{macro.name}` is defined twice",
                statement.parts[1].at,
                "defined again",
                notes=(first_defined(earlier.statement, macro.name),),
            )
        self.result.macros[macro.name] = macro

    def _instruction(self, statement: Statement, active: tuple[Use, ...]) -> None:
        """Keep an instruction; put the lines of a macro in its place if it is one."""
        name = statement.parts[0]
        assert isinstance(name, Word)
        macro = self.result.macros.get(name.text)
        if macro is None:
            self.result.statements.append(statement)
            return
        use = Use(macro, statement, arguments(macro, statement), self._number(macro))
        if any(outer.macro is macro for outer in active):
            path = " -> ".join([*(outer.macro.name for outer in active), macro.name])
            raise Mistake(
                "SIM131", f"the macro `{macro.name}` uses itself: {path}", name.at, "uses itself"
            )
        if len(active) >= MAX_DEPTH:
            raise Mistake(
                "SIM131", f"more than {MAX_DEPTH} macros use each other", name.at, "too deep"
            )
        for line in use.lines():
            self._produced += 1
            if self._produced > MAX_EXPANDED:
                raise SourceError(
                    f"macros produce more than {MAX_EXPANDED} lines",
                    span=statement.line.span(*name.at),
                    code="SIM131",
                    hint="each use of a macro copies its lines; use a loop",
                )
            self._expanded_line(line, (*active, use))

    def _expanded_line(self, line: ExpandedLine, active: tuple[Use, ...]) -> None:
        inner = self.parser.line(line)
        if inner is None:
            return
        try:
            if inner.rule == "instruction":
                self._instruction(inner, active)
            elif inner.rule in ("label", "broken"):
                self.result.statements.append(inner)
            else:
                raise Mistake(
                    "SIM124",
                    "a macro has instructions and labels only",
                    label="not allowed in a macro",
                    hint="put it before the .macro, or into the kernel",
                )
        except Mistake as mistake:
            self._report(inner, mistake)

    def _number(self, macro: Macro) -> int:
        """Return the number of a use, which makes its labels different from those of other uses."""
        self._uses[macro.name] = self._uses.get(macro.name, 0) + 1
        return self._uses[macro.name]


def first_defined(statement: Statement, name: str) -> Note:
    """Return the note that shows the earlier definition of a name."""
    for part in statement.parts:
        if isinstance(part, Word) and part.text == name:
            return Note("first defined here", statement.line.span(*part.at))
    return Note("first defined here", statement.line.span(*statement.line.whole()))

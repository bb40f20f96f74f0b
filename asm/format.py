"""The house style: a source text -> the same program, laid out as every other one.

    kernel saxpy(f32 %a, u32 %n, global f32* %x) {
        workitemabsid_u32   $s0, 0                  // i
        ld_kernarg_u32      $s1, [%n]
    @done:
        ret
    }

A body is indented by four columns, labels by none. Operands begin in column 24 and comments in
column 48, or after two spaces where the code is longer. Constant expressions have spaces around
their operators, addresses have none. Line breaks stay where they are; of several empty lines one
is kept. The tokens of a text, and so its program, never change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .syntax.parse import Parser, ends_macro, lines_of
from .syntax.shapes import Word, tokens
from .texts.collector import Collector
from .texts.source import Line, SourceFile, open_text

INDENT = 4
"""Columns before what is inside a kernel, a macro or a list."""

MNEMONIC = 20
"""Columns of a mnemonic with the spaces after it."""

COMMENT = 48
"""The column of a comment after code."""

_DECLARATIONS = ("readonly", "group", "private")
_BINARY = frozenset(
    {"PLUS", "MINUS", "STAR", "SLASH", "PERCENT", "VBAR", "CIRCUMFLEX", "AMPERSAND"}
) | {"__ANON_0", "__ANON_1"}
_BEFORE_UNARY = _BINARY | {"LPAR", "COMMA", "LBRACE", "EQUAL", "TILDE"}

_HOLES = frozenset({"HOLE", "UNKNOWN", "OPEN", "DIRECTIVE", "LSQB", "RSQB"})
"""Kinds in the body of a macro whose meaning is known where the macro is used.

A parameter may be a part of a word, as in `add_\\type`: spaces beside it are kept as they are.
"""

_HOLE = re.compile(r"\\[A-Za-z_][A-Za-z0-9_.]*")


def format_source(text: str) -> str:
    """Return a source text in the house style.

    It has the same tokens and comments in the same order, thus assembles to the same code. A text
    in the house style is returned unchanged. Raises SourceError, with the errors of the assembler,
    where a line cannot be parsed; names that are not defined do not matter.
    """
    return format_file(open_text(text))


def format_file(file: SourceFile) -> str:
    """Return the text of an open source in the house style. Raises SourceError."""
    collector = Collector()
    parser = Parser(collector)
    parser.file(file)
    collector.raise_if_any()  # no name is looked up: the errors are those of single lines
    return _Formatter(parser).text(file)


class _Formatter:
    """Formats line after line, and keeps what the layout of the next line depends on."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.lines: list[str] = []
        self.in_kernel = self.in_macro = False
        self.comment: tuple[int, int] | None = None
        """Old and new column of the comment after the code of the line before."""

    def text(self, file: SourceFile) -> str:
        for line in lines_of(file):
            self._line(line)
        while self.lines and not self.lines[-1]:
            self.lines.pop()
        return "".join(f"{line}\n" for line in self.lines)

    def _line(self, line: Line) -> None:
        """Add the formatted lines of a statement, a comment or an empty line."""
        if self.in_macro and ends_macro(line):
            self.in_macro = False
        rule = self._rule(line)
        if rule in ("kernel", "end"):
            self.in_kernel = False
        outside = rule in ("kernel", "end", "label", "macro", "endmacro")
        indent = INDENT if (self.in_kernel or self.in_macro) and not outside else 0
        run = _Run(rule)
        for number, text in enumerate(line.text.split("\n")):
            words = _words(text, self.in_macro)
            comment = words.pop() if words and words[-1].kind == "COMMENT" else None
            closes = bool(words) and words[0].kind in ("RBRACE", "RPAR", "LBRACE")
            inner = INDENT if number and not closes else 0
            code = " " * (indent + inner) + run.code(words) if words else ""
            self._add(code, text, comment, indent + inner)
        self.in_kernel |= rule == "kernel"
        self.in_macro |= rule == "macro"

    def _rule(self, line: Line) -> str:
        """Return the grammar's rule for a line; an empty text for a line without code."""
        if not self.in_macro:
            statement = self.parser.line(line)
            return statement.rule if statement else ""
        words = [word for word in _words(line.text, True) if word.kind != "COMMENT"]
        if not words:
            return ""
        return "label" if words[-1].kind == "COLON" else "instruction"

    def _add(self, code: str, text: str, comment: Word | None, indent: int) -> None:
        """Add a line of code, or a comment of its own, or an empty line."""
        if comment is None:
            if code or (self.lines and self.lines[-1]):
                self.lines.append(code)
            self.comment = None
            return
        column = len(text[: comment.start].expandtabs(INDENT))
        remark = comment.text.rstrip()
        if code:
            code = f"{code:<{COMMENT - 2}}  "
            self.comment = column, len(code)
        elif self.comment is not None and column == self.comment[0] > 2 * INDENT:
            code = " " * self.comment[1]  # continues the comment of the line before
        else:
            code, self.comment = " " * indent, None
        self.lines.append(code + remark)


def _words(text: str, in_macro: bool) -> list[Word]:
    r"""Return the tokens of a line; in a macro, a parameter as one token HOLE.

    A sign beside a parameter is a HOLE too, since `\a+4` is one number where `\a` is `1e`.
    """
    words = tokens(text)
    if not in_macro or "\\" not in text:
        return words
    found: list[Word] = []
    for word in words:
        opens = bool(found) and found[-1].text == "\\" and found[-1].start + 1 == word.start
        if opens and _HOLE.fullmatch("\\" + word.text):
            found[-1] = Word("\\" + word.text, "HOLE", found[-1].start)
        else:
            found.append(word)
    for index, word in enumerate(found):
        beside = found[max(0, index - 1) : index + 2]
        if word.kind in ("PLUS", "MINUS") and any(other.text[0] == "\\" for other in beside):
            found[index] = word._replace(kind="HOLE")
    return found


@dataclass
class _Run:
    """The tokens of one statement, which may continue over lines, and the spaces between them."""

    rule: str
    spaced: bool = True
    """Whether operators outside of parentheses have spaces."""
    depth: int = 0
    before: Word | None = None
    before_is_unary: bool = False

    def code(self, words: Sequence[Word]) -> str:
        """Return the text of a line without its indentation."""
        parts = list(self._parts(words))
        if self.rule != "instruction" or words[0].kind not in ("NAME", *_HOLES):
            return "".join(parts)
        name = next((i for i, part in enumerate(parts) if i and part[0] == " "), len(parts))
        if name == len(parts):
            return "".join(parts)
        mnemonic = "".join(parts[:name])
        operands = "".join(parts[name:]).lstrip(" ")
        return f"{mnemonic:<{MNEMONIC - 1}} {operands}"

    def _parts(self, words: Sequence[Word]) -> Iterator[str]:
        """Yield the words, each with the spaces before it."""
        for index, word in enumerate(words):
            self.depth -= word.kind == "RPAR"
            is_unary = self._is_unary(word)
            gap = ""
            if index and self.before is not None:
                gap = self._gap(self.before, word, is_unary)
            text = word.text
            if word.kind == "BRACKETS":
                inside = _words(text[1:-1], "\\" in text)
                text = f"[{_Run('brackets', self.rule in _DECLARATIONS).code(inside)}]"
            yield gap + text
            self.depth += word.kind == "LPAR"
            self.before, self.before_is_unary = word, is_unary

    def _is_unary(self, word: Word) -> bool:
        if word.kind != "MINUS":
            return word.kind == "TILDE"
        only_unary = self.rule == "instruction" and self.depth == 0
        return only_unary or self.before is None or self.before.kind in _BEFORE_UNARY

    def _gap(self, before: Word, word: Word, is_unary: bool) -> str:
        """Return the spaces between two words."""
        kind = word.kind
        if kind in ("COMMA", "COLON", "RPAR") or before.kind == "LPAR" or self.before_is_unary:
            return ""
        is_known = before.kind == "COMMA" or {kind, before.kind} & (_BINARY - {"PLUS", "MINUS"})
        if not is_known and (kind in _HOLES or before.kind in _HOLES):
            return "" if before.start + len(before.text) == word.start else " "
        if kind == "BRACKETS" and self.rule in _DECLARATIONS:
            return ""
        if self.rule == "kernel" and kind in ("STAR", "LPAR"):
            return ""
        is_binary = (kind in _BINARY and not is_unary) or before.kind in _BINARY
        if is_binary and self.rule != "kernel":
            return " " if self.spaced or self.depth else ""
        return " "

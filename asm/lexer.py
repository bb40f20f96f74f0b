"""A Pygments lexer for sources, from the assembler's own tokens and the instruction table.

Pygments finds it by its name `sasm` (the entry point in pyproject.toml), and with it rich, Sphinx,
IPython and every other program that highlights by Pygments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from pygments.lexer import Lexer
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
)

from ..isa.table import BY_NAME
from .words import CONSTANTS, DIRECTIVES, FLAGS, TYPE_NAMES, token_pattern

_HOLE = re.compile(r"\\[A-Za-z_]\w*")
_SPACE = re.compile(r"\s+")

_STYLES: dict[str, Any] = {
    **{"COMMENT": Comment.Single, "KERNEL": Keyword.Declaration, "GLOBAL": Keyword},
    **{"REGISTER": Name.Variable, "PARAMETER": Name.Attribute, "LABEL": Name.Label},
    **{"CHAR": String.Char, "STRING": String},
    **dict.fromkeys(("COMMA", "COLON", "LPAR", "RPAR", "LBRACE", "RBRACE"), Punctuation),
    **dict.fromkeys(("LSQB", "RSQB"), Punctuation),
    **dict.fromkeys(DIRECTIVES, Keyword),
}
"""By terminal of the grammar; the others are operators."""


class SasmLexer(Lexer):
    """Highlights `.sasm` and `.sinc` sources. A character outside the language is an Error."""

    name = "simtlab assembly"
    url = "https://pypi.org/project/simtlab/"
    aliases: ClassVar = ["sasm"]
    filenames: ClassVar = ["*.sasm", "*.sinc"]
    mimetypes: ClassVar = ["text/x-sasm"]

    def get_tokens_unprocessed(self, text: str, *_: Any) -> Iterator[tuple[int, Any, str]]:
        """Yield offset, style and text of every token."""
        scanner = token_pattern()
        at, before = 0, ""
        while at < len(text):
            if found := _SPACE.match(text, at):
                kind, style = before, Whitespace
                if "\n" in found[0]:
                    kind = ""
            elif found := _HOLE.match(text, at):
                kind, style = "HOLE", String.Interpol
            elif found := scanner.match(text, at):
                kind = found.lastgroup or ""
                style = _style(kind, found[0], before)
            else:
                yield at, Error, text[at]
                at, before = at + 1, "UNKNOWN"
                continue
            yield at, style, found[0]
            at, before = found.end(), kind


def _style(kind: str, text: str, before: str) -> Any:
    """Return the style of a token; `before` is the kind of the one before it in its line."""
    if kind == "NAME":
        return _style_of_name(text, before)
    if kind == "NUMBER":
        if text[:2].lower() in ("0x", "0b"):
            return Number.Hex if text[1] in "xX" else Number.Bin
        return Number.Float if re.search(r"[.eE]|^0[fFdD]", text) else Number.Integer
    return _STYLES.get(kind, Operator)


def _style_of_name(text: str, before: str) -> Any:
    if before == "KERNEL":
        return Name.Class
    if before == "MACRO":
        return Name.Function.Magic
    if not before:
        return Name.Function if text in BY_NAME else Name.Function.Magic
    if text in TYPE_NAMES:
        return Keyword.Type
    return Keyword.Constant if text in FLAGS or text in CONSTANTS else Name

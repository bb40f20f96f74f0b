"""What grammar.lark means: the tokens of a text, and what Lark makes of a sequence of them.

What an LALR parser makes of a line depends only on the kinds of its tokens, not on their text. So
each sequence of kinds is parsed once, with numbers in place of tokens, and every other line of that
shape puts its own tokens in. A kernel of 10,000 lines has some forty shapes; this brings the
parsing of a line from about 100 microseconds to 12.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from lark import Lark, Token, Transformer, Tree
from lark.exceptions import UnexpectedToken

STARTS = ("line", "address", "length", "element")
"""The start rules: a line, the two things that stand in brackets, and an element of a list."""

_STATEMENTS = frozenset(
    {
        *("kernel", "end", "label", "instruction", "const", "readonly", "group", "private"),
        *("include", "macro", "endmacro", "loc", "address", "length"),
    }
)
"""Rules that stand by themselves; every other rule is a part of a constant expression."""


class Word(NamedTuple):
    """One token: its text, its kind (a terminal of the grammar) and its offset in the line."""

    text: str
    kind: str
    start: int

    @property
    def at(self) -> tuple[int, int]:
        """Its offset and length, as `Mistake` takes them."""
        return self.start, len(self.text)


@dataclass(frozen=True)
class ShapeError:
    """No line has tokens of these kinds: the first one that cannot stand where it is.

    `state` is the parser's state there, and `expected` has the kinds that it would take.
    """

    index: int
    state: int
    expected: frozenset[str]


class Shape(NamedTuple):
    """A rule and what it keeps: token numbers, and constant expressions in postfix order.

    An operator in an expression is the name of its rule in the grammar.
    """

    rule: str
    parts: tuple[int | tuple[int | str, ...], ...]


class _Reductions(Transformer):  # pyright: ignore[reportMissingTypeArgument]
    """Turns Lark's reductions into shapes. A token carries its number as its position."""

    def __default__(self, data: str, children: list[Any], meta: object) -> Any:
        rule = str(data)
        if rule.startswith("_"):
            return Tree(rule, children)
        if rule in _STATEMENTS:
            return Shape(rule, tuple(_part(child) for child in children))
        operands = [c for c in children if not _is_sign(c)]
        return [*(item for c in operands for item in _items(c)), rule]


def _is_sign(child: object) -> bool:
    return isinstance(child, Token) and child.type in ("PLUS", "MINUS")


def _items(child: object) -> list[int | str]:
    return [cast("int", child.start_pos)] if isinstance(child, Token) else cast("list", child)


def _part(child: object) -> int | tuple[int | str, ...]:
    return cast("int", child.start_pos) if isinstance(child, Token) else tuple(_items(child))


@cache
def grammar() -> Lark:
    """The parser of grammar.lark. Its tables come from the user's cache folder where possible."""
    return Lark(
        Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8"),
        parser="lalr",
        lexer="basic",
        start=list(STARTS),
        maybe_placeholders=False,
        transformer=_Reductions(),
        cache=_cache_file() or False,
    )


def _cache_file() -> str | None:
    """Where Lark keeps the tables: building them takes 60 ms, reading them 10."""
    try:
        if folder := os.environ.get("XDG_CACHE_HOME"):
            base = Path(folder)
        elif sys.platform == "win32":
            base = Path(os.environ["LOCALAPPDATA"])
        else:
            base = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
        base = base / "simtlab"
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError, KeyError):
        return None
    return str(base / "grammar.lark.tables") if os.access(base, os.W_OK) else None


_COMMON = ("BRACKETS", "COMMA", "REGISTER", "LABEL", "PARAMETER")
"""Terminals that are tried first: no other one begins like them, except `[` like `[...]`."""


@cache
def _scanner() -> re.Pattern[str]:
    """One pattern over the grammar's terminals, otherwise in the order in which Lark tries them.

    What is no token gets the kind DIRECTIVE or UNKNOWN, which no rule takes. Spaces belong to the
    match, not to its group: that is three times as fast as skipping them as tokens.
    """
    terminals = {t.name: t for t in grammar().terminals if t.name != "SPACE"}
    others = sorted(
        (t for t in terminals.values() if t.name not in _COMMON),
        key=lambda t: (-t.priority, -t.pattern.max_width, -len(t.pattern.value), t.name),
    )
    named = [
        f"(?P<{t.name}>{t.pattern.to_regexp()})"
        for t in (*(terminals[name] for name in _COMMON), *others)
    ]
    named += [r"(?P<DIRECTIVE>\.\w+)", r"(?P<UNKNOWN>[^ \t\n])"]
    return re.compile(rf"[ \t\n]*(?:{'|'.join(named)})")


def scan(text: str) -> list[Word]:
    """The tokens of a text, without spaces and comments."""
    words: list[Word] = []
    for match in _scanner().finditer(text.rstrip(" \t\n")):
        kind = cast("str", match.lastgroup)
        if kind != "COMMENT":
            words.append(Word(match[kind], kind, match.start(kind)))
    return words


@lru_cache(maxsize=4096)
def shape(kinds: tuple[str, ...], start: str) -> Shape | ShapeError:
    """What Lark makes of tokens of these kinds."""
    parser = grammar().parse_interactive(start=start)
    index = 0
    try:
        for index, kind in enumerate(kinds):
            parser.feed_token(Token(kind, "", index))
        index = len(kinds)
        found = parser.feed_eof(Token("$END", "", index))
    except UnexpectedToken:
        state = cast("int", parser.parser_state.position)
        return ShapeError(index, state, frozenset(parser.accepts()))
    return found if isinstance(found, Shape) else Shape(start, (_part(found),))

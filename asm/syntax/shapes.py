"""The parser: the tokens of a text, and what grammar.lark makes of a sequence of them.

What an LALR parser makes of a line depends only on the kinds of its tokens, not on their text. So
each sequence of kinds is parsed once, with numbers in place of tokens, and every other line of that
shape puts its own tokens in. A kernel of 10,000 lines has some forty shapes; this brings the
parsing of a line from about 100 microseconds to 12. The tables of the parser are Lark's, computed
when the grammar changes (generate.py): reading them takes a millisecond, and Lark is not needed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple, cast

FILE = Path(__file__).with_name("grammar.json")
"""The tables."""

STARTS = ("line", "address", "length", "element")
"""The start rules: a line, two kinds of content of brackets, and an element of a list."""

END = "$END"
"""The kind of the token after the last one."""

STATEMENTS = frozenset(
    {
        *("kernel", "end", "label", "instruction", "const", "readonly", "group", "private"),
        *("include", "macro", "endmacro", "loc", "address", "length"),
    }
)
"""Rules that are complete; every other rule is a part of a constant expression."""


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
    """No line has tokens of these kinds: the first one that is not allowed there.

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
    parts: tuple[_Part, ...]


_Part = int | tuple[int | str, ...]
_Value = _Part | Shape | list["_Value"]
"""The value of a symbol of the grammar; a list is put into the rule that it is a part of."""


class Rule(NamedTuple):
    """A rule of the grammar (generate.py)."""

    makes: str
    origin: str
    length: int
    kept: list[int]
    stands_for_its_part: bool


class Tables(NamedTuple):
    """What grammar.json holds (generate.py)."""

    terminals: list[list[str]]
    rules: list[Rule]
    starts: dict[str, list[int]]
    states: list[dict[str, int]]


@cache
def _tables() -> Tables:
    found = json.loads(FILE.read_text(encoding="utf-8"))
    found["rules"] = [Rule(*rule) for rule in found["rules"]]
    return Tables(**found)


def terminals() -> list[list[str]]:
    """Return name and pattern of every terminal of the grammar, in the order of their trial."""
    return _tables().terminals


@cache
def _scanner() -> re.Pattern[str]:
    """Return one pattern over the grammar's terminals.

    What is not a token gets the kind OPEN, DIRECTIVE or UNKNOWN, which no rule takes. Spaces belong
    to the match, not to its group: that is three times as fast as skipping them as tokens. A
    bracket or a quote that is not closed is a token of one character, and the rest of its line is
    skipped: to search for the end of each of n open brackets would take n² steps.
    """
    named = [f"(?P<{name}>{pattern})" for name, pattern in _tables().terminals if name != "LSQB"]
    named += [r"(?P<LSQB>\[)[^\n]*", r"(?P<OPEN>['\"])[^\n]*"]
    named += [r"(?P<DIRECTIVE>\.\w+)", r"(?P<UNKNOWN>[^ \t\n])"]
    return re.compile(rf"[ \t\n]*(?:{'|'.join(named)})")


def scan(text: str) -> list[Word]:
    """Return the tokens of a text, without spaces and comments."""
    return [word for word in tokens(text) if word.kind != "COMMENT"]


def tokens(text: str) -> list[Word]:
    """Return the tokens of a text, comments (COMMENT) included."""
    words: list[Word] = []
    for match in _scanner().finditer(text.rstrip(" \t\n")):
        kind = cast("str", match.lastgroup)
        words.append(Word(match[kind], kind, match.start(kind)))
    return words


@lru_cache(maxsize=4096)
def shape(kinds: tuple[str, ...], start: str) -> Shape | ShapeError:
    """Return what the LALR(1) parser makes of tokens of these kinds."""
    tables = _tables()
    begin, end = tables.starts[start]
    states: list[int] = [begin]
    values: list[_Value] = []
    for index, kind in enumerate((*kinds, END)):
        for rule in _reductions(states, kind, end):
            parts = values[len(values) - rule.length :]
            del values[len(values) - rule.length :]
            values.append(_made(rule, parts))
        state = states[-1]
        if kind != END and kind in tables.states[state]:
            states.append(tables.states[state][kind])
            values.append(index)
        elif kind != END or state != end:
            return ShapeError(index, state, frozenset(_accepted(states, end)))
    (found,) = values
    return found if isinstance(found, Shape) else Shape(start, (cast("_Part", found),))


def _reductions(states: list[int], kind: str, end: int) -> Iterator[Rule]:
    """Yield the rules that are complete before a token of a kind, and update the stack."""
    tables = _tables()
    while (action := tables.states[states[-1]].get(kind, 0)) < 0:
        rule = tables.rules[~action]
        yield rule
        del states[len(states) - rule.length :]
        states.append(tables.states[states[-1]][rule.origin])
        if kind == END and states[-1] == end:
            return


def _accepted(states: Sequence[int], end: int) -> Iterator[str]:
    """Yield the kinds of token that could come next."""
    for kind in _tables().states[states[-1]]:
        if kind == END or kind.isupper():
            after = list(states)
            for _ in _reductions(after, kind, end):
                pass
            if after[-1] == end if kind == END else kind in _tables().states[after[-1]]:
                yield kind


def _made(rule: Rule, parts: list[_Value]) -> _Value:
    """Return the value of a rule whose symbols have these values."""
    children: list[_Value] = []
    for place in rule.kept:
        part = parts[place]
        if isinstance(part, list):
            children += part
        else:
            children.append(part)
    if rule.makes.startswith("_"):
        return children
    if rule.stands_for_its_part and len(children) == 1:
        return children[0]
    if rule.makes in STATEMENTS:
        return Shape(rule.makes, tuple(cast("list[_Part]", children)))
    operands = [c if isinstance(c, tuple) else (c,) for c in children]
    return cast("_Part", (*chain.from_iterable(operands), rule.makes))

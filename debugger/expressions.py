"""Expressions over a lane's registers and memory: `$s3 == 7`, `y[12].x`, `$s3[5] + 4 * lane`.

Operators and their precedence are Python's, with `&&`, `||` and `!` as other names of `and`, `or`
and `not`. An expression is parsed once and evaluated for many lanes.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from ..isa.errors import UsageError
from ..isa.quoting import shown
from .values import Value


class Names(Protocol):
    """What names mean for one lane at one moment."""

    def register(self, name: str, lane: Value | None, fmt: str) -> Value:
        """Return a register of the lane, or of the one that is given."""
        ...

    def element(self, array: str, index: Value, fmt: str) -> Value:
        """Return an element of a buffer, a parameter's buffer (`%x`) or an array."""
        ...

    def name(self, name: str) -> Value:
        """Return a name alone: `t`, `pc`, `lane`, a parameter."""
        ...


@dataclass(frozen=True)
class Number:
    """A constant."""

    value: Value


@dataclass(frozen=True)
class Register:
    """A register, of the lane that an expression is about or of another one."""

    name: str
    lane: Node | None
    fmt: str


@dataclass(frozen=True)
class Element:
    """An element of memory."""

    array: str
    index: Node
    fmt: str


@dataclass(frozen=True)
class Name:
    """A name."""

    name: str


@dataclass(frozen=True)
class Unary:
    """An operator with one operand."""

    sign: str
    operand: Node


@dataclass(frozen=True)
class Binary:
    """An operator between two operands."""

    sign: str
    left: Node
    right: Node


Node = Number | Register | Element | Name | Unary | Binary

_TOKEN = re.compile(
    r"\s*(?:(?P<register>\$[sdc]\d+)|(?P<number>0[xX][0-9a-fA-F]+|0[bB][01]+"
    r"|\d+\.\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\d+)"
    r"|(?P<name>%?[A-Za-z_]\w*)"
    r"|(?P<sign>\*\*|<<|>>|<=|>=|==|!=|&&|\|\||//|[-+*/%&|^~!<>()\[\].]))"
)
_LEVELS: list[dict[str, Callable[[Any, Any], Any]]] = [
    {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
     "==": operator.eq, "!=": operator.ne},
    {"|": operator.or_},
    {"^": operator.xor},
    {"&": operator.and_},
    {"<<": operator.lshift, ">>": operator.rshift},
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod},
]  # fmt: skip
"""Operators between two operands by precedence, the weakest first; `and` and `or` are below."""

_WORDS = {"&&": "and", "||": "or", "!": "not"}
MOST_DEPTH = 50
MOST_SHIFT = 64


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        at = 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if found is None:
                start = at + len(text[at:]) - len(text[at:].lstrip())
                raise self.mistake(f"unexpected {text[start]!r}", start)
            kind = found.lastgroup or ""
            word = found.group(kind)
            if word in _WORDS or (kind == "name" and word in ("and", "or", "not")):
                kind, word = "sign", _WORDS.get(word, word)
            self.tokens.append((kind, word, found.start(kind)))
            at = found.end()
        self.at = 0
        self.depth = 0

    def mistake(self, problem: str, at: int | None = None) -> UsageError:
        where = len(self.text) if at is None else at
        place = f"column {where + 1} of `{shown(self.text)[1:-1]}`"
        return UsageError(
            f"{problem} at {place}",
            code="SIM532",
            hint="an expression is for example `$s3 == 7`, `$s3[5].f > 1.5` or `y[lane] & 0xff`",
        )

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def next(self) -> tuple[str, str, int]:
        if self.at >= len(self.tokens):
            raise self.mistake("the expression ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def take(self, sign: str) -> bool:
        if self.peek() == sign and self.tokens[self.at][0] == "sign":
            self.at += 1
            return True
        return False

    def expect(self, sign: str) -> None:
        if not self.take(sign):
            at = self.tokens[self.at][2] if self.at < len(self.tokens) else None
            raise self.mistake(f"expected {sign!r}", at)

    def expression(self) -> Node:
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise self.mistake("too many parentheses")
        left = self.conjunction()
        while self.take("or"):
            left = Binary("or", left, self.conjunction())
        self.depth -= 1
        return left

    def conjunction(self) -> Node:
        left = self.negation()
        while self.take("and"):
            left = Binary("and", left, self.negation())
        return left

    def negation(self) -> Node:
        if self.take("not"):
            self.depth += 1
            if self.depth > MOST_DEPTH:
                raise self.mistake("too many signs")
            return Unary("not", self.negation())
        return self.level(0)

    def level(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self.signed()
        left = self.level(level + 1)
        while self.at < len(self.tokens) and self.peek() in _LEVELS[level]:
            sign = self.next()[1]
            left = Binary(sign, left, self.level(level + 1))
        return left

    def signed(self) -> Node:
        for sign in ("-", "~", "+"):
            if self.take(sign):
                self.depth += 1
                if self.depth > MOST_DEPTH:
                    raise self.mistake("too many signs")
                return Unary(sign, self.signed())
        return self.primary()

    def primary(self) -> Node:
        kind, word, at = self.next()
        if kind == "number":
            is_float = re.fullmatch(r"0[xXbB].*", word) is None and re.search(r"[.eE]", word)
            return Number(float(word) if is_float else int(word, 0 if word[:1] == "0" and len(word)
                          > 1 and word[1] in "xXbB" else 10))  # fmt: skip
        if kind == "register":
            return self.register(word)
        if kind == "name":
            if word in ("true", "false"):
                return Number(word == "true")
            if self.take("["):
                index = self.expression()
                self.expect("]")
                return Element(word, index, self.format())
            return Name(word)
        if word == "(":
            inside = self.expression()
            self.expect(")")
            return inside
        raise self.mistake(f"unexpected {word!r}", at)

    def register(self, word: str) -> Node:
        fmt = self.format()
        lane: Node | None = None
        if self.take("["):
            if self.peek() == "lane" and not self._ends_after_lane():
                self.next()
            lane = self.expression()
            self.expect("]")
            fmt = fmt or self.format()
        return Register(word, lane, fmt)

    def _ends_after_lane(self) -> bool:
        """Return whether `lane` is an operand here, as in `$s3[lane]`, not a word before one."""
        if self.at + 1 >= len(self.tokens):
            return True
        kind, word, _ = self.tokens[self.at + 1]
        return kind == "sign" and word not in ("(", "~")

    def format(self) -> str:
        if not self.take("."):
            return ""
        kind, word, at = self.next()
        if kind != "name":
            raise self.mistake("expected a format after the point, as .f or .u8", at)
        return word


def parse(text: str) -> Node:
    """Return an expression. Raises UsageError, which says at which column."""
    if not text.strip():
        raise UsageError("expected an expression", code="SIM532", hint="for example `$s3 == 7`")
    parser = _Parser(text)
    found = parser.expression()
    if parser.at < len(parser.tokens):
        _, word, at = parser.tokens[parser.at]
        raise parser.mistake(f"unexpected {word!r}", at)
    return found


def evaluate(node: Node, names: Names) -> Value:
    """Return the value of an expression. Raises UsageError."""
    match node:
        case Number(value):
            return value
        case Register(name, lane, fmt):
            return names.register(name, None if lane is None else evaluate(lane, names), fmt)
        case Element(array, index, fmt):
            return names.element(array, evaluate(index, names), fmt)
        case Name(name):
            return names.name(name)
        case Unary(sign, operand):
            value = evaluate(operand, names)
            return not value if sign == "not" else _checked(_UNARY[sign], sign, value)
        case Binary("and", left, right):
            return bool(evaluate(left, names)) and bool(evaluate(right, names))
        case Binary("or", left, right):
            return bool(evaluate(left, names)) or bool(evaluate(right, names))
        case Binary(sign, left, right):
            return _checked(_BINARY[sign], sign, evaluate(left, names), evaluate(right, names))


_BINARY = {sign: function for level in _LEVELS for sign, function in level.items()}
_UNARY: dict[str, Callable[[Any], Any]] = {
    "-": operator.neg, "+": operator.pos, "~": lambda v: ~int(v) if isinstance(v, bool) else ~v,
}  # fmt: skip


def _checked(function: Callable[..., Any], sign: str, *values: Value) -> Value:
    if sign in ("<<", ">>") and not 0 <= values[1] <= MOST_SHIFT:
        raise UsageError(f"{values[1]} bits are no shift: 0 to 64", code="SIM532")
    try:
        return function(*values)
    except ZeroDivisionError:
        raise UsageError("division by zero", code="SIM532") from None
    except OverflowError:
        raise UsageError("the number is too large", code="SIM532") from None
    except TypeError:
        raise UsageError(f"{sign} is for whole numbers", code="SIM532") from None

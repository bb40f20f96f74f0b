"""Text -> statements: the first pass.

A line is parsed on its own, so that an error ends with its line. Only two statements may go over
several lines: the head of a kernel, and a `.readonly` array with its elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ..texts.collector import Collector
from ..texts.source import Line, Mistake, SourceFile
from .shapes import Shape, ShapeError, Word, scan, shape

MAX_TERMS = 256
"""Most tokens between two commas: it bounds what a constant expression may cost."""

_LONG = ("kernel", ".readonly")
"""How a statement begins that may go over several lines."""


class Expression(NamedTuple):
    """A constant expression in postfix order: words, and rules of the grammar as operators."""

    items: tuple[Word | str, ...]
    at: tuple[int, int]
    """Its offset and length, with its signs and parentheses."""


Part = Word | Expression


@dataclass(slots=True)
class Statement:
    """A parsed line: the rule of the grammar and what it keeps, in source order.

    The rule is `broken` for a line with an error, whose parts are all of its words. `body` has the
    lines of a macro, which are parsed where the macro is used.
    """

    line: Line
    rule: str
    parts: tuple[Part, ...]
    body: tuple[Line, ...] = ()

    @property
    def start(self) -> int:
        """Offset of the first word."""
        return self.parts[0].at[0] if self.parts else self.line.whole()[0]


class Parser:
    """Parses the lines of one run; equal lines are parsed once."""

    def __init__(self, collector: Collector) -> None:
        self.collector = collector
        self._known: dict[str, tuple[str, tuple[Part, ...]] | None] = {}

    def file(self, file: SourceFile) -> list[Statement]:
        """Return the statements of a file, those with errors as `broken`."""
        self.collector.opened(file)
        found: list[Statement] = []
        lines = iter(lines_of(file))
        for line in lines:
            statement = self.line(line)
            if statement is None:
                continue
            if statement.rule == "macro":
                statement.body = self._macro_body(statement, lines)
            found.append(statement)
        return found

    def line(self, line: Line) -> Statement | None:
        """Return the statement of a line, None for an empty one."""
        text = line.text
        try:
            parsed = self._known[text]
        except KeyError:
            try:
                parsed = self._known[text] = parse(text)
            except Mistake as mistake:
                self.collector.add(line.diagnostic(mistake))
                return Statement(line, "broken", tuple(scan(text)))
        return None if parsed is None else Statement(line, *parsed)

    def _macro_body(self, macro: Statement, lines: Iterator[Line]) -> tuple[Line, ...]:
        body: list[Line] = []
        for line in lines:
            if ends_macro(line):
                self.line(line)
                return tuple(body)
            body.append(line)
        mistake = Mistake(
            "SIM130",
            "the macro has no end",
            label="begins here",
            hint="end it with .endmacro on a line of its own",
        )
        self.collector.add(macro.line.diagnostic(mistake))
        return tuple(body)


def ends_macro(line: Line) -> bool:
    """Return whether a line ends the body of a macro."""
    return line.text.split("//", 1)[0].split(maxsplit=1)[:1] == [".endmacro"]


def parse(text: str) -> tuple[str, tuple[Part, ...]] | None:
    """Return rule and parts of a line, None for an empty line. Raises Mistake."""
    words = scan(text)
    if not words:
        return None
    kinds = tuple([word.kind for word in words])
    if len(kinds) > MAX_TERMS:
        _check_length(words)
        if parts := _long_list(words, kinds):
            return "readonly", parts
    found = shape(kinds, "line")
    if not isinstance(found, Shape):
        raise _mistake(words, found, "line")
    return found.rule, _fill(found, words)


def _long_list(words: Sequence[Word], kinds: tuple[str, ...]) -> tuple[Part, ...]:
    """Return the parts of a long `.readonly` statement; empty for anything else, and for mistakes.

    Its elements have few shapes, the list as a whole has one of its own. Parsing each by itself
    makes a table of 500,000 elements five times as fast (2.8 s instead of 13.6).
    """
    if kinds[0] != "READONLY" or kinds[-1] != "RBRACE" or "LBRACE" not in kinds:
        return ()
    begin = kinds.index("LBRACE") + 1
    head = shape((*kinds[:begin], "RBRACE"), "line")
    if not isinstance(head, Shape):
        return ()
    parts = list(_fill(head, words))
    commas = [i for i in range(begin, len(kinds)) if kinds[i] == "COMMA"]
    ends = [*commas, len(kinds) - 1] if kinds[-2] != "COMMA" else commas
    for end in ends:
        found = shape(kinds[begin:end], "element")
        if not isinstance(found, Shape):
            return ()
        parts += _fill(found, words[begin:end])
        begin = end + 1
    return tuple(parts)


@lru_cache(maxsize=4096)
def parse_brackets(text: str, start: str) -> tuple[Part, ...]:
    """Return the parts of a BRACKETS token, as the rule `address` or `length`. Raises Mistake.

    Offsets count from the opening bracket.
    """
    inside = scan(text[1:-1])
    words = [Word("[", "LSQB", 0)]
    words += [Word(word.text, word.kind, word.start + 1) for word in inside]
    words.append(Word("]", "RSQB", len(text) - 1))
    _check_length(words)
    found = shape(tuple([word.kind for word in words]), start)
    if not isinstance(found, Shape):
        raise _mistake(words, found, start)
    return _fill(found, words)


def _mistake(words: Sequence[Word], error: ShapeError, start: str) -> Mistake:
    from .mistakes import explain  # a source without errors does without the examples

    return explain(words, error, start)


def _fill(found: Shape, words: Sequence[Word]) -> tuple[Part, ...]:
    return tuple([words[p] if isinstance(p, int) else _expression(p, words) for p in found.parts])


def _expression(items: Sequence[int | str], words: Sequence[Word]) -> Expression:
    numbers = [item for item in items if isinstance(item, int)]
    first, last = min(numbers), max(numbers)
    while first > 0 and words[first - 1].kind in ("LPAR", "MINUS", "TILDE"):
        first -= 1
    while last + 1 < len(words) and words[last + 1].kind == "RPAR":
        last += 1
    start, end = words[first].start, words[last].start + len(words[last].text)
    return Expression(
        tuple(words[item] if isinstance(item, int) else item for item in items),
        (start, end - start),
    )


def _check_length(words: Sequence[Word]) -> None:
    """Refuse what would take long to parse or evaluate, however it is nested."""
    first = 0
    for index, word in enumerate(words):
        if word.kind in ("COMMA", "LBRACE"):
            first = index + 1
        elif index - first > MAX_TERMS:
            raise Mistake(
                "SIM145",
                f"more than {MAX_TERMS} words between two commas",
                words[first].at,
                "begins here",
                "name parts of the expression with .const",
            )


def lines_of(file: SourceFile) -> Iterator[Line]:
    """Yield the lines of a file, a statement with open brackets as one."""
    lines = file.lines
    index = 0
    while index < len(lines):
        text, number = lines[index], index + 1
        index += 1
        if text.lstrip().startswith(_LONG):
            end = _statement_end(lines, index)
            text = "\n".join(lines[number - 1 : end])
            index = end
        yield Line(file, number, text)


def _statement_end(lines: Sequence[str], index: int) -> int:
    """Return the index after the statement that begins in the line before `index`.

    It continues while its brackets are open and no line begins another statement.
    """
    head = lines[index - 1].lstrip().startswith("kernel")
    brackets = "()" if head else "(){}"
    others = ("kernel", ".", "@", "}") if head else ("kernel", ".", "@")
    depth, last = 0, index - 1
    while True:
        code = lines[last].split("//", 1)[0].strip()
        depth += sum(code.count(b) for b in brackets[::2])
        depth -= sum(code.count(b) for b in brackets[1::2])
        last += 1
        if last == len(lines):
            return last
        following = lines[last].lstrip()
        is_open = depth > 0 or code.endswith("=") or following.startswith("{")
        if not is_open or following.startswith(others):
            return last

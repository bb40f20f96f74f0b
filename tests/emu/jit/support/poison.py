"""Lanes of generated vectors that may be poison, and the lines in which they would show.

Shuffles leave such lanes where nothing is asked for. If one reaches a mask, the word that a branch
tests is poison as a whole, also where no lane of the mask runs: the branch may go anywhere then.
So a lane may be poison only if it is dropped later.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_TYPE = r"(?:<\d+ x [^>]+>|\[[^\]]+\]|[a-z]\w*)"
_BODY = re.compile(r"^define [^\n]*\{\n(.*?)^\}", re.DOTALL | re.MULTILINE)
_LINE = re.compile(r"(?:(%\S+) = )?(\w+) (?:(?:nuw|nsw|disjoint|volatile|atomic) )*(.*?)(?:, !.*)?")
_CASTS = frozenset({"bitcast", "zext", "sext", "trunc", "sitofp", "uitofp", "fptosi", "fptoui"})
_DROPPED = re.compile(r"@llvm\.masked\.store\.(v16i8|.*> <i1 )|^\[\d+ x ")
"""Stores of fewer bytes than a mask has, and by constant masks: other lanes are not stored. Arrays
are results of rare steps, which only lanes choose that need them."""
_LANEWISE = re.compile(
    r"@llvm\.(smin|smax|umin|umax|ctpop|ctlz|abs|fsh[lr]|sqrt|fma|floor|ceil|trunc|rint"
    r"|roundeven|fabs|minnum|maxnum|[su](add|sub)\.sat)\."
)
_PERMUTES = re.compile(r"@llvm\.x86\.avx512\.(permvar|vpermi2var)\.")
"""Each lane is one of a table, which the second operand names."""


def shown_in(module: str) -> list[str]:
    """Return the lines of a module's IR text in which a lane that may be poison shows."""
    return [line for body in _BODY.findall(module) for line in _Function(body).shown()]


class _Function:
    """The lanes of a function's values and variables that may be poison, as bits of integers."""

    def __init__(self, body: str) -> None:
        self._lines = [line.strip() for line in body.splitlines()]
        self._variables = set(re.findall(r"(%\S+) = alloca", body))
        self._known: dict[str, int] = {}

    def shown(self) -> list[str]:
        """Return the lines in which such a lane shows."""
        before: dict[str, int] = {"": 0}
        found: list[str] = []
        while before != self._known:
            before = dict(self._known)
            found = [line for line in self._lines if self._shows(line)]
        return found

    def _shows(self, line: str) -> bool:
        """Note the lanes of a line's value; return whether one of another value shows in it."""
        found = _LINE.fullmatch(line)
        if found is None:
            return False
        name, operation, rest = found.groups()
        operands = _typed(rest)
        place = next((name for type_, name in operands if type_ == "ptr"), "")
        if operation in ("load", "store") and place in self._variables:
            if name is None:
                self._known[place] = self._known.get(place, 0) | self._all(operands)
            else:
                self._known[name] = self._known.get(place, 0)
        elif name is not None and (lanes := self._computed(operation, rest, operands)) is not None:
            self._known[name] = lanes
        else:
            return self._all(operands) != 0 and not _DROPPED.search(rest)
        return False

    def _computed(self, operation: str, rest: str, operands: list[tuple[str, str]]) -> int | None:
        """Return the lanes of a value that may be poison; None if none of an operand may be."""
        match operation:
            case "shufflevector":
                both = self._of(*operands[0]) | self._of(*operands[1]) << _lanes(operands[0][0])
                zeros = ["0"] * _lanes(operands[2][0])
                order = re.findall(r"i32 (\d+|poison)", rest.rpartition("<")[2]) or zeros
                bits = (at == "poison" or both >> int(at) & 1 for at in order)
                return sum(1 << i for i, bit in enumerate(bits) if bit)
            case "insertelement" if operands[2][1].isdecimal():
                bit = 1 << int(operands[2][1])
                return self._of(*operands[0]) & ~bit | (bit if self._of(*operands[1]) else 0)
            case "extractelement" if operands[1][1].isdecimal():
                return self._of(*operands[0]) >> int(operands[1][1]) & 1
            case "freeze" | "alloca":
                return 0
            case "phi":
                type_, _, ways = rest.partition(" [")
                values = re.findall(r"(\S+), %", ways)
                return _union(self._of(type_, value) for value in values)
            case _ if operation in _CASTS:
                to = rest.rpartition(" to ")[2]
                return _resized(self._of(*operands[0]), _lanes(operands[0][0]), _lanes(to))
            case "call" if _PERMUTES.search(rest):
                return _permuted([self._of(*o) for o in operands], _lanes(operands[0][0]))
            case "load" | "call" | "insertelement" | "extractelement":
                return self._all(operands) if _LANEWISE.search(rest) else None
        names = re.findall(r"%[\w.]+|\bpoison\b", rest)
        type_ = next((t for t, _ in operands if t[0] == "<"), "i1")
        return _union(self._of(type_, name) for name in names)

    def _all(self, operands: Iterable[tuple[str, str]]) -> int:
        return _union(self._of(*operand) for operand in operands)

    def _of(self, type_: str, value: str) -> int:
        return (1 << _lanes(type_)) - 1 if value == "poison" else self._known.get(value, 0)


def _typed(text: str) -> list[tuple[str, str]]:
    """Return the operands that have a type before them: (type, name, number or other word)."""
    return re.findall(rf"(?<!\d )({_TYPE}) (%[\w.]+|\w+|<)", text)


def _lanes(type_: str) -> int:
    found = re.match(r"<(\d+) x", type_)
    return int(found[1]) if found else 1


def _union(lanes: Iterable[int]) -> int:
    total = 0
    for some in lanes:
        total |= some
    return total


def _permuted(given: list[int], count: int) -> int:
    """Return lanes that are chosen from tables by indices, the second of two or three operands."""
    return (1 << count) - 1 if given[0] or any(given[2:]) else given[1]


def _resized(lanes: int, have: int, want: int) -> int:
    """Return lanes of a vector of `have` elements as those of its bits with `want`."""
    per = max(have // want, 1), max(want // have, 1)
    found = 0
    for i in range(want):
        if lanes >> (i * per[0] // per[1]) & (1 << per[0]) - 1:
            found |= 1 << i
    return found

"""Declarations: arrays with their elements, and the parameters of a kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...isa.errors import did_you_mean
from ...isa.program import align
from ...isa.types import B1, TYPES, Segment, Type
from ...isa.verify import MAX_PARAMS, MAX_SEGMENT
from ..syntax.foreign import type_hint
from ..syntax.names import check_name
from ..syntax.parse import Part, Statement, parse_brackets
from ..syntax.shapes import Word
from ..syntax.values import Value, bits_of, evaluate, pack
from ..texts.source import Mistake


@dataclass(frozen=True, slots=True)
class Array:
    """A declared array: its name in the source, element type and number of elements."""

    name: Word
    type: Type
    count: int


def find_type(word: Word) -> Type:
    """Return the type of memory that a word names. Raises Mistake."""
    type_ = TYPES.get(word.text)
    if type_ is None:
        names = [name for name in TYPES if name != B1.name]
        near = type_hint(word.text) or did_you_mean(word.text, names)
        raise Mistake(
            "SIM128",
            f"unknown type `{word.text}`",
            word.at,
            "not a type",
            near or f"types are {', '.join(names)}",
        )
    if type_ is B1:
        raise Mistake(
            "SIM128",
            "b1 values live in $c registers only",
            word.at,
            "not a type of memory",
            "use u8 or u32",
        )
    return type_


def array(statement: Statement, segment: Segment, constants: Mapping[str, Value]) -> Array:
    """Return the array of a `.group`, `.private` or `.readonly` statement. Raises Mistake."""
    type_word, name, brackets = statement.parts[1:4]
    assert isinstance(type_word, Word) and isinstance(name, Word) and isinstance(brackets, Word)
    type_ = find_type(type_word)
    check_name(name)
    given = statement.parts[4:]
    try:
        length = parse_brackets(brackets.text, "length")
        count = _count(length[0], constants) if length else len(given)
    except Mistake as mistake:
        raise mistake.moved(brackets.start, brackets.at) from None
    most = MAX_SEGMENT[segment] // type_.size
    if not 1 <= count <= most:
        raise Mistake(
            "SIM128",
            f"an array of {count} elements cannot be in {segment} memory",
            brackets.at,
            f"must be from 1 to {most}",
            "" if length else "write the number of elements in the brackets",
        )
    if len(given) > count:
        raise Mistake(
            "SIM128",
            f"{len(given)} elements for an array of {count}",
            given[count].at,
            "one too many",
        )
    return Array(name, type_, count)


def _count(part: Part, constants: Mapping[str, Value]) -> int:
    value = evaluate(part, constants)
    if not isinstance(value, int):
        raise Mistake("SIM115", "a float where a number of elements is expected", part.at)
    return value


def elements(found: Array, given: Sequence[Part], constants: Mapping[str, Value]) -> bytes:
    """Return the bytes of an array with these elements; missing ones are zero. Raises Mistake."""
    bits = [bits_of(evaluate(part, constants), found.type, part) for part in given]
    data = pack(bits, found.type)
    return data + bytes(found.count * found.type.size - len(data))


class Layout:
    """Checks that the arrays of a segment fit, as they are placed in order."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.end = 0

    def add(self, found: Array) -> None:
        """Place the next array. Raises Mistake where the segment is full."""
        end = align(self.end, found.type.size) + found.count * found.type.size
        if end > MAX_SEGMENT[self.segment]:
            raise Mistake(
                "SIM129",
                f"`{found.name.text}` ends at byte {end} of {self.segment} memory",
                found.name.at,
                f"at most {MAX_SEGMENT[self.segment]} bytes",
            )
        self.end = end


class Parameter(NamedTuple):
    """A declared kernel parameter."""

    name: Word
    type: Type
    is_pointer: bool


def parameters(head: Statement) -> list[Parameter]:
    """Return the parameters in the head of a kernel. Raises Mistake."""
    found: list[Parameter] = []
    words = [part for part in head.parts[2:] if isinstance(part, Word)]
    is_pointer, type_ = False, None
    for word in words:
        if word.kind == "GLOBAL":
            is_pointer = True
        elif word.kind == "NAME":
            type_ = find_type(word)
        else:
            assert type_ is not None
            check_name(word)
            if any(earlier.name.text == word.text for earlier in found):
                raise Mistake(
                    "SIM111",
                    f"the parameter `{word.text}` is declared twice",
                    word.at,
                    "declared again",
                )
            found.append(Parameter(word, type_, is_pointer))
            is_pointer = False
    if len(found) > MAX_PARAMS:
        raise Mistake(
            "SIM128",
            f"a kernel of {len(found)} parameters",
            found[MAX_PARAMS].name.at,
            f"at most {MAX_PARAMS}",
        )
    return found

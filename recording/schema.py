"""Shapes of JSON values: what an entry of a recording's facts must be.

A check takes a value and its place, such as `launches[0].kernel`, and raises Unsound unless the
value has the shape. Only a message needs the text of a place, and there are millions of values.

Why not pydantic: checking the states of a recording of 12 MB takes it four fifths of the time, and
those of one of 1 MB less than half, but its import and the models, which depend on the recording,
take 120 ms, more than such a recording takes to load.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from ..isa.quoting import shown

Place = str | tuple["Place", str | int]
"""A text, or a place and the key or number of an entry in it."""

Check = Callable[[Any, Place], None]

LATEST = 1 << 62
"""A time after every other."""


class Unsound(Exception):
    """A recording's entry that is not what it must be."""


def expected(what: str, value: object, place: Place) -> Unsound:
    """Return the error of an entry that should have been another one."""
    return Unsound(f"{_text_of(place)} should be {what}, not {shown(value)}")


def _text_of(place: Place) -> str:
    if isinstance(place, str):
        return place
    outer, key = _text_of(place[0]), place[1]
    return f"{outer}[{key}]" if isinstance(key, int) else f"{outer}.{key}" if outer else key


def anything(value: Any, place: Place) -> None:
    """Take every value."""


def text(value: Any, place: Place) -> None:
    """Take a text."""
    if not isinstance(value, str):
        raise expected("a text", value, place)


def flag(value: Any, place: Place) -> None:
    """Take true or false."""
    if not isinstance(value, bool):
        raise expected("true or false", value, place)


def whole(least: int, most: int) -> Check:
    """Return a check of whole numbers in a range."""

    def check(value: Any, place: Place) -> None:
        if type(value) is not int or not least <= value <= most:
            raise expected(f"a whole number from {least:,} to {most:,}", value, place)

    return check


def number(value: Any, place: Place) -> None:
    """Take a number, or the text of one that JSON cannot hold, such as `nan`."""
    if isinstance(value, str) and value in ("nan", "inf", "-inf"):
        return
    if type(value) not in (int, float, bool):
        raise expected("a number", value, place)


def hexadecimal(most: int) -> Check:
    """Return a check of masks: hexadecimal texts of numbers up to `most`."""

    def check(value: Any, place: Place) -> None:
        try:
            found = int(value, 16) if isinstance(value, str) else -1
        except ValueError:
            found = -1
        if not 0 <= found <= most:
            raise expected(f"the hexadecimal text of a mask up to {most:x}", value, place)

    return check


def one_of(names: Collection[str]) -> Check:
    """Return a check of texts that must be one of some names."""

    def check(value: Any, place: Place) -> None:
        if not isinstance(value, str) or value not in names:
            raise expected(f"one of {', '.join(names)}", value, place)

    return check


def maybe(check: Check) -> Check:
    """Return a check that also takes null."""

    def either(value: Any, place: Place) -> None:
        if value is not None:
            check(value, place)

    return either


def each(check: Check) -> Check:
    """Return a check of lists, all of whose elements have one shape."""

    def every(value: Any, place: Place) -> None:
        if not isinstance(value, list):
            raise expected("a list", value, place)
        for at, element in enumerate(value):
            check(element, (place, at))

    return every


def row(*checks: Check) -> Check:
    """Return a check of lists with a fixed number of elements, each with a shape of its own."""

    def every(value: Any, place: Place) -> None:
        if not isinstance(value, list) or len(value) != len(checks):
            raise expected(f"a list of {len(checks)}", value, place)
        for at, (element, check) in enumerate(zip(value, checks, strict=True)):
            check(element, (place, at))

    return every


def by_name(check: Check) -> Check:
    """Return a check of objects with any keys, all of whose values have one shape."""

    def every(value: Any, place: Place) -> None:
        if not isinstance(value, dict):
            raise expected("an object", value, place)
        for key, element in value.items():
            check(element, (place, key))

    return every


def record(needed: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """Return a check of objects with certain keys; keys that it does not know may be anything."""
    others = optional or {}

    def every(value: Any, place: Place) -> None:
        if not isinstance(value, dict):
            raise expected("an object", value, place)
        for key, check in needed.items():
            if key not in value:
                raise Unsound(f"{_text_of(place) or 'the recording'} has no {key}")
            check(value[key], (place, key))
        for key, check in others.items():
            if key in value:
                check(value[key], (place, key))

    return every

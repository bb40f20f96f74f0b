"""A set of numbers, each with a value: lines that were touched, words that were written.

Engine code: open addressing with linear probing. Entries whose value is below `S.seen_from` are
void, so that raising it empties the table. A number that finds no place among `PROBES` records is
forgotten: memory for a million is enough for all but the largest launches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import device, mix, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State

seen = table("seen", record(key="i8", value="i8"))

SEEN_RECORDS = 1 << 20  # the host gives memory to those that are used only
PROBES = 64


@device
def place_of(S: State, key: int) -> int:
    """The record of a number, or the void one where it would be; -1 if there is no place."""
    first = mix(key, 0, 0)
    for probe in range(PROBES):
        at = (first + probe) & (SEEN_RECORDS - 1)
        if seen(S, at).value < S.seen_from or seen(S, at).key == key:
            return at
    return -1


@device
def value_of(S: State, key: int) -> int:
    """The value of a number, 0 if it has none."""
    at = place_of(S, key)
    if at < 0 or seen(S, at).value < S.seen_from:
        return 0
    return seen(S, at).value


@device
def put(S: State, key: int, value: int) -> int:
    """Give a number a value, `S.seen_from` at least."""
    at = place_of(S, key)
    if at >= 0:
        seen(S, at).key = key
        seen(S, at).value = value
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """An empty table; values count from 1 on."""
    return {"seen": SEEN_RECORDS, "seen_from": 1}

"""A map from numbers to values: lines that were touched, words that were written.

Engine code: open addressing with linear probing. Entries whose value is below `S.seen_from` are
void, so that raising it empties the table. A number that finds no place among `PROBES` records is
forgotten: a million records are enough for all but the largest launches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import device, mix, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State

seen = table("seen", record(key="i8", value="i8"))

SEEN_RECORDS = 1 << 20  # the host allocates memory only for those that are used
PROBES = 64


@device
def place_of(S: State, key: int) -> int:
    """Return the record of number `key`, or the void one that it would take; -1 for no place."""
    first = mix(key, 0, 0)
    for probe in range(PROBES):
        index = (first + probe) & (SEEN_RECORDS - 1)
        if seen(S, index).value < S.seen_from or seen(S, index).key == key:
            return index
    return -1


@device
def value_of(S: State, key: int) -> int:
    """Return the value of number `key`, 0 if it has none."""
    index = place_of(S, key)
    if index < 0 or seen(S, index).value < S.seen_from:
        return 0
    return seen(S, index).value


@device
def put(S: State, key: int, value: int) -> int:
    """Give number `key` a value, at least `S.seen_from`."""
    index = place_of(S, key)
    if index >= 0:
        seen(S, index).key = key
        seen(S, index).value = value
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """Return an empty table; values count from 1 on."""
    return {"seen": SEEN_RECORDS, "seen_from": 1}

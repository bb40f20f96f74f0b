"""The state and the tables of engine code that runs uncompiled.

Engines read them most of the time, so each word and each field is a property.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ...emu.recent import KEPT


class PlainTable:
    """The columns of a table's records in plain mode."""

    __slots__ = ("items", "size")

    def __init__(self, rows: np.ndarray) -> None:
        assert rows.dtype.names is not None
        # A memoryview gives or takes an item in a fraction of the time that an array needs. It
        # takes integers of the item's size only, where an array would cut off a fraction.
        self.items = {field: rows[field].data for field in rows.dtype.names}
        self.size = len(rows)


class PlainState:
    """The header and the tables of a run as engine code sees them in plain mode."""

    __slots__ = ("_items", "_rows")

    def __new__(cls, words: np.ndarray, fields: Mapping[str, int], *_: Any) -> PlainState:
        """Return a state whose words are properties."""
        return object.__new__(_state_class(tuple(fields.items())))

    def __init__(
        self, words: np.ndarray, fields: Mapping[str, int], tables: Mapping[str, np.ndarray]
    ) -> None:
        self._items = words.data
        self._rows = {name: PlainTable(rows) for name, rows in tables.items()}

    def put_table(self, name: str, table: PlainTable) -> None:
        """Give table `name` its records."""
        self._rows[name] = table


class PlainRow:
    """A record of a table in plain mode; its fields are properties of a derived class."""

    __slots__ = ("_at", "_table")

    def __init__(self, table: PlainTable, at: int) -> None:
        if not 0 <= at < table.size:
            raise IndexError(f"record {at} of a table of {table.size}")
        self._table = table
        self._at = at


@lru_cache(maxsize=KEPT)
def _state_class(fields: tuple[tuple[str, int], ...]) -> type[PlainState]:
    words = {name: _word_at(place) for name, place in fields}
    return type("PlainState", (PlainState,), {"__slots__": (), **words})


def _word_at(place: int) -> property:
    def get(state: PlainState) -> int:
        return state._items[place]

    def put(state: PlainState, value: int) -> None:
        state._items[place] = value

    return property(get, put)


@lru_cache(maxsize=KEPT)
def row_class(fields: tuple[str, ...]) -> type[PlainRow]:
    """Return the class of a record with these fields."""
    columns = {field: _column(field) for field in fields}
    return type("PlainRow", (PlainRow,), {"__slots__": (), **columns})


def _column(field: str) -> property:
    def get(row: PlainRow) -> int:
        return row._table.items[field][row._at]

    def put(row: PlainRow, value: int) -> None:
        row._table.items[field][row._at] = value

    return property(get, put)

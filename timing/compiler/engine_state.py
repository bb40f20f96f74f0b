"""Engine states: the header and the tables of one run."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...emu.jit.runtime.aligned import LINE, aligned_bytes
from ...isa.errors import SimtError
from ..engine.plain import PlainState, PlainTable
from .compose import Composition, Setup, declared_words, in_a_line, raised_at
from .inspection import CompositionError, own_files, place
from .native.entry import finish
from .native.fitted import fitted


class EngineState:
    """Header and tables of one run, in memory that compiled code may use; `S` is its plain view."""

    def __init__(self, composition: Composition, machine: Any) -> None:
        values: dict[str, Any] = dict(declared_words())
        giver: dict[str, Setup] = {}
        own = bool(own_files(composition.files))
        for setup in composition.setups:
            for key, value in _given(setup, machine, own=own).items():
                if key in values:
                    other = (
                        place(giver[key]) if key in giver else "engine/hooks, where it is declared"
                    )
                    raise CompositionError(
                        f"{place(setup)} gives the state's field {key!r}, as does {other}"
                    )
                values[key], giver[key] = value, setup
        missing = set(composition.tables) - set(values)
        if missing:
            raise CompositionError(f"no file says how large table {min(missing)!r} is")
        names = [n for n in values if n not in composition.tables]
        # Addresses of tables come first, since their offsets fit into shorter instructions.
        fields = [*(f"p_{n}" for n in composition.tables), *names]
        finish(composition, fields)
        self.composition = composition
        numbers = {n: _whole(n, values[n], giver[n]) for n in names if n in giver}
        firsts: dict[str, np.ndarray | None] = {}
        sizes: dict[str, int] = {}
        for name, dtype in composition.tables.items():
            value = values[name]
            first = firsts[name] = value if isinstance(value, np.ndarray) else None
            n = _whole(name, value, giver[name]) if first is None else len(first)
            sizes[name] = max(1, n) * dtype.itemsize
        places = _places(8 * len(fields), sizes)
        block = aligned(places[""], np.dtype(np.uint8))
        self.words = block[: 8 * len(fields)].view(np.int64)
        self._items = self.words.data  # sets a word in less time than an array does
        self._address = self.words.ctypes.data
        self.rows: dict[str, np.ndarray] = {}
        self._views: dict[int, _View] = {}
        self.columns: dict[str, Any] = {}
        """The same tables to be read item by item: `columns["group"].mask[g]` is an int."""
        self.S: Any = PlainState(self.words, composition.fields, {})
        for name in names:
            setattr(self.S, name, numbers.get(name, values[name]))
        for name, dtype in composition.tables.items():
            rows = block[places[name] : places[name] + sizes[name]].view(dtype)
            first = firsts[name]
            if first is not None:
                rows[: len(first)] = first
            self.put_table(name, rows)
        self.fitted = None if composition.plain else fitted(composition, numbers, places)
        """The native code for this machine."""

    def put_table(self, name: str, rows: np.ndarray) -> None:
        """Give a table its records, which are kept alive; their address goes to the header."""
        view = self._views.get(id(rows))
        if view is None:  # those of a kernel's code come back at each of its launches
            view = self._views[id(rows)] = _View(rows)
        self.rows[name] = rows
        self.columns[name] = view.items
        self.S.put_table(name, view.table)
        setattr(self.S, f"p_{name}", view.address)

    def put(self, numbers: Mapping[str, int]) -> None:
        """Set words of the header."""
        words, places = self._items, self.composition.fields
        for name, value in numbers.items():
            words[places[name]] = value

    def run(self, events: int) -> int:
        """Run the engine for at most `events` events; return its status (state.py)."""
        if self.fitted is not None:
            return self.fitted(self._address, events)
        entry = self.composition.entry
        assert entry is not None
        return int(entry(self.S, events))

    def optimise(self) -> None:
        """Compile the engine with all effort for this machine now, unless it is plain."""
        if self.fitted is not None:
            self.fitted.optimise()


class _View:
    """A table's records as Python reads them, and their address."""

    def __init__(self, rows: np.ndarray) -> None:
        self.rows = rows  # kept alive: the view is found by its identity
        self.table = PlainTable(rows)
        self.items = SimpleNamespace(**self.table.items)
        self.address = rows.ctypes.data


def _given(setup: Setup, machine: Any, *, own: bool) -> dict[str, Any]:
    """Return the fields that a file's setup gives; raise CompositionError for a missing setting.

    If the engine has `own` files of the user's, any failure of a setup becomes a CompositionError.
    """
    code = setup.__code__
    try:
        inspect.signature(setup).bind(machine)
    except TypeError:
        raise CompositionError(f"{place(setup)}: setup takes one argument, the machine") from None
    try:
        found = setup(machine)
    except SimtError:
        raise
    except Exception as e:
        if isinstance(e, KeyError) and e.args and e.args[0] not in machine.policy:
            raise CompositionError(
                f"{raised_at(e, code)}: setup reads the setting {e}, which the policy does not "
                "have",
                hint="declare it in SETTINGS; `simtlab policies NAME` lists those of a policy "
                "with the same files",
            ) from None
        if not own:
            raise
        raise CompositionError(f"{raised_at(e, code)}: setup fails: {in_a_line(e)}") from None
    if not isinstance(found, dict):
        raise CompositionError(
            f"{place(setup)}: setup returns {found!r}, not a dictionary",
            hint='return {"name": number}; the engine reads it as S.name',
        )
    return found


def _whole(name: str, value: object, setup: Setup) -> int:
    """Return the value of a field, or the number of a table's records, as an int."""
    if isinstance(value, (int, np.integer, np.bool_)) and -(1 << 63) <= value < 1 << 63:
        return int(value)
    raise CompositionError(
        f"{place(setup)}: setup gives {name!r} the value {value!r}; fields of the state are whole "
        "numbers of 64 bits"
    )


def _places(size: int, tables: Mapping[str, int]) -> dict[str, int]:
    """Return the offsets of tables with these bytes behind a header of `size` bytes; of "" the end.

    Each is at a multiple of 64, and the 64 bytes after it may be read.
    """
    places: dict[str, int] = {}
    end = size
    for name, table in tables.items():
        places[name] = -(-end // 64) * 64
        end = places[name] + table + 64
    return {**places, "": end}


def aligned(n: int, dtype: np.dtype) -> np.ndarray:
    """Return n zeroed records at a multiple of 64; the 64 bytes after them may be read."""
    size = n * dtype.itemsize
    return aligned_bytes(size + LINE)[:size].view(dtype)

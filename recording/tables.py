"""The tables of a recording: their columns, and the lists that a recorder fills."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

TABLES: Mapping[str, np.dtype] = {
    name: np.dtype([(column, f"<{form}") for column, form in columns.items()])
    for name, columns in {
        "issue": {
            "t": "i8", "warp": "i4", "group": "i4", "launch": "i2", "pc": "i4", "n": "i4",
            "mask": "u8",
        },
        "access": {
            "t": "i8", "warp": "i4", "group": "i4", "launch": "i2", "pc": "i4", "mask": "u8",
            "hits": "u8",
        },
        "wait": {
            "t": "i8", "until": "i8", "warp": "i4", "group": "i4", "launch": "i2", "pc": "i4",
            "mask": "u8", "cause": "i1",
        },
        "state": {"t": "i8", "warp": "i4", "row": "i4"},
        "instant": {
            "t": "i8", "warp": "i4", "kind": "i1", "pc": "i4", "mask": "u8", "other": "u8",
        },
        "occupant": {"t": "i8", "warp": "i4", "workgroup": "i4", "wave": "i4"},
    }.items()
}  # fmt: skip
"""Table -> record of one row; docs/recording.md has the meaning of the columns."""

INSTANTS = (
    "diverge", "split", "merge", "join", "miss", "barrier", "open", "exit", "trap",
)  # fmt: skip

State = dict[str, Any]
"""One entry of `facts["states"]`."""

EVERYTHING = (1 << 64) - 1


@dataclass
class Rows:
    """The rows of all tables while a run is recorded, and the states of warps, each kept once."""

    issue: list[tuple[int, ...]] = field(default_factory=list)
    access: list[tuple[int, ...]] = field(default_factory=list)
    wait: list[tuple[int, ...]] = field(default_factory=list)
    state: list[tuple[int, ...]] = field(default_factory=list)
    instant: list[tuple[int, ...]] = field(default_factory=list)
    occupant: list[tuple[int, ...]] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)
    _last: dict[int, int] = field(default_factory=dict)

    def note(self, t: int, warp: int, kind: str, pc: int, mask: int, other: int = 0) -> None:
        """Add an instant."""
        row = t, warp, INSTANTS.index(kind), pc, mask & EVERYTHING, other & EVERYTHING
        self.instant.append(row)

    def put_state(self, t: int, warp: int, state: State) -> None:
        """Add the state that a warp has from the end of `t` on, if it is another one."""
        key = repr(state)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.states)
            self.states.append(state)
        if self._last.get(warp) != number:
            self._last[warp] = number
            self.state.append((t, warp, number))

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the tables, each in the order of time; rows of equal time keep their order."""
        found: dict[str, np.ndarray] = {}
        for name, dtype in TABLES.items():
            rows = np.array(getattr(self, name), dtype)
            found[name] = rows[np.argsort(rows["t"], kind="stable")]
        return found


def text_of(mask: int) -> str:
    """Return a mask as states write it."""
    return f"{mask & EVERYTHING:x}"

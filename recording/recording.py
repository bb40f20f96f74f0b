"""A recording in memory and as a file: what a run did, unit of time by unit of time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..isa import expect
from ..isa.errors import SimtError, UsageError
from ..isa.quoting import shown
from .tables import TABLES, State

if TYPE_CHECKING:
    from .lanes import Item, LaneTime, Wait
    from .replay import Replay, Values
    from .spans import Span

MARK = "simtlab recording"
FORMAT = 1
"""Version of the file."""


@dataclass
class Recording:
    """The issues, waits and states of a run. docs/recording.md has the tables and facts.

    `tables` maps a name of `tables.TABLES` to a record array in the order of time; `memory` are the
    bytes that `facts["launches"]` point into; `programs` are object files.
    """

    facts: dict[str, Any]
    tables: Mapping[str, np.ndarray]
    memory: np.ndarray
    programs: list[bytes] = field(default_factory=list)

    @property
    def issues(self) -> np.ndarray:
        """The table `issue`."""
        return self.tables["issue"]

    @property
    def is_timing(self) -> bool:
        """Whether time counts cycles of a machine; else steps."""
        return self.facts["kind"] == "timing"

    @property
    def width(self) -> int:
        """Lanes of a warp."""
        return int(self.facts["width"])

    @property
    def begin(self) -> int:
        """The first time that is covered."""
        return int(self.facts["begin"])

    @property
    def end(self) -> int:
        """The time after the last one."""
        return int(self.facts["end"])

    def __repr__(self) -> str:
        unit = f"{self.facts['unit']}s"
        times = f"{unit} {self.begin:,} to {self.end:,}" if len(self.issues) else self.coverage
        return f"<Recording: {self.facts['title']}, {times}>"

    @property
    def coverage(self) -> str:
        """What the recording covers, as a clause of a message."""
        unit = self.facts["unit"]
        if not len(self.issues):
            return f"nothing was issued in its window, which begins at {unit} {self.begin:,}"
        return f"it covers {unit}s {self.begin:,} to {self.end - 1:,}"

    def check_warp(self, warp: int) -> None:
        """Raise UsageError unless the recording has this warp (this warp context)."""
        last = len(self.facts["warps"]) - 1
        if not 0 <= warp <= last:
            raise UsageError(
                f"warp {warp} is not in this recording: expected 0 to {last}", code="SIM515"
            )

    # --- what was where

    def state(self, warp: int, t: int) -> State:
        """Return the state of a warp at the end of `t`: stack, groups, lanes that wait.

        Raises UsageError.
        """
        rows = self._states_of(warp)
        at = int(np.searchsorted(rows["t"], t, side="right")) - 1
        return self.facts["states"][rows["row"][at]] if at >= 0 else {}

    def _states_of(self, warp: int) -> np.ndarray:
        found = self._by_warp.get(warp)
        if found is None:
            self.check_warp(warp)
            rows = self.tables["state"]
            found = self._by_warp[warp] = rows[rows["warp"] == warp]
        return found

    @cached_property
    def _by_warp(self) -> dict[int, np.ndarray]:
        return {}

    def occupant(self, warp: int, t: int) -> tuple[int, int]:
        """Return (workgroup, wave) of the warp that is in a context at `t`; -1 for none.

        Raises UsageError.
        """
        self.check_warp(warp)
        rows = self.tables["occupant"]
        mine = rows[(rows["warp"] == warp) & (rows["t"] <= t)]
        return (int(mine["workgroup"][-1]), int(mine["wave"][-1])) if len(mine) else (-1, -1)

    # --- time

    def spans(self) -> Iterator[Span]:
        """Yield what the lanes of every warp did, from one time up to another (spans.py)."""
        from .spans import spans

        return spans(self)

    def waits_of(self, warp: int, lane: int) -> list[Wait]:
        """Return the waits of a lane of a warp (of a warp context) in the order of time.

        A wait has `begin`, `end`, `cause`, `pc`, `place` and `mask`. Raises UsageError.
        """
        from .lanes import waits_of

        return waits_of(self, warp, lane)

    def why(self, item: Item, launch: int = 0) -> LaneTime:
        """Return what a work-item did from its start to its end; print it for a table.

        `item` is a flat global id, or (flat id of the workgroup, flat local id). `launch` counts
        the launches of the run from 0. Raises UsageError.
        """
        from .lanes import why

        return why(self, item, launch)

    # --- values

    def replay(self) -> Replay:
        """Return a replay at the beginning. Raises UsageError where the file has too little."""
        from .replay import Replay

        return Replay(self)

    def registers(self, warp: int, t: int) -> dict[str, np.ndarray]:
        """Return the registers of a warp's lanes at the end of `t`: name -> array of `width`.

        `$s` are uint32, `$d` uint64, `$c` bool. Empty where a warp context holds no warp at `t`.
        Raises UsageError.
        """
        self.check_warp(warp)
        replay = self.replay()
        replay.run_to(t + 1)
        return replay.registers(warp)

    def values(self, kept: list[int] | None = None) -> Values:
        """Return what registers and memory got, issue by issue; `kept` are the warps (all)."""
        from .replay import values_of

        return values_of(self, kept)

    # --- files

    def export(self, path: str | Path) -> None:
        """Write a file for another viewer: .json.gz or .json (Perfetto), .kanata (Konata).

        Raises UsageError and OSError.
        """
        from .export.files import export

        export(self, path)

    def save(self, path: str | Path, **more: np.ndarray) -> None:
        """Write the file; `more` are further arrays of it. Raises UsageError and OSError."""
        name = str(path)
        if not name.endswith(".npz"):
            raise UsageError(f"cannot record to {name!r}: the name must end in .npz", code="SIM515")
        every: dict[str, Any] = {**self.arrays(), **more}
        with open(name, "wb") as file:
            np.savez_compressed(file, **every)

    def arrays(self) -> dict[str, Any]:
        """Return the members of the file."""
        text = json.dumps(self.facts, separators=(",", ":")).encode()
        found: dict[str, Any] = {"facts": np.frombuffer(text, np.uint8)}
        for name, dtype in TABLES.items():
            for column in dtype.names or ():
                found[f"{name}_{column}"] = np.ascontiguousarray(self.tables[name][column])
        found["memory_bytes"] = self.memory
        for number, program in enumerate(self.programs):
            found[f"program_{number}"] = np.frombuffer(program, np.uint8)
        return found

    @staticmethod
    def given(value: object, function: str) -> Recording:
        """Return what a caller gave `function`: a recording, or the one of the file so named.

        Raises UsageError for anything else.
        """
        if isinstance(value, (str, Path)):
            return Recording.load(value)
        if isinstance(value, Recording):
            return value
        raise UsageError(
            f"{function} takes a recording or the name of its file, not {shown(value)}",
            code="SIM515",
            hint="simtlab.record(kernel, ...)(arguments) makes one",
        )

    @staticmethod
    def load(path: str | Path) -> Recording:
        """Read a file. Raises UsageError where it cannot be read, or is not a recording."""
        name = expect.path(path, "a recording")
        try:
            return Recording._read(name)
        except UsageError:
            raise
        except OSError as problem:
            reason = (problem.strerror or str(problem)).lower()
            raise UsageError(f"cannot read {name}: {reason}", code="SIM510") from None
        except Exception as problem:  # there are many ways in which a file can be damaged
            raise UsageError(f"{name} is not a recording: {problem}", code="SIM510") from None

    @staticmethod
    def _checked(path: str, recording: Recording) -> Recording:
        """Return the recording. Raises UsageError where it contradicts itself."""
        from .soundness import Unsound, check

        try:
            check(recording)
        except (Unsound, SimtError) as problem:
            text = problem.first.message if isinstance(problem, SimtError) else str(problem)
            raise UsageError(
                f"{path} is damaged, or another program has changed it: {text}",
                code="SIM510",
                hint="record the run again",
            ) from None
        return recording

    @staticmethod
    def _read(path: str) -> Recording:
        with np.load(path, allow_pickle=False) as file:
            if "facts" not in file.files or file["facts"].dtype != np.uint8:
                raise UsageError(f"{path} is not a recording", code="SIM510")
            facts = json.loads(file["facts"].tobytes())
            if facts.get("format") != MARK:
                raise UsageError(f"{path} is not a recording", code="SIM510")
            if facts["version"] != FORMAT:
                raise UsageError(
                    f"{path} is a recording of version {facts['version']}; this simtlab reads "
                    f"version {FORMAT}",
                    code="SIM510",
                )
            tables: dict[str, np.ndarray] = {}
            for table, dtype in TABLES.items():
                columns = [file[f"{table}_{column}"] for column in dtype.names or ()]
                tables[table] = np.zeros(len(columns[0]), dtype)
                for column, values in zip(dtype.names or (), columns, strict=True):
                    if values.dtype != dtype[column] or values.shape != columns[0].shape:
                        raise UsageError(
                            f"{path} is not a recording: {table}_{column} has the type or the "
                            "size of another table",
                            code="SIM510",
                        )
                    tables[table][column] = values
            programs = []
            while f"program_{len(programs)}" in file.files:
                programs.append(file[f"program_{len(programs)}"].tobytes())
            memory = file["memory_bytes"]
            if memory.dtype != np.uint8 or memory.ndim != 1:
                raise UsageError(
                    f"{path} is not a recording: memory_bytes are not bytes", code="SIM510"
                )
            return Recording._checked(path, Recording(facts, tables, memory, programs))

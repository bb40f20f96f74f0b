"""A memory system on its own: accesses at given times go in, answers come out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.recfunctions import merge_arrays

from simtlab.emu.jit.segments.table import RECORD as SEGMENT
from simtlab.emu.jit.segments.table import Space
from simtlab.timing.compiler.compose import compose
from simtlab.timing.compiler.engine_state import EngineState, aligned
from simtlab.timing.compiler.files import files_of, find
from simtlab.timing.compiler.native.entry import native
from simtlab.timing.machines import machine as machines

from .memory_driver import REQUEST, SIMD

DRIVER = str(Path(__file__).with_name("memory_driver.py"))
LOAD, STORE, ATOMIC, FETCH = range(4)
INVALID, SHARED, EXCLUSIVE, MODIFIED = range(4)
EMPTY = 1 << 62
MAX_LANES = 64

NO_CLOCK = {"crossbar.clock_mhz": 0, "crossbar.latency": 4}
"""A crossbar whose transfers begin at any time, so that cycles are added up by hand."""

Request = tuple[int, int, int, int]
"""(WPU, line, kind, cycle)"""


class Rig:
    """The memory of a machine (`dws` unless told), with fields replaced: `{"l1d.ways": 2}`.

    The crossbar has no clock of its own unless a field gives it one.
    """

    def __init__(self, fields: dict[str, Any] | None = None, *, plain: bool = True, name="dws"):
        self.machine = machines.load(name, {**NO_CLOCK, **(fields or {})})
        self.plain = plain
        files = (*files_of(self.machine, find("conv")), DRIVER)
        self.engine = compose(files, plain=plain)
        self.state = EngineState(self.engine, self.machine)
        self.S = self.state.S

    def lines(self, requests: Sequence[Request], lanes: int = 1) -> np.ndarray:
        """Look up lines in order; records with `ready`, `hit`, `mshr` and `l2`."""
        rows = aligned(len(requests), REQUEST)
        for row, (w, line, kind, t) in zip(rows, requests, strict=True):
            row["w"], row["line"], row["kind"], row["t"] = w, line, kind, t
        rows["lanes"] = lanes
        self.state.put_table("request", rows)
        self._run("drive_lines", len(requests))
        return rows

    def load(self, w: int, line: int, t: int) -> int:
        return self.one(w, line, LOAD, t)

    def store(self, w: int, line: int, t: int) -> int:
        return self.one(w, line, STORE, t)

    def one(self, w: int, line: int, kind: int, t: int, lanes: int = 1) -> int:
        """How many cycles one lookup takes; `hit` says whether it did."""
        (row,) = self.lines([(w, line, kind, t)], lanes)
        self.hit = bool(row["hit"])
        return int(row["ready"]) - t

    def simd(self, addresses: Sequence[int | None], t: int = 0, w: int = 0, **fields: int) -> Any:
        """One access, a global load of 4 bytes unless told; None: a lane that is not there."""
        block = aligned(2 * MAX_LANES, np.dtype(np.int64))
        wide = fields.get("space", Space.GLOBAL) == Space.GLOBAL
        registers = block if wide else block.view(np.uint32)
        for lane, address in enumerate(addresses):
            registers[lane] = address or 0
        segments = aligned(1, SEGMENT)
        for name, value in {"lane_bytes": 4, "space": Space.GLOBAL, "is_load": 1, **fields}.items():
            segments[0][name] = value
        rows = aligned(1, SIMD)
        mask = sum(1 << lane for lane, a in enumerate(addresses) if a is not None)
        rows["w"], rows["t"], rows["block"] = w, t, block.ctypes.data
        rows["mask"] = np.array(mask, np.uint64).astype(np.int64)
        self.state.put_table("seg", segments)
        self.state.put_table("simd", rows)
        self._run("drive_simd", 1)
        return rows[0]

    def counters(self) -> dict[str, int]:
        """The counters that are not 0."""
        names = [n for n in self.engine.fields if n.startswith("n_")]
        return {n: value for n in names if (value := int(getattr(self.S, n)))}

    @property
    def places(self) -> np.ndarray:
        """All places for lines, each with its tag and what else is known of it."""
        names = "cache_tag", "cache_ready", "cache_line"
        return merge_arrays(tuple(self.state.rows[name] for name in names), flatten=True)

    def state_of(self, w: int, line: int) -> int:
        """The MESI state of a line in a WPU's L1D."""
        cache = self.machine.l1d
        rows = self.places
        first = (w * cache.sets + line % cache.sets) * cache.n_ways
        found = [r for r in rows[first : first + cache.n_ways] if r["tag"] == line]
        assert len(found) <= 1
        return int(found[0]["state"]) if found else INVALID

    def _run(self, what: str, n: int) -> None:
        space = vars(self.engine.namespace)
        if self.plain:
            space[what](self.S, n)
            return
        key = f"entry of {what}"
        if key not in space:
            space[key] = native(self.engine, what)
        space[key](self.state.words.ctypes.data, n)

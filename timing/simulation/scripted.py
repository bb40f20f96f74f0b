"""Scripted inputs of a simulation: initial registers, and the adversary's answers.

The worked scenarios of the papers say which lanes branch and which lanes miss; with a script,
kernels need not compute it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...emu.engine import Work
from ...emu.jit.segments.compile import Segments
from ...emu.jit.segments.warp_block import Header
from ...isa.errors import UsageError
from ...isa.instruction import Reg
from ...isa.types import RegClass

Script = Mapping[tuple[int, int], tuple[bool, int]]
"""(work-item, number of its access from 0) -> (hit, latency in cycles; 0: the machine's)."""

Registers = Mapping[str, np.ndarray]
"""Name, as `s0`, `d3`, `c1` -> a value per work-item."""


def script_rows(script: Script, layout: np.dtype) -> np.ndarray:
    """Return the adversary's table for a script."""
    rows = np.zeros(len(script), layout)
    for row, ((item, n), (hit, latency)) in zip(rows, sorted(script.items()), strict=True):
        if latency < 0:
            raise UsageError(f"access {n} of work-item {item} takes {latency} cycles")
        row["item"], row["n"], row["hit"], row["latency"] = item, n, hit, latency
    return rows


def start_with(segments: Segments, work: Work, registers: Registers) -> Any:
    """Return a `start_fn` that also sets registers. Keep a reference while it may be called.

    Work-items are numbered workgroup after workgroup, by flat local id; raises UsageError where
    the kernel does not use a register, or an array does not have a value per work-item.
    """
    geometry, layout = work.geometry, segments.layout
    values_of = {_register(segments, name): np.asarray(v) for name, v in registers.items()}
    for reg, values in values_of.items():
        if values.shape != (geometry.n_items,):
            raise UsageError(
                f"{reg} is given {values.shape} values for {geometry.n_items} work-items"
            )
    kind = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)
    begin = kind(segments.start)

    def start(address: int, group: int, index: int) -> int:
        lanes = begin(address, group, index)
        block = np.ctypeslib.as_array((ctypes.c_uint8 * layout.total).from_address(address))
        first = group * geometry.largest_group
        first += int(layout.header(block)[Header.WARP]) * layout.width
        count = lanes.bit_count()
        for reg, values in values_of.items():
            lane_values = values[first : first + count]
            row = layout.view(block, reg)
            if reg.cls is RegClass.C:
                row[0] = sum(1 << lane for lane, value in enumerate(lane_values) if value)
            else:
                row[:count] = lane_values.astype(row.dtype, casting="unsafe")
        return lanes

    return kind(start)


def _register(segments: Segments, name: str) -> Reg:
    for reg in segments.layout.rows:
        if str(reg).lstrip("$") == name.lstrip("$"):
            return reg
    raise UsageError(f"kernel {segments.kernel.name} has no register {name}")

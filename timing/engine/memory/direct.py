"""First levels directly on memory, without coherence (LWM 4.1: one core).

Engine code. A line may be read and written alike. Memory performs atomics; an atomic claims what
reading its line does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import device

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State, dram_access
    from .lines import EXCLUSIVE, FETCH, LOAD, MODIFIED


@device
def next_level(S: State, w: int, line: int, kind: int, t: int) -> int:
    """Read a line of memory; see `hooks.next_level`."""
    S.reply_from_memory = 1
    S.reply_state = EXCLUSIVE if kind == LOAD else MODIFIED
    if kind == FETCH:
        return dram_access(S, line << S.l1i_line_shift, 1 << S.l1i_line_shift, 0, t)
    return dram_access(S, line << S.l1d_line_shift, S.l1d_line_bytes, 0, t)


@device
def memory_date(S: State) -> int:
    """Return the cycle at which an undelayed request is at the bus: nothing lies before it."""
    return S.request_date


@device
def write_back(S: State, w: int, line: int, t: int) -> int:
    """Write a line to memory; see `hooks.write_back`."""
    return dram_access(S, line << S.l1d_line_shift, S.l1d_line_bytes, 1, t)


def setup(machine: Machine) -> dict[str, Any]:
    """Return that memory does the atomics."""
    return {"atomics_past_l1": 1}

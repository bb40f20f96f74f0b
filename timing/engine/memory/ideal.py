"""A memory that serves every lane after the same latency and never misses.

Engine code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import device

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State


@device
def simd_access(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """Return t plus the latency: all lanes hit."""
    return t + S.ideal_latency


def setup(machine: Machine) -> dict[str, Any]:
    """Return the latency in cycles."""
    return {"ideal_latency": machine.l1d.hit_latency}

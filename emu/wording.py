"""Phrases of messages: places in a kernel, lanes, and loops that lanes repeat."""

from __future__ import annotations

from ..isa.program import Kernel
from .engine import Work


def _loops(kernel: Kernel) -> list[tuple[int, int]]:
    """Return the first and last pc of every loop: the code from a backward jump to its target."""
    return [
        (jump.target, pc)
        for pc, jump in enumerate(kernel.instructions)
        if jump.target is not None and jump.target <= pc
    ]


def place(work: Work, pc: int) -> str:
    """Return a place in the kernel for a message: its line if known, else its pc."""
    span = work.program.span(work.kernel, pc) if pc >= 0 else None
    return f"line {span.line}" if span else f"pc {pc}" if pc >= 0 else "the end"


def spinning(work: Work, lanes: int, pc: int, whose: str = " of the warp") -> str:
    """Return which lanes repeat the loop around `pc`; outside of loops, where the lanes are."""
    where = place(work, pc)
    if any(low <= pc <= high for low, high in _loops(work.kernel)):
        return f"{lanes_that(lanes, 'repeat', whose)} the loop at {where}"
    return f"{lanes_that(lanes, 'are', whose)} at {where}"


IN_VAIN = " without changing anything that it depends on"
"""Follows `spinning`: the registers that the loop tests or addresses with, and memory, repeat."""


def lowest(mask: int) -> int:
    """Return the lowest lane of a mask."""
    return (mask & -mask).bit_length() - 1


def lanes_that(mask: int, verb: str, whose: str = "") -> str:
    """Return subject and verb: `lane 3 of the warp waits`, `lanes 0-2 wait`.

    `verb` is the plural form, `whose` follows the lanes.
    """
    if mask.bit_count() == 1:
        return f"lane {lowest(mask)}{whose} {_SINGULAR.get(verb, f'{verb}s')}"
    return f"lanes {lane_list(mask)}{whose} {verb}"


_SINGULAR = {"are": "is", "reach": "reaches"}


def mask_text(mask: int, width: int) -> str:
    """Return a mask with lane 0 first, as the papers write it."""
    return "".join("1" if mask >> lane & 1 else "0" for lane in range(width))


def lane_list(mask: int) -> str:
    """Return the lanes of a mask as ranges: 0-4,7."""
    parts: list[str] = []
    lane = 0
    while mask >> lane:
        if mask >> lane & 1:
            start = lane
            while mask >> (lane + 1) & 1:
                lane += 1
            parts.append(str(start) if start == lane else f"{start}-{lane}")
        lane += 1
    return ",".join(parts)

"""The simulated addresses of an access's lanes, in whichever space.

Engine code. Global memory has its own addresses. Private memory lies at synthetic ones. It is
either interleaved, a block per warp context whose cells of 8 bytes take turns as in the warp block
(emu/jit/segments/warp_block.py), so that equal offsets of a warp are neighbours; or each work-item
has its own in one piece, as a thread's stack. Readonly data lie in a region of their own. Both are
far above all buffers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import device, word32, word64

if TYPE_CHECKING:
    from ..groups import home
    from ..hooks import State
    from ..state import SPACE_GLOBAL, SPACE_PRIVATE, group, seg, warp

PRIVATE_BASE = 1 << 44
READONLY_BASE = 1 << 43


@device
def lane_address(S: State, g: int, lane: int) -> int:
    """Return the address that `lane` wants in the current access of group g."""
    s = group(S, g).seg
    v = home(S, g, lane)
    if seg(S, s).space == SPACE_GLOBAL:
        return word64(warp(S, v).block + seg(S, s).addr_row, lane) + seg(S, s).imm
    return segment_address(S, s, v, lane)


@device
def segment_address(S: State, s: int, v: int, lane: int) -> int:
    """Return the private or read-only address that a lane of warp v wants in segment s."""
    row = seg(S, s)
    offset = row.imm
    if row.addr_row >= 0:
        offset += word32(warp(S, v).block + row.addr_row, lane)
    if row.space == SPACE_PRIVATE:
        if S.private_stride > 0:
            return PRIVATE_BASE + (v * S.width + lane) * S.private_stride + offset
        cell = (offset >> 3) * S.width + lane
        return PRIVATE_BASE + v * S.private_bytes + (cell << 3) + (offset & 7)
    return READONLY_BASE + offset

"""Formed warps that split at accesses: lanes that hit leave the pipeline as a warp of their own.

Engine code, with memory_split.py and pack_split.py. Split warps merge in the pool as all formed
warps do (dwf.py). The machine's `wst_entries` are for warps beyond the WPU's contexts; a branch
splits its warp whether or not an entry is free, so that more may be in use than there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...intrinsics import device

if TYPE_CHECKING:
    from ...groups import change_entries
    from ...hooks import State
    from ...state import wpu
    from .dwf import part_warp
    from .packs import part


@device
def on_group_count(S: State, w: int) -> int:
    """Count warps beyond the contexts of WPU w as entries; see `hooks.on_group_count`."""
    core = wpu(S, w)
    return change_entries(S, w, max(0, core.groups - S.warps) - core.entries)


@device
def has_room(S: State, w: int, v: int) -> int:
    """Return 1 if an entry is free for one more warp; see `hooks.has_room`."""
    if S.wst_entries == 0 or wpu(S, w).groups < S.warps + S.wst_entries:
        return 1
    S.n_wst_full += 1
    return 0


@device
def split_chosen(S: State, w: int, g: int) -> int:
    """Make the chosen lanes of warp g a warp of their own; see `hooks.split_chosen`."""
    lanes = 0
    h = g
    while h >= 0:
        lanes |= part(S, h).chosen
        h = part(S, h).next
    return part_warp(S, w, g, lanes)

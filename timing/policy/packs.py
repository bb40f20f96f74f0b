"""Packs: groups of several warps that issue together (LWM-06, LWM-17).

Engine code. Registers stay where they are: a pack is a list of groups, its *parts*, each with lanes
of one warp, its home. The first one is its *lead*, which the scheduler knows; segment, wait and
scheduler slot of the pack are the lead's, and `lead` of the others names it. Where parts want the
same lane they issue one after the other, in sub-warps (issue/packed.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import device, record, table

if TYPE_CHECKING:
    from ..account import charge_context, charge_longer
    from ..causes import PIPELINE
    from ..groups import end_group, forget_group
    from ..hooks import State
    from ..machine import Machine
    from ..state import group, warp

PART = record(
    next="i8",  # the next part of the pack, -1 behind the last
    left="i8",  # lanes that are in no sub-warp yet: the copy of the mask (LWM-07)
    chosen="i8",  # lanes in the sub-warp at hand
    taken="i8",  # lanes that take the branch: with the others, the two buffers of LWM-09
    over="i8",  # of a lead: when all that have accessed up to now are served
    missed="i8",  # of a lead: whether somebody has missed
)
part = table("part", PART)
"""Index as the group."""


@device
def own_waits(S: State, w: int, g: int, t: int) -> int:
    """Own what the homes of a pack have waited up to t."""
    h = g
    while h >= 0:
        charge_context(S, w, g, group(S, h).warp, t)
        h = part(S, h).next
    return 0


@device
def keep_until(S: State, w: int, v: int, s: int, t: int) -> int:
    """A warp is in the pipeline up to t, with segment s."""
    if t > warp(S, v).busy:
        charge_longer(S, w, v, s, PIPELINE, t - warp(S, v).busy)
    return 0


@device
def end_pack(S: State, g: int) -> int:
    """A pack is no more."""
    h = part(S, g).next
    end_group(S, g)
    while h >= 0:
        forget_group(S, h)
        h = part(S, h).next
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """A record per group."""
    return {"part": machine.wpus * machine.warps * machine.width}

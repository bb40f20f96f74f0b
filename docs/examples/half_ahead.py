"""Half ahead: at a divergent access the lanes that hit run ahead if they are enough.

Like `dws.aggress-split`, without the splits that leave most of the warp behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simtlab.timing.engine.intrinsics import device, popcount

if TYPE_CHECKING:
    from simtlab.timing.engine.causes import HIT
    from simtlab.timing.engine.groups import wake
    from simtlab.timing.engine.hooks import State, has_room
    from simtlab.timing.engine.policy.splits.local_stack import is_serial, local_level
    from simtlab.timing.engine.policy.splits.splits import split
    from simtlab.timing.engine.state import group

EXTENDS = ("policy/splits", "policy/local_stack", "policy/dws", "policy/pc_merge")
SETTINGS = {"branch-split": True, "branch-limited": False, "pc-merge": True, "percent": 50}


@device
def on_access(S: State, w: int, g: int, t: int) -> int:
    """Let the lanes that hit run ahead as a split of their own, if they are enough."""
    grp = group(S, g)
    few = 100 * popcount(grp.hits) < S.percent * popcount(grp.mask)
    if few or is_serial(S, g) == 1 or has_room(S, w, grp.warp) == 0:
        return 0
    S.n_memory_split += 1
    h = split(S, w, g, grp.hits)
    local_level(S, h).n = 0
    return wake(S, h, max(S.access_hits_at, t + S.pipeline), HIT)


def setup(machine):
    """Give the engine's state the field that `--set policy.percent=` changes."""
    return {"percent": machine.policy["percent"]}

"""As dws.revive-split; of a warp's splits that are ready, the one with most lanes issues."""

from simtlab.timing.engine.intrinsics import ctz, device, drop_lowest, popcount

EXTENDS = (
    "policy/splits", "policy/local_stack", "policy/dws",
    "policy/pc_merge", "policy/memory_split", "policy/run_ahead",
)
SETTINGS = {
    "branch-split": True, "memory-split": "revive", "pc-merge": True, "branch-limited": False,
}


@device
def stand_in(S, w, g, t):
    """Return the ready group of the same warp that has the most lanes."""
    first = group(S, g).warp * S.width
    rest = warp(S, group(S, g).warp).groups
    while rest != 0:
        h = first + ctz(rest)
        rest = drop_lowest(rest)
        other = group(S, h)
        ready = other.slot >= 0 and due(S, other.slot).at <= t
        if ready and popcount(other.mask) > popcount(group(S, g).mask):
            g = h
    return g

"""Each core has its own pages: a word of an own page is near, every other word is far."""

from simtlab.timing.engine.intrinsics import ctz, device, drop_lowest

EXTENDS = ("memory/addresses", "memory/perfect_fetch")


@device
def simd_access(S, w, g, lanes, t):
    """Serve the lanes that want an own page soon, and the others late."""
    near = 0
    rest = lanes
    while rest != 0:
        lane = ctz(rest)
        rest = drop_lowest(rest)
        if (lane_address(S, g, lane) >> 12) % S.wpus == w:
            near |= 1 << lane
    S.access_hits = near
    S.access_hits_at = t + S.near
    if near == lanes:
        return t + S.near
    return t + S.far


def setup(machine):
    """Return the two latencies, in cycles."""
    return {"near": 4, "far": 60}

"""Control flow: start, branches, re-convergence, barriers and exit of a warp."""

from __future__ import annotations

from .declaration import State, required


@required
def on_start(S: State, w: int, warp_id: int, t: int) -> int:
    """Begin the warp of context `warp_id` on WPU w at cycle t: make and schedule its first group.

    `warp(S, warp_id).live` has the lanes, and segment 0 is the kernel's first. Call `new_group`,
    `wake` the group at t, and `schedule` it.
    """
    return 0


@required
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Decide how group g continues after its conditional branch, which ends at cycle t.

    `taken` are the lanes of g that take the branch; `seg(S, group(S, g).seg)` has the `target`, the
    `next` segment and the re-convergence point `rpc`. Set the segment and mask with which g
    continues, and return 1; or `park` or end g, and return 0. For a pack, `part(S, h).taken` has
    the lanes of each part h.
    """
    return 0


@required
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """Stop group g before it issues its segment at cycle t, if it must wait; return 1 if it stops.

    Called before every segment is fetched. Return 0 to let g issue; the hook may first change its
    segment and mask, as when a re-convergence point pops the stack. Before it returns 1, the hook
    parks g, ends it, or takes its scheduler slot away; WPU w then picks another group at t.
    """
    return 0


@required
def on_exit(S: State, w: int, g: int, t: int) -> int:
    """Continue group g with other lanes after all of its own have returned at cycle t, or return 0.

    The lanes of `group(S, g).mask` have left `warp(S, v).live` already. Set a new mask and segment,
    and return 1; after 0 the engine ends g. A pack has to be ended by the hook (`end_pack`).
    """
    return 0


def on_reconverge(S: State, w: int, g: int, t: int) -> int:
    """Handle a `reconverge` instruction that group g has issued and that ends at cycle t.

    Used by explicit schemes (PPC-02, PPC-09). The segment of g is already the one after the
    instruction.
    """
    return 0


@required
def on_sync(S: State, w: int, g: int, t: int) -> int:
    """Add group g, which has issued a barrier, to the lanes of its warp that wait there.

    The barrier ended at cycle t, g is parked without a scheduler slot, and its segment is still
    that of the barrier. Return 1 if all live lanes of the warp have now arrived; g must then have
    them all. Return 0 if others are missing, after keeping or ending g.
    """
    return 0

"""Random kernels under every policy: the oracle's memory, however warps split and merge.

The memory answers as a seed says, scheduler slots and the warp-split table are scarce, and any
warp width is allowed: a policy that loses a lane, runs one twice or waits for ever is found here.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simtlab.testing import Case, kernels, run_case
from simtlab.testing.contracts import TRIPS, TRIPS_MACHINES
from simtlab.timing.compiler.engine_state import EngineState
from simtlab.timing.compiler.files import POLICIES, find
from simtlab.timing.machines import machine
from simtlab.timing.simulation.simulator import Simulator

from ....quick import examples
from ...support.random_runs import (
    HOSTILE,
    assert_oracles_memory,
    assert_same,
    machine_for,
    simulate,
)

SPLITTERS = [n for n, p in POLICIES.items() if "policy/splits" in p.files]


def splitter(m: machine.Machine, name: str, *, seed: int, plain: bool = False) -> Simulator:
    """Return a policy on a machine; slip may leave lanes behind, which by default it may not."""
    slips = "max-div" in POLICIES[name].settings
    chosen = {"max-div": seed % m.width, "predicated": seed % 2 == 1} if slips else {}
    return Simulator(m.model_copy(update={"policy": chosen}), find(name), plain=plain)


@pytest.mark.slow
@settings(max_examples=5000)
@given(*HOSTILE)
def test_every_policy_leaves_the_oracles_memory_at_length(case, width, seed, slots, entries):
    check_policies(case, width, seed, slots, entries)


def check_policies(case: Case, width: int, seed: int, slots: int, entries: int) -> None:
    m = machine_for(case, width, seed, slots, entries)
    others = ((name, splitter(m, name, seed=seed)) for name in SPLITTERS)
    assert_oracles_memory(case, Simulator(m, find("conv")), others)


def check_lanes(state: EngineState) -> None:
    """Splits of a warp share out the lanes of the stack's top; none is in two, none is lost.

    Lanes at a barrier have left the stack (DWS-16). The table has an entry for each of them.
    """
    warps, groups, width = state.rows["warp"], state.rows["group"], int(state.S.width)
    entries = np.zeros(len(state.rows["wpu"]), int)
    for v, warp in enumerate(warps):
        waits = state.rows["gathering"][v]
        parts = [waits["waiting"], waits["barrier"]] if warp["live"] else []
        n = int(warp["groups"]).bit_count() + sum(1 for lanes in parts if lanes)
        entries[v // int(state.S.warps)] += n if n > 1 else 0
    assert entries.tolist() == state.rows["wpu"]["entries"].tolist()
    for v, warp in enumerate(warps):
        if warp["live"] == 0 or warp["depth"] == 0:
            continue
        mates = state.rows["gathering"][v]
        parts = [int(mates["waiting"]), int(mates["barrier"])]
        for number in range(width):
            if int(warp["groups"]) >> number & 1:
                parts.append(int(groups[v * width + number]["mask"]))
                level = int(state.rows["local_level"][v * width + number]["n"])
                if level:
                    depth = int(state.S.local_depth)
                    parts[-1] = int(state.rows["local"][(v * width + number) * depth]["mask"])
        union = 0
        for part in parts:
            assert not union & part, f"warp {v}: a lane is in two splits"
            union |= part
        top = state.rows["stack"][v * int(state.S.stack_depth) + int(warp["depth"]) - 1]
        union &= ~int(mates["barrier"])
        assert union == int(top["mask"]), f"warp {v}: {union:b} of {int(top['mask']):b}"


@examples(6, 15)
@given(
    kernels(barriers_under_branches=True),
    st.sampled_from([3, 8]),
    st.integers(1, 1000),
    st.sampled_from(SPLITTERS),
    st.sampled_from([0, 2, 5]),
)
def test_lanes_are_shared_out_at_every_event(case, width, seed, policy, entries):
    m = machine_for(case, width, seed, 0, entries)
    simulator = splitter(m, policy, seed=seed, plain=True)
    state, whole = simulator.state, simulator.state.run
    seen = 0

    def step(events: int) -> int:
        nonlocal seen
        status = 0
        while status == 0 and events > 0 and seen < 3000:
            status = whole(1)
            check_lanes(state)
            events, seen = events - 1, seen + 1
        return status if seen < 3000 else whole(events)

    state.run = step
    simulate(case, simulator)


@pytest.mark.parametrize("policy", SPLITTERS)
def test_lanes_of_different_trips_meet_at_a_barrier(policy):
    """They merge by PC and part at a branch that is uniform in each trip: no policy traps there."""
    _, expected, trap = run_case(TRIPS, "oracle")
    assert trap is None
    for like in TRIPS_MACHINES:
        seed, width, entries = like["adversary_seed"], like["width"], like["wst_entries"]
        m = machine_for(TRIPS, width, seed, 0, entries).replaced({"dram.latency": 60})
        assert_same(simulate(TRIPS, splitter(m, policy, seed=seed)), expected, policy)


@pytest.mark.parametrize("plain", [True, False])
def test_a_policy_that_never_splits_takes_the_cycles_of_conv(plain):
    case = Case(DIVERGENT, *LAUNCH)
    for seed in (1, 2, 3):
        m = machine_for(case, 8, seed)
        off = m.model_copy(
            update={"policy": {"branch-split": False, "memory-split": "never", "pc-merge": False}}
        )
        conv = Simulator(m, find("conv"), plain=plain)
        simulate(case, conv)
        still = Simulator(off, find("dws.revive-split"), plain=plain)
        simulate(case, still)
        assert still.cycles == conv.cycles


DIVERGENT = """
kernel k(u32 %n, global u32* %x) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u64    $d0, [%x]
    cvt_u64_u32       $d1, $s0
    mad_u64           $d0, $d1, 4, $d0
    ld_global_u32     $s1, [$d0]
@loop:
    and_u32           $s2, $s1, 1
    cmp_eq_u32        $c0, $s2, 0
    cbr               $c0, @even
    mul_u32           $s1, $s1, 3
    add_u32           $s1, $s1, 1
@even:
    shr_u32           $s1, $s1, 1
    st_global_u32     $s1, [$d0]
    cmp_gt_u32        $c0, $s1, 1
    cbr               $c0, @loop
    ret
}
"""


def _launch():
    from simtlab.emu.geometry import Geometry

    return Geometry((64, 1, 1), (16, 1, 1), 8), (64, np.arange(1, 65, dtype=np.uint32))


LAUNCH = _launch()

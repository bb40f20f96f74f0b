"""Barriers and budgets under timing: traps that the oracle also has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.device import Device
from simtlab.emu.engine import Work
from simtlab.emu.interp.interpreter import run as interpret
from simtlab.emu.module import Module
from simtlab.emu.oracle import oracle
from simtlab.emu.traps import Trap, TrapKind
from simtlab.timing.compiler import files as policies
from simtlab.timing.machines import machine as machines
from simtlab.timing.simulation.simulator import Simulator

from ..support.toy import work_of

LANE = "workitemflatid_u32 $s0\n"

DIVERGENT = {
    "different barriers": f"""{LANE} cmp_ge_u32 $c0, $s0, 4
        cbr $c0, @other
        barrier
        ret
    @other:
        barrier
        ret""",
    "a warp that has returned": f"""{LANE} cmp_ge_u32 $c0, $s0, 4
        cbr $c0, @end
        barrier
    @end:
        ret""",
    "a warp that returns later": f"""{LANE} cmp_lt_u32 $c0, $s0, 4
        cbr $c0, @late
        barrier
        ret
    @late:
        add_u32 $s1, $s1, 1
        add_u32 $s1, $s1, 1
        ret""",
    "some lanes have returned": f"""{LANE} cmp_ge_u32 $c0, $s0, 7
        cbr $c0, @end
        barrier
    @end:
        ret""",
}


def simulator(**fields: object) -> Simulator:
    m = machines.load("toy", {"memory": "ideal", "width": 4, "warps": 2, **fields})
    return Simulator(m, policies.find("conv"), plain=True)


def launch(body: str, args: tuple[Any, ...] = (), **options: Any) -> Work:
    return work_of(f"kernel k() {{\n{body}\n}}", args, items=8, group_size=8, **options)


@pytest.mark.parametrize("why", DIVERGENT)
def test_a_divergent_barrier_names_a_work_item_that_waits(why: str) -> None:
    with pytest.raises(Trap) as caught:
        simulator().run(launch(DIVERGENT[why]))
    assert caught.value.record.kind is TrapKind.DIVERGENT_BARRIER
    assert caught.value.record.key in oracle.all_traps(launch(DIVERGENT[why]))


@pytest.mark.parametrize("why", ["a warp that has returned", "a warp that returns later"])
def test_a_warp_that_has_returned_may_count_as_arrived(why: str) -> None:
    sim = simulator()
    sim.run(launch(DIVERGENT[why], exited_arrive=True))
    assert sim.state.rows["wpu"]["n_barrier"][0] == 1


@pytest.mark.parametrize("loop", ["@a:\n br @a", "@a:\n cbr $c0, @end\n br @a\n@end:\n ret"])
def test_an_endless_loop_uses_up_its_budget(loop: str) -> None:
    with pytest.raises(Trap) as caught:
        simulator().run(launch(loop, budget=1000))
    assert caught.value.record.kind is TrapKind.BUDGET


def test_lanes_that_wait_for_no_other_lane_are_in_a_livelock() -> None:
    body = """.group u32 flag[1]
        @wait:
        ld_group_u32 $s0, [flag]
        cmp_eq_u32 $c0, $s0, 0
        cbr $c0, @wait
        ret"""
    with pytest.raises(Trap, match="livelock: lanes 0-3 of the warp repeat the loop at line ") as c:
        simulator().run(launch(body, budget=10_000))
    assert c.value.record.kind is TrapKind.LIVELOCK
    with pytest.raises(Trap) as functional:
        interpret(launch(body, budget=10_000))
    assert functional.value.record.kind is TrapKind.LIVELOCK


def test_a_trap_instruction_is_told_by_its_work_item() -> None:
    body = f"{LANE} cmp_lt_u32 $c0, $s0, 6\n cbr $c0, @end\n trap 7\n@end:\n ret"
    with pytest.raises(Trap) as caught:
        simulator().run(launch(body))
    assert caught.value.record.key in oracle.all_traps(launch(body))
    assert caught.value.record.code == 7


def test_loads_that_overwrite_their_own_address() -> None:
    memory = np.zeros(8, np.uint64)
    text = """kernel k(global u64* %m) {
        ld_kernarg_u64 $d0, [%m]
        mov_u64 $d1, $d0
        ld_global_u64 $d0, [$d0]
        st_global_u64 $d0, [$d1+8]
        ret
    }"""
    memory[0] = 0xDEAD_BEEF_0000_0000
    sim = simulator(memory="adversary")
    sim.run(work_of(text, [memory], items=1, group_size=1))
    assert memory[1] == memory[0]
    # What was loaded is no address that anybody wanted: one line.
    assert sim.counters()["l1_miss"] == 1


def test_a_launch_may_end_with_the_last_event_of_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine returns now and then; here after each event, so that one of them is the last."""
    monkeypatch.setattr("simtlab.timing.simulation.simulator.EVENTS", 1)
    run = simulator()
    run.run(launch(f"{LANE} ret"))
    assert run.cycles == 4


def test_counts_of_launches_add_up_to_those_of_the_run() -> None:
    simulator = Simulator(machines.load("toy"), policies.find("conv"))
    text = f"kernel lanes() {{\n{LANE} add_u32 $s1, $s0, 1\n ret\n}}"
    for items in (8, 16, 4):
        simulator.run(work_of(text, items=items, group_size=4))
    counts = simulator.launch_counts
    assert [count.begin for count in counts] == [0, *(count.end for count in counts[:-1])]
    assert counts[-1].end == simulator.cycles
    assert [count.items[0] for count in counts] == [8, 16, 4]
    cores = simulator.state.rows["wpu"]
    assert sum(count.warp_instructions for count in counts) == cores["n_warp_instr"].sum()
    assert sum(count.thread_instructions for count in counts) == 3 * (8 + 16 + 4)
    slots = sum(sum(count.issue_slots.values()) for count in counts)
    assert slots == simulator.cycles * len(cores)


def test_launches_share_a_context_but_not_arguments_dimensions_or_traps() -> None:
    device, sim = Device(), Simulator(machines.load("toy"), policies.find("conv"))
    program = assemble("""kernel k(global u32* %to, u32 %x) {
        ld_kernarg_u64 $d0, [%to]
        ld_kernarg_u32 $s1, [%x]
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d1, $s0
        mad_u64 $d0, $d1, 4, $d0
        gridsize_u32 $s2, 0
        add_u32 $s1, $s1, $s2
        st_global_u32 $s1, [$d0]
        ret
    }""")
    first, second = device.zeros(8, np.uint32), device.zeros(4, np.uint32)
    kernel = Module(program)["k"]

    def run(items: int, *args: object) -> None:
        kernel.launch(items=items, group_size=4, warp=sim.width).run_by(sim.run, *args)

    run(8, first, 10)
    with pytest.raises(Trap):
        run(8, second, 20)
    run(4, first, 30)
    third = device.zeros(4, np.uint32)  # a buffer that the earlier launches did not have
    run(4, third, 40)
    assert first.to_host().tolist() == [34] * 4 + [18] * 4
    assert third.to_host().tolist() == [44] * 4

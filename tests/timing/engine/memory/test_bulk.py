"""First levels without coherence and their flush (MAWS-13), every cycle counted by hand.

On `maws-bulk` a lookup takes 3 cycles; a message a port for 1 cycle and 4 to arrive, a line of 32
bytes 144/256 cycle and 4; the bus takes 2 cycles a line, memory 300.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.timing.compiler import files as policies
from simtlab.timing.machines import machine as machines
from simtlab.timing.results.races import stale_reads
from simtlab.timing.simulation.simulator import Simulator

from ...support.memory_rig import EXCLUSIVE, INVALID, MODIFIED, Rig
from ...support.toy import work_of

MISS = 3 + 5 + 2 + 300 + 5
HIT = 3


def bulk(**fields: object) -> Rig:
    return Rig(fields, name="maws-bulk")


def flush(rig: Rig, t: int) -> int:
    return vars(rig.engine.namespace)["on_launch_end"](rig.S, t)


def test_copies_do_not_know_each_other() -> None:
    rig = bulk()
    assert rig.load(0, 5, 0) == MISS
    assert rig.load(1, 5, 1000) == MISS
    # A store asks no other cache, and invalidates no copy.
    assert rig.store(0, 5, 2000) == HIT
    assert [rig.state_of(w, 5) for w in (0, 1, 2)] == [MODIFIED, EXCLUSIVE, INVALID]
    assert rig.load(1, 5, 3000) == HIT


def test_an_atomic_goes_to_memory() -> None:
    rig = bulk()
    rig.store(0, 5, 0)
    assert rig.one(0, 5, 2, 1000) == MISS + 2  # the dirty copy is written first, two cycles of bus
    assert rig.S.n_writeback == 1
    assert rig.state_of(0, 5) == INVALID


def test_a_flush_writes_dirty_lines_and_forgets_all() -> None:
    rig = bulk()
    rig.load(0, 1, 0)
    rig.store(0, 2, 0)
    rig.store(0, 3, 0)
    rig.store(1, 4, 0)
    # WPU 0: ports until 1000.6 and 1001.1, at memory at 1005 and 1006; WPU 1 at 1005. The bus, in
    # this order: until 1007, 1009, 1011.
    assert flush(rig, 1000) == 11
    assert rig.S.n_flush_line == 3
    assert all(rig.state_of(w, line) == INVALID for w in range(2) for line in range(5))
    assert rig.load(0, 1, 2000) == MISS
    # Nothing is dirty: only the copies go.
    assert flush(rig, 3000) == 0
    assert rig.load(0, 1, 4000) == MISS


def test_a_flush_is_as_fast_as_the_bus() -> None:
    rig = bulk()
    for line in range(500):
        rig.store(0, line, 0)
    # 500 lines of 2 cycles; the first is at memory 5 cycles after the beginning.
    assert flush(rig, 100_000) == 5 + 2 * 500


NEIGHBOUR = """
kernel k(u32 %far, global u32* %x) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u64    $d0, [%x]
    cvt_u64_u32       $d1, $s0
    mad_u64           $d1, $d1, 4, $d0
    st_global_u32     $s0, [$d1]
    ld_kernarg_u32    $s1, [%far]
    xor_u32           $s0, $s0, $s1             // the work-item to read from
    cvt_u64_u32       $d1, $s0
    mad_u64           $d1, $d1, 4, $d0
    ld_global_u32     $s2, [$d1]
    ret
}
"""


def simulate(far: int, launches: int = 1, **fields: Any) -> Simulator:
    machine = machines.load("maws-bulk", {"wpus": 2, "warps": 1, **fields})
    simulator = Simulator(machine, policies.find("conv"), plain=True)
    work = work_of(NEIGHBOUR, [far, np.zeros(16, np.uint32)], items=16, group_size=8)
    for _ in range(launches):
        simulator.run(work)
    return simulator


def test_reading_what_another_wpu_has_written_is_told() -> None:
    assert simulate(far=1).counters()["stale_read"] == 0  # the same warp
    simulator = simulate(far=8)
    assert simulator.counters()["stale_read"] == 16
    first = simulator.state.rows["stale"][0]
    assert {first["reader"], first["writer"]} == {0, 1}
    assert first["launch"] == 1
    (race,) = stale_reads(simulator)
    assert race.text.startswith("ld_global_u32")
    assert race.kernel == "k"
    assert "which WPU" in str(simulator.statistics())


def test_words_written_before_the_flush_may_be_read() -> None:
    simulator = simulate(far=8, launches=2)
    # Each launch writes first: as many again, and no more.
    assert simulator.counters()["stale_read"] == 32
    machine = simulator.machine
    reading = NEIGHBOUR.replace("    st_global_u32     $s0, [$d1]\n", "")
    x = np.zeros(16, np.uint32)
    again = Simulator(machine, policies.find("conv"), plain=True)
    again.run(work_of(NEIGHBOUR, [1, x], items=16, group_size=8))
    again.run(work_of(reading, [8, x], items=16, group_size=8))
    assert again.counters()["stale_read"] == 0


def test_the_flush_is_a_barrier() -> None:
    simulator = simulate(far=1)
    # Two dirty lines, one on each WPU: both at memory 5 cycles after the end, the bus takes 2 each.
    assert simulator.counters()["flush_line"] == 2
    assert simulator.cycles - int(simulator.state.S.ended) == 9


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
def test_compiled_and_plain_agree(plain: bool) -> None:
    machine = machines.load("maws-bulk", {"wpus": 2, "warps": 1})
    simulator = Simulator(machine, policies.find("conv"), plain=plain)
    simulator.run(work_of(NEIGHBOUR, [8, np.zeros(16, np.uint32)], items=16, group_size=8))
    assert simulator.counters()["stale_read"] == 16

"""The instruction cache, by hand and in whole runs."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.jit.segments.table import RECORD as SEGMENT
from simtlab.emu.memory import CODE_BASE
from simtlab.timing.compiler import files as policies
from simtlab.timing.compiler.engine_state import aligned
from simtlab.timing.machines import machine as machines
from simtlab.timing.simulation.simulator import Simulator

from ...support.kernels import INCREMENT
from ...support.memory_rig import Rig
from ...support.toy import work_of

# Lookup 1, message 5, L2 30, line 7; memory 108.
L2_HIT = 43
MISS = L2_HIT + 108
PER_LINE = 16
"""Instructions of 8 bytes in a line of 128."""


class CodeRig(Rig):
    """Fetches segments, each given as its first and last instruction."""

    def __init__(self, segments: list[tuple[int, int]], fields=None):
        super().__init__(fields)
        rows = aligned(len(segments), SEGMENT)
        for row, (first, last) in zip(rows, segments, strict=True):
            row["first_pc"], row["last_pc"] = first, last
        self.state.put_table("seg", rows)
        self.S.code_base = CODE_BASE

    def fetch(self, s: int, t: int, w: int = 0, group: int = 0) -> int:
        self.state.rows["wpu"]["current"] = group
        return vars(self.engine.namespace)["fetch"](self.S, w, s, t) - t


def test_a_line_is_fetched_once():
    rig = CodeRig([(0, 3), (4, 9)])
    assert rig.fetch(0, 0) == MISS
    assert rig.fetch(0, MISS) == 0  # the group comes back
    assert rig.fetch(1, MISS + 4) == 0
    assert rig.fetch(0, 1000, w=1) == L2_HIT
    assert rig.S.n_dram == 1


def test_another_group_joins_a_line_in_flight():
    rig = CodeRig([(0, 3)])
    rig.fetch(0, 0)
    assert rig.fetch(0, 10, group=1) == MISS - 10
    assert rig.S.n_l1i_merge == 1


def test_a_segment_asks_for_all_its_lines_at_once():
    rig = CodeRig([(0, 2 * PER_LINE)])
    # Three lines; a bus transfer of 8 cycles between each.
    assert rig.fetch(0, 0) == MISS + 16
    assert rig.S.n_l1i_miss == 3
    assert rig.fetch(0, MISS + 16) == 0


def test_four_mshrs():
    rig = CodeRig([(0, 5 * PER_LINE - 1)])
    # The fifth starts when the first is there, at 151: message 156, looked 186, memory 294, 301.
    assert rig.fetch(0, 0) == MISS + MISS - 1


def test_code_that_does_not_fit_runs_all_the_same():
    fields = {"l1i.size": 128, "l1i.ways": 1}
    rig = CodeRig([(0, 3 * PER_LINE)], fields)
    wait = rig.fetch(0, 0)
    assert wait > 0
    assert rig.fetch(0, wait) == 0  # its lines have evicted each other; it does not ask again
    assert rig.fetch(0, 5000) > 0


def test_lru_among_segments():
    rig = CodeRig(
        [(i * PER_LINE, i * PER_LINE) for i in range(3)], {"l1i.size": 256, "l1i.ways": 2}
    )
    t = 0
    for s in (0, 1, 0, 2):
        t += 1000
        if rig.fetch(s, t):
            rig.fetch(s, t + MISS)
    assert rig.fetch(0, 9000) == 0
    assert rig.fetch(1, 9500) == L2_HIT


def test_no_cache_is_a_perfect_one():
    rig = CodeRig([(0, 100)], {"l1i.size": 0})
    assert rig.fetch(0, 7) == 0


def run(
    machine: str, items: int, fields=None, *, plain: bool = True, launches: int = 1
) -> Simulator:
    """The kernel INCREMENT on some items."""
    x = np.zeros(items, np.uint32)
    work = work_of(INCREMENT, [x], items=items, group_size=min(items, 64))
    sim = Simulator(machines.load(machine, fields or {}), policies.find("conv"), plain=plain)
    for _ in range(launches):
        sim.run(work)
    assert (x == launches).all()
    return sim


def test_a_warp_alone():
    # Edges of the crossbar are 3 1/3 cycles apart. Code: leaves at 1, crosses from 3 1/3 to 6 2/3,
    # L2 at 7, memory until 145, crosses from 146 2/3 to 150. Five instructions, the load in the
    # fifth cycle, 154: leaves at 157, crosses from 160 to 163 1/3, L2 at 164, memory until 302,
    # crosses from 303 1/3 to 306 2/3. Add at 307, store at 308, EXCLUSIVE becomes MODIFIED: a hit,
    # 311; ret: 312.
    assert run("dws", 16).cycles == 312
    fields = {"crossbar.clock_mhz": 0, "crossbar.latency": 4}
    assert run("dws", 16, fields).cycles == 151 + 4 + 153 + 1 + 3 + 1


def test_a_second_launch_finds_its_code_and_data():
    # Five instructions, the load in cycle 4, hit at 7, store at 8, hit at 11, ret.
    one, two = (run("dws", 16, launches=n).cycles for n in (1, 2))
    assert two - one == 12


@pytest.mark.parametrize("machine", ["dws", "maws-coherent", "ppc"])
@pytest.mark.parametrize("items", [1, 100, 1000])
def test_whole_runs_compiled_and_plain(machine, items):
    plain, compiled = (run(machine, items, plain=p, launches=2) for p in (True, False))
    assert plain.cycles == compiled.cycles
    assert plain.counters() == compiled.counters()

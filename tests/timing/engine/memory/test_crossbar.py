"""A crossbar with a clock of its own, every edge counted by hand (docs/timing/memory.md, rule 4).

At 1 GHz and 300 MHz edges are 10/3 cycles apart: 0, 3 1/3, 6 2/3, 10 and so on. A line of 128 bytes
takes one cycle of the crossbar, in which 190 bytes pass. L1 takes 3 cycles, L2 30, the bus 8,
memory 100.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from simtlab.isa.errors import UsageError
from simtlab.timing.machines.machine import load

from ...support.memory_rig import LOAD, STORE, Rig

CLOCK = {"crossbar.clock_mhz": 300, "crossbar.latency": 0}


def ready(rig: Rig, *requests: tuple[int, int, int, int]) -> list[int]:
    return [int(t) for t in rig.lines(requests)["ready"]]


@pytest.mark.parametrize("plain", [True, False])
def test_a_transfer_begins_at_an_edge_and_takes_a_cycle_of_the_crossbar(plain):
    rig = Rig(CLOCK, plain=plain)
    # Leaves at 3, crosses from 3 1/3 to 6 2/3: 7; L2 at 37, memory at 145; from 146 2/3 to 150.
    assert ready(rig, (0, 5, LOAD, 0)) == [150]
    # L2 has it now. Leaves at 1000, an edge, until 1003 1/3, so 1004; L2 until 1034. WPU 0 is asked
    # from 1036 2/3 to 1040 and answers from 1040 to 1043 1/3, 1044; the line from 1046 2/3 to 1050.
    assert ready(rig, (1, 5, LOAD, 997)) == [1050]


def test_the_phase_of_the_clock_decides_how_long_a_request_waits():
    rig = Rig(CLOCK)
    rig.lines([(1, line, LOAD, 0) for line in range(0, 400, 4)])
    rig.lines([(2, line, LOAD, 20_000) for line in range(0, 400, 4)])  # no owner: SHARED
    # A request leaves 3 cycles after it. From an edge, 90,000: arrives at 3 1/3, 4; L2 until 34;
    # 36 2/3 to 40. A cycle later: from 3 1/3 to 6 2/3, 7; L2 until 37; from 40 to 43 1/3, 44. Three
    # later: from 6 2/3 to 10; L2 until 40, an edge; 44. Six later: 13 1/3, so 14; 46 2/3 to 50.
    took = [
        ready(rig, (0, 4 * i, LOAD, 89_997 + 300 * i + phase))[0] - (90_000 + 300 * i)
        for i, phase in enumerate(range(11))
    ]
    assert took == [40] + 6 * [44] + 4 * [50]


def test_nothing_drifts():
    # 3,000,000 is an edge, the 900,000th one, and 3,000,003 1/3 the next.
    rig = Rig(CLOCK)
    rig.lines([(1, 0, LOAD, 0), (2, 0, LOAD, 1000)])
    assert ready(rig, (0, 0, LOAD, 2_999_997)) == [3_000_040]
    far = 3 * 10**15 * 10
    rig.lines([(1, 4, LOAD, far), (2, 4, LOAD, far + 1000)])
    assert ready(rig, (0, 4, LOAD, far + 29_997)) == [far + 30_040]


def test_requests_of_a_wpu_leave_a_crossbar_cycle_apart():
    rig = Rig({**CLOCK, "l1d.mshrs": 0, "l2.banks": 4})
    for w in (1, 2):
        rig.lines([(w, line, LOAD, 10_000 * w) for line in range(4)])
    # Out of the WPU from 90,000 on: to 3 1/3, 6 2/3, 10, 13 1/3, so 4, 7, 10, 14; L2 in four banks
    # until 34, 37, 40, 44; back from 36 2/3, 40, 43 1/3 (the port is taken at 40), 46 2/3.
    rows = ready(rig, *((0, line, LOAD, 89_997) for line in range(4)))
    assert rows == [90_040, 90_044, 90_047, 90_050]


def test_an_owner_answers_over_the_crossbar():
    rig = Rig(CLOCK)
    rig.lines([(1, 0, STORE, 0)])
    # L2 knows at 90,034. A message to WPU 1 from 36 2/3 to 40; its line from 40 to 43 1/3, 44; the
    # answer from 46 2/3 to 50.
    assert ready(rig, (0, 0, LOAD, 89_997)) == [90_050]


def test_bytes_take_whole_cycles_of_the_crossbar():
    # 57 GB/s for all four WPUs are 14.25 bytes a cycle, 47.5 in a cycle of the crossbar: a line
    # takes three, a message one.
    rig = Rig({**CLOCK, "crossbar.bytes_per_cycle": 14.25})
    rig.lines([(w, line, LOAD, 10_000 * w) for w in (1, 2) for line in (0, 4)])
    # L2 at 34 and 37, out of one bank: from 36 2/3 to 46 2/3, then to 56 2/3.
    rows = ready(rig, (0, 0, LOAD, 89_997), (0, 4, LOAD, 89_997))
    assert rows == [90_047, 90_057]


def test_a_clock_of_the_wpus_own_and_a_faster_one():
    # 1 GHz: a message from 3 to 4, L2 until 34, a line of 128 bytes at 57 a cycle until 37.
    rig = Rig({"crossbar.clock_mhz": 1000, "crossbar.latency": 0})
    rig.lines([(w, 0, LOAD, 1000 * w) for w in (1, 2)])
    assert rig.load(0, 0, 90_000) == 37
    # 2 GHz: edges at halves; 28.5 bytes in each, so 5 of them: 3 1/2, so 4, 34 + 2 1/2.
    rig = Rig({"crossbar.clock_mhz": 2000, "crossbar.latency": 0})
    rig.lines([(w, 0, LOAD, 1000 * w) for w in (1, 2)])
    assert rig.load(0, 0, 90_000) == 37


def test_latency_comes_after_the_last_cycle_of_the_crossbar():
    rig = Rig({**CLOCK, "crossbar.latency": 2})
    rig.lines([(w, 0, LOAD, 1000 * w) for w in (1, 2)])
    # At 90,004 + 2, L2 until 36, from 36 2/3 to 40, + 2.
    assert ready(rig, (0, 0, LOAD, 89_997)) == [90_042]


def test_bulk_caches_cross_it_too():
    rig = Rig(CLOCK, name="maws-bulk")
    # Leaves at 3, at memory's side at 7; the bus takes 2 for 32 bytes, memory 300: 309; crosses
    # from 310 to 313 1/3.
    assert ready(rig, (0, 5, LOAD, 0)) == [314]


def test_the_machines_of_the_papers_have_it():
    for name in ("dws", "maws-coherent", "maws-intro16k", "maws-bulk", "ppc"):
        assert load(name).crossbar_cycle == Fraction(10, 3)
    assert load("gpu-small").crossbar_cycle == 0
    assert load("dws", {"clock_ghz": 1.2}).crossbar_cycle == 4
    assert load("dws", {"crossbar.clock_mhz": "0"}).crossbar_cycle == 0


@pytest.mark.parametrize("mhz", [1e-3 / 2, 1e-9])
def test_a_clock_that_no_cycle_count_can_follow(mhz):
    with pytest.raises(UsageError, match="a cycle of the crossbar must be 1/1000 to 1,048,576"):
        load("dws", {"crossbar.clock_mhz": mhz})


def test_a_clock_that_is_too_fast():
    with pytest.raises(UsageError, match="a cycle of the crossbar must be 1/1000"):
        load("dws", {"crossbar.clock_mhz": 1e6, "clock_ghz": 0.5})

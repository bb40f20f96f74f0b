"""The coherent memory system, a line at a time, every cycle counted by hand.

The crossbar has no clock of its own here. On `dws` a message then takes a port for 1 cycle and 4
more to arrive; a line takes 575/256 = 2.25 cycles and 4 more, 7 in all from a whole cycle on. A
lookup takes 3 in L1 and 30 in L2; memory takes 8 for the bus and 100.
"""

from __future__ import annotations

import pytest

from ...support.memory_rig import ATOMIC, EXCLUSIVE, INVALID, LOAD, MODIFIED, SHARED, STORE, Rig

TO_L2 = 3 + 5  # L1 lookup, message
LOOKED = TO_L2 + 30
L2_HIT = LOOKED + 7
MISS = L2_HIT + 108
HIT = 3


def test_a_load_that_misses_everything_then_hits():
    rig = Rig()
    assert rig.load(0, 5, 0) == MISS == 153
    assert not rig.hit
    assert rig.load(0, 5, 153) == HIT
    assert rig.hit
    assert rig.state_of(0, 5) == EXCLUSIVE
    assert rig.counters() == {
        "n_l1_miss": 1, "n_l1_hit": 1, "n_l2_miss": 1, "n_dram": 1, "n_bus_bytes": 128,
        "n_crossbar_message": 1, "n_crossbar_data": 1, "n_crossbar_bytes": 128,
        "n_mshr_time": 150, "n_mshr_busy": 150, "n_l2_mshr_time": 108,
    }  # fmt: skip


def test_a_pointer_chase_has_no_overlap():
    rig = Rig()
    t = 0
    for line in range(0, 4000, 97):
        assert rig.load(0, line, t) == MISS
        t += MISS
    assert rig.S.n_mshr_time == rig.S.n_mshr_busy


def test_a_line_in_flight_is_joined():
    rig = Rig()
    rig.load(0, 5, 0)
    assert rig.load(0, 5, 1) == 152  # with the first
    assert not rig.hit
    assert rig.load(0, 5, 152) == HIT  # looked up when the data come: its own lookup is longer
    assert not rig.hit
    assert rig.S.n_mshr_merge == 2
    assert rig.S.n_l2_miss == 1


def test_an_entry_without_room_for_more_lanes():
    rig = Rig({"l1d.targets": 20})
    rig.one(0, 5, LOAD, 0, lanes=16)
    assert rig.one(0, 5, LOAD, 1, lanes=4) == 152
    assert rig.one(0, 5, LOAD, 1, lanes=1) == 152 + HIT  # comes back when the line is there
    assert rig.S.n_target_full == 1
    # The request that opens an entry always has room.
    assert rig.one(0, 77, LOAD, 500, lanes=32) == MISS


def test_streaming_is_bound_by_the_bus():
    # 16 B a cycle: a line each 8 cycles, whatever else is faster.
    rig = Rig({"l1d.mshrs": 0})
    rows = rig.lines([(0, line, LOAD, 0) for line in range(40)])
    assert list(rows["ready"]) == [MISS + 8 * i for i in range(40)]


def test_lines_leave_for_l2_one_a_cycle():
    rig = Rig({"l1d.mshrs": 0})
    rig.lines([(1, line, LOAD, 0) for line in range(0, 16, 4)])
    rig.lines([(2, line, LOAD, 1000) for line in range(0, 16, 4)])  # no owner: SHARED
    rows = rig.lines([(0, line, LOAD, 2000) for line in range(0, 16, 4)])
    # All in bank 0: requests arrive 1 cycle apart, but lines need 2.246 cycles of the way back:
    # from 2038 on they end at 2.246, 4.49, 6.74, 8.98; the next cycle + 4.
    assert list(rows["ready"]) == [2045, 2047, 2049, 2051]
    # In four banks only the way out of the banks is free; the way into the WPU is the same.
    rig.lines([(1, line, LOAD, 3000) for line in range(4)])
    rig.lines([(2, line, LOAD, 4000) for line in range(4)])
    rows = rig.lines([(3, line, LOAD, 5000) for line in range(4)])
    assert list(rows["ready"]) == [5045, 5047, 5049, 5051]


def test_an_l2_bank_takes_a_request_a_cycle():
    rig = Rig()
    for w in (0, 1):
        rig.lines([(w, line, LOAD, 1000 * w) for line in (0, 4)])
    # Two WPUs want lines of bank 0 in one cycle. The second message waits for the port into the
    # bank; then the line for the port out of it, until 2040.25: 2042.49, so 2043 + 4.
    rows = rig.lines([(2, 0, LOAD, 2000), (3, 4, LOAD, 2000)])
    assert list(rows["ready"]) == [2045, 2047]
    # Different banks: no request waits.
    for w in (0, 1):
        rig.lines([(w, line, LOAD, 3000 + 1000 * w) for line in (8, 9)])
    rows = rig.lines([(2, 8, LOAD, 5000), (3, 9, LOAD, 5000)])
    assert list(rows["ready"]) == [5045, 5045]


def test_a_full_mshr_file_delays_the_start():
    rig = Rig({"l1d.mshrs": 2})
    rows = rig.lines([(0, line, LOAD, 0) for line in range(4)])
    first, second, third, fourth = rows["ready"]
    assert (first, second) == (153, 161)
    # The third starts at 153: message 158, looked at 188, memory 296, line 295-303.
    assert third == 153 + MISS - HIT
    assert fourth == 161 + MISS - HIT
    assert list(rows["mshr"]) == [0, 0, 153, 161]
    assert rig.S.n_mshr_full == 2
    # MSHR-cycles: from the start to the data.
    assert rig.S.n_mshr_time == 150 + 158 + 150 + 150
    assert rig.S.n_mshr_busy == fourth - 3


def test_the_boundaries_of_a_wait():
    rig = Rig()
    rows = rig.lines([(0, 5, LOAD, 0), (0, 5, LOAD, 10), (1, 5, LOAD, 300), (0, 5, LOAD, 400)])
    # Memory from the L2 lookup on; a merge waits for memory, too; L2 and coherence to the end;
    # a hit waits for neither.
    assert list(rows["l2"]) == [LOOKED, 0, rows["ready"][2], 0]
    rows = rig.lines([(2, 5, LOAD, 500), (2, 5, LOAD, 501)])
    assert list(rows["l2"]) == list(rows["ready"]) == [545, 545]


# --- coherence


def test_an_exclusive_owner_answers_with_a_message():
    rig = Rig()
    rig.load(0, 5, 0)
    # Looked at 238; message to WPU 0: 243; its acknowledgement: 248; line: 255.
    assert rig.load(1, 5, 200) == LOOKED + 5 + 5 + 7 == 55
    assert (rig.state_of(0, 5), rig.state_of(1, 5)) == (SHARED, SHARED)
    assert rig.S.n_forward == 1
    assert rig.load(2, 5, 300) == L2_HIT
    assert rig.S.n_forward == 1


def test_a_modified_owner_answers_with_the_line():
    rig = Rig()
    assert rig.store(0, 5, 0) == MISS
    assert rig.state_of(0, 5) == MODIFIED
    # Message 243, the line back: 250, the line on: 257.
    assert rig.load(1, 5, 200) == LOOKED + 5 + 7 + 7
    assert (rig.state_of(0, 5), rig.state_of(1, 5)) == (SHARED, SHARED)
    assert rig.S.n_crossbar_data == 3


def test_a_store_makes_an_exclusive_line_modified_silently():
    rig = Rig()
    rig.load(0, 5, 0)
    assert rig.store(0, 5, 200) == HIT
    assert rig.hit
    assert rig.state_of(0, 5) == MODIFIED
    assert rig.S.n_crossbar_message == 1


def test_a_copy_that_was_evicted_has_no_owner_any_more() -> None:
    rig = Rig()
    cache = rig.machine.l1d
    for way in range(cache.n_ways + 1):  # line 0 is the least recently used one of its set
        rig.load(0, way * cache.sets, 1000 * way)
    rig.store(1, 0, 50_000)
    assert rig.S.n_forward == 0
    rig.load(0, 0, 60_000)
    assert rig.S.n_forward == 1


def test_an_upgrade_invalidates_the_others():
    rig = Rig()
    for w in range(3):
        rig.load(w, 5, 200 * w)
    # Looked at 1038. To WPU 1: 1043, acknowledged 1048. To WPU 2 a cycle later, which comes back a
    # cycle later: 1049. The message that ends it: 1054.
    assert rig.store(0, 5, 1000) == LOOKED + 5 + 5 + 1 + 5 == 54
    assert not rig.hit
    assert [rig.state_of(w, 5) for w in range(3)] == [MODIFIED, INVALID, INVALID]
    assert rig.S.n_upgrade == 1
    assert rig.S.n_invalidate == 2
    # In flight until then.
    assert rig.load(0, 5, 1010) == 44
    assert rig.S.n_mshr_merge == 1


def test_an_upgrade_without_other_copies_asks_all_the_same():
    rig = Rig({"l1d.size": 256, "l1d.ways": 1})  # two sets
    rig.load(0, 4, 0)
    rig.load(1, 4, 200)
    rig.load(1, 6, 400)  # WPU 1 drops line 4
    assert rig.store(0, 4, 600) == LOOKED + 5
    assert rig.S.n_invalidate == 0


def test_an_upgrade_of_a_line_in_flight_ends_after_it():
    rig = Rig()
    rig.load(1, 5, 0)  # there at 153
    # Looked at 48. WPU 1 is reached at 53, and waits 100 for its line; acknowledged at 58 + 100;
    # the line takes 7.
    assert rig.load(0, 5, 10) == 165 - 10
    # Looked at 58. WPU 1 is reached at 63, acknowledges at 68, + 90 for its line, + 5 for the
    # message: 163. Not before the line is there.
    assert rig.store(0, 5, 20) == 165 - 20
    assert rig.state_of(0, 5) == MODIFIED


def test_ping_pong_between_two_wpus():
    rig = Rig()
    rig.store(0, 5, 0)
    for i in range(1, 9):
        # Message to the owner 5, the line back 7, the line on 7.
        assert rig.store(i % 2, 5, 1000 * i) == LOOKED + 5 + 7 + 7
        assert rig.state_of(i % 2, 5) == MODIFIED
        assert rig.state_of(1 - i % 2, 5) == INVALID
    assert rig.S.n_forward == rig.S.n_invalidate == 8
    assert rig.S.n_dram == 1


def test_the_owner_of_a_line_in_flight_answers_when_it_has_it():
    rig = Rig()
    rig.store(0, 5, 0)  # there at 153
    # Looked at 48; WPU 0 is reached at 53 and answers at once with the line, 60, on at 67; but it
    # has to wait for its own line for 100 cycles.
    assert rig.store(1, 5, 10) == 67 + 100 - 10


def test_coherence_latency_comes_on_top():
    rig = Rig({"coherence_latency": 11})
    rig.load(0, 5, 0)
    assert rig.load(1, 5, 200) == 55 + 11


def test_an_atomic_is_a_store():
    rig = Rig()
    assert rig.one(0, 5, ATOMIC, 0) == MISS
    assert rig.state_of(0, 5) == MODIFIED
    assert rig.one(0, 5, ATOMIC, 200) == HIT


# --- replacement


def test_the_least_recently_used_line_goes():
    rig = Rig({"l1d.size": 512, "l1d.ways": 4})  # one set
    for line in range(4):
        rig.load(0, line, 200 * line)
    rig.load(0, 0, 1000)
    rig.load(0, 9, 1200)
    assert [rig.state_of(0, line) != INVALID for line in (0, 1, 2, 3, 9)] == [
        True, False, True, True, True
    ]  # fmt: skip


def test_a_dirty_victim_goes_after_the_request():
    rig = Rig({"l1d.size": 128, "l1d.ways": 1})
    rig.store(0, 0, 0)
    assert rig.load(0, 1, 200) == MISS
    assert rig.S.n_writeback == 1
    # The write-back occupies the port out of the WPU from 204 to 206.246, and delays nothing else.
    rig.store(0, 2, 400)
    # Line 0 is in L2: 645. Its request left at 603-604, the write-back of line 2 at 604-606.246;
    # the next request, of cycle 601, leaves behind it, arrives at 612, and is looked up by 642.
    rows = rig.lines([(0, 0, LOAD, 600), (0, 1, LOAD, 601)])
    assert rows["ready"][0] == 600 + L2_HIT
    # Line 0 is in flight in the only way: line 1 has to wait for it (645), and starts then.
    assert rows["ready"][1] == 645 + L2_HIT - HIT
    assert rig.S.n_victim_wait == 1


def test_a_victim_in_flight_is_waited_for():
    rig = Rig({"l1d.size": 256, "l1d.ways": 2})
    rows = rig.lines([(0, line, LOAD, 0) for line in range(3)])
    assert list(rows["ready"][:2]) == [153, 161]
    assert rows["ready"][2] == 153 + MISS - HIT
    assert rows["mshr"][2] == 153
    assert [rig.state_of(0, line) for line in range(3)] == [INVALID, EXCLUSIVE, EXCLUSIVE]


def test_eviction_from_l2_takes_the_copies_along():
    rig = Rig({"l2.size": 256, "l2.ways": 2})  # one set
    rig.store(0, 0, 0)
    rig.load(1, 1, 200)
    assert rig.load(2, 2, 400) == MISS
    assert rig.state_of(0, 0) == INVALID
    assert rig.S.n_back_invalidate == 1
    assert rig.S.n_l2_writeback == 1
    assert rig.S.n_dram_write == 1
    # A clean line goes without a write.
    assert rig.load(3, 3, 600) == MISS
    assert rig.state_of(1, 1) == INVALID
    assert rig.S.n_dram_write == 1
    assert rig.store(0, 0, 800) == MISS


def test_a_line_written_back_to_l2_is_dirty_there():
    rig = Rig({"l1d.size": 128, "l1d.ways": 1, "l2.size": 256, "l2.ways": 2})
    rig.store(0, 0, 0)
    rig.load(0, 1, 200)  # line 0 goes to L2
    assert rig.S.n_writeback == 1
    rig.load(0, 2, 400)  # and to memory: it is the least recently used
    assert rig.S.n_l2_writeback == 1
    assert rig.S.n_back_invalidate == 0  # line 1 was dropped by L1 itself


def test_l2_merges_and_its_targets():
    rig = Rig({"l2.targets": 2})
    assert rig.load(0, 5, 0) == MISS
    # WPU 1's lookup ends at 39: line 5 is there at 146, and WPU 0, EXCLUSIVE, has it at 153. It is
    # asked: reached at 44, answered at 49, on at 56, and waits 153 - 44.
    assert rig.load(1, 5, 1) == 56 + 109 - 1
    assert rig.S.n_l2_merge == 1
    # No room: it looks again at 146 and knows at 176; the line takes 7.
    assert rig.load(2, 5, 2) == 47 + 136 - 2
    assert rig.S.n_l2_target_full == 1


def test_full_l2_mshrs_delay_memory():
    rig = Rig({"l2.mshrs": 1})
    rows = rig.lines([(0, line, LOAD, 0) for line in range(2)])
    # Line 1 is looked up by 39, but the entry is free at 146: bus 154, memory 254, line 261. Its
    # way back was claimed at 39, behind line 0's; that is over long since.
    assert list(rows["ready"]) == [153, 261]
    assert rig.S.n_l2_mshr_full == 1


def test_sectors_share_an_l2_line():
    # MAWS: L1 lines of 32 bytes in L2 lines of 128 (Q-MAWS-1). 32 B cross in 0.5625 cycles.
    rig = Rig(name="maws-coherent")
    miss = 38 + 8 + 300 + 1 + 4
    assert rig.load(0, 4, 0) == miss == 351
    assert rig.load(0, 5, 400) == 38 + 1 + 4
    assert rig.load(1, 6, 600) == 38 + 1 + 4  # no cache owns that sector
    assert rig.S.n_forward == 0
    assert rig.S.n_dram == 1
    assert rig.S.n_crossbar_bytes == 96


def test_back_invalidation_covers_all_sectors():
    rig = Rig({"l2.size": 256, "l2.ways": 2}, name="maws-coherent")
    for w, line in enumerate((0, 1, 2, 3)):
        rig.load(w, line, 500 * w)
    rig.store(1, 1, 3000)
    rig.load(0, 4, 4000)
    rig.load(0, 8, 5000)
    assert rig.S.n_back_invalidate == 4
    assert rig.S.n_l2_writeback == 1
    assert [rig.state_of(w, w) for w in range(4)] == [INVALID] * 4


@pytest.mark.parametrize("wpus", [1, 3, 5])
def test_any_number_of_wpus(wpus):
    rig = Rig({"wpus": wpus})
    for w in range(wpus):
        assert rig.load(w, 7 + w, 1000 * w) == MISS


def test_full_associativity():
    rig = Rig({"l1d.size": 4096, "l1d.ways": 0, "l1d.mshrs": 0, "l2.ways": 0, "l2.size": 8192})
    rig.lines([(0, line, LOAD, 0) for line in range(0, 3200, 100)])
    rows = rig.lines([(0, line, STORE, 5000) for line in range(0, 3200, 100)])
    assert rows["hit"].all()
    rig.load(0, 1, 6000)
    assert rig.state_of(0, 0) == INVALID
    assert rig.S.n_writeback == 1

"""One core on open-row memory (LWM): serial lines, rows, atomics, private memory; cycles by hand.

On `lwm` a lookup takes 1 cycle, a line the bus for 128 / 32 = 4, and the memory 100 where the row
is open and 300 elsewhere. A row has 32 lines, and there are 8 banks.
"""

from __future__ import annotations

import pytest

from ...support.memory_rig import LOAD, STORE, Rig
from ...support.scenarios import Scenario, alu, ld
from ...support.toy import Toy

HIT, OPEN, OTHER = 1, 1 + 4 + 100, 1 + 4 + 300
ROW, BANKS = 32, 8


def lwm(**fields: object) -> Rig:
    return Rig(fields, name="lwm")


# --- rows


def test_a_row_is_opened_once() -> None:
    rig = lwm()
    assert rig.load(0, 5, 0) == OTHER  # no row is open at first
    assert rig.load(0, 6, 1000) == OPEN
    assert rig.load(0, 5, 2000) == HIT
    assert rig.counters() == {**rig.counters(), "n_row_hit": 1, "n_row_conflict": 1, "n_dram": 2}


def test_rows_of_other_banks_stay_open() -> None:
    rig = lwm()
    rig.load(0, 0, 0)
    assert rig.load(0, ROW, 1000) == OTHER  # the next row is in the next bank
    assert rig.load(0, 1, 2000) == OPEN
    assert rig.load(0, ROW * BANKS, 3000) == OTHER  # the same bank again
    assert rig.load(0, 2, 4000) == OTHER


def test_opening_a_row_keeps_the_bank() -> None:
    rig = lwm()
    # At its bank at 5, which is taken for 200 cycles to open the row and 4 to read.
    assert rig.load(0, 0, 0) == 305
    assert rig.load(0, ROW * BANKS, 0) == 209 + 300
    # Another bank is not touched; the bus is, by two lines before.
    assert rig.load(0, ROW, 0) == 1 + 3 * 4 + 300


def test_lines_of_an_open_row_come_at_the_speed_of_the_bus() -> None:
    rig = lwm()
    rig.load(0, 0, 0)
    assert [rig.load(0, line, 1000) for line in (1, 2, 3)] == [105, 109, 113]


def test_a_bank_takes_whole_cycles_for_bytes_that_take_the_bus_a_fraction() -> None:
    rig = lwm(**{"bus.bytes_per_cycle": 48})
    rig.load(0, 0, 0)
    # They have crossed the bus after 2.67, 5.34, 8.004 and 10.67 cycles. Each keeps the bank for 3.
    assert [rig.load(0, line, 1000) for line in (1, 2, 3, 4)] == [104, 107, 110, 113]


def test_a_dirty_victim_takes_bus_and_bank() -> None:
    rig = lwm()
    sets = rig.machine.l1d.sets
    rig.store(0, 0, 0)
    for i in range(1, 4):
        rig.load(0, i * sets, 1000 * i)
    # 64 sets are two rows: line 256 is in bank 0 again, whose open row (192 is in bank 6) is 0.
    assert rig.load(0, 4 * sets, 5000) == OTHER
    assert rig.S.n_writeback == 1
    # The victim, line 0, followed at once: the bank opened row 0 again, behind the other one.
    assert rig.load(0, 1, 6000) == OPEN


# --- one line after the other


def simd(rig: Rig, addresses: list[int | None], t: int, kind: int = LOAD, atomic: bool = False):
    row = rig.simd(addresses, t, is_load=kind == LOAD, is_store=kind == STORE, is_atomic=atomic)
    return int(row["ready"]) - t, int(row["hits"]), rig.S.access_bubbles


def test_lines_take_turns() -> None:
    rig = lwm()
    for line in (0, 1, 2):
        rig.load(0, line, 0)
    assert simd(rig, [0, 4, 8, 12], 1000) == (HIT, 0b1111, 0)
    assert simd(rig, [0, 128, 256, 4], 2000) == (3, 0b1111, 2)
    assert simd(rig, [None, 128, None, 132], 3000) == (HIT, 0b1010, 0)


def test_of_several_lines_some_miss() -> None:
    rig = lwm()
    rig.load(0, 1, 0)
    # Line 0 is looked up at 1000, line 1 at 1001, line 2 at 1002. Its bus comes behind that of line
    # 0: 1003 to 1007 against 1001 to 1005; both in an open row, one every 4 cycles.
    assert simd(rig, [0, 128, 256], 1000) == (7 + 2 + 100, 0b010, 2)


def test_no_banks_in_a_serial_cache() -> None:
    rig = lwm()
    rig.load(0, 0, 0)
    # All 32 lanes in a stride that would be one bank of 32; eight words apart they are two lines.
    assert simd(rig, [64 * (i % 2) for i in range(32)], 1000) == (HIT, 0xFFFF_FFFF, 0)


def test_atomics_are_done_by_memory() -> None:
    rig = lwm()
    rig.load(0, 0, 0)
    assert rig.load(0, 0, 900) == HIT
    # Four lanes of one line: looked up in the fourth cycle; then memory, as a line.
    assert simd(rig, [0, 4, 8, 12], 1000, atomic=True) == (3 + OPEN, 0, 3)
    # The copy is gone.
    assert rig.load(0, 0, 2000) == OPEN
    # Lanes of several lines: 2 + 1 turns.
    assert simd(rig, [0, 4, 128], 3000, atomic=True)[2] == 2


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
def test_bubbles_stall_the_barrel(plain: bool) -> None:
    fields = {
        "memory": "gpu", "issue": "barrel", "pipeline": 7, "l1d.size": "4KiB", "l1d.ways": 4,
        "bus.bytes_per_cycle": 64,
    }  # fmt: skip
    loads = Scenario(f"{ld('d0')} {ld('d0')} ret\n", width=3, lines={"d0": "abc"})
    # Looked up at 0, 1, 2; bus until 2, 3, 4; data at 12, 13, 14. Fetched again at 14: all hit, the
    # last one at 16; the warp is out at 14 + 2 + 7. `ret` at 23, out at 30.
    toy = Toy(loads, plain=plain, **fields)
    assert toy.cycles == 30
    assert toy.slots["bank"] == 4
    # A second warp is fetched behind the bubbles.
    two = Toy(Scenario(f"{ld('d0')} ret\n", 3, 2, lines={"d0": "abcabc"}), plain=plain, **fields)
    # The first at 0, 1, 2 (data at 14), the second at 3, 4, 5 (with it): `ret` at 14 and 15.
    assert two.cycles == 15 + 7
    assert two.wpu["n_access"] == 2


# --- private memory


PRIVATE = Scenario(
    f".private u32 p[2]\n st_private_u32 $s0, [p]\n {alu(1)} ld_private_u32 $s1, [p]\n ret\n",
    width=4,
)


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
def test_private_memory_on_chip_is_one_cycle(plain: bool) -> None:
    toy = Toy(PRIVATE, plain=plain, private="on-chip")
    assert (toy.cycles, toy.wpu["n_access"]) == (4, 0)


def test_private_memory_in_the_cache_is_an_access() -> None:
    toy = Toy(PRIVATE, private="cached")
    # The first touch misses: ten cycles; the lanes' words lie side by side, in one line.
    assert (toy.cycles, toy.wpu["n_access"]) == (10 + 1 + 1 + 1, 2)
    assert toy.counters["l1_miss"] == 1

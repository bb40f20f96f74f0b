"""SIMD accesses: lanes to lines, banks, hit masks, spaces, boundaries; cycles counted by hand.

`dws` has lines of 128 bytes, 16 lanes, 16 banks of 4 bytes, hits in 3 cycles, and misses everything
in 153 (test_coherent.py); the second line of an access comes 8 cycles later, behind the bus.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simtlab.emu.jit.segments.table import Space
from simtlab.timing.machines import machine as machines

from ...support.memory_rig import Rig

BASE = 0x1000_0000
UNIT = [BASE + 4 * lane for lane in range(16)]
MISS = 153


def steps_of(addresses: list[int | None], banks: int) -> int:
    """Different words in the fullest bank."""
    words = {a >> 2 for a in addresses if a is not None}
    return int(np.bincount([w % banks for w in words]).max())


def warm(addresses, **fields):
    """A rig on which an access has been made long ago."""
    rig = Rig(fields)
    rig.simd(addresses)
    return rig


def test_unit_stride_is_one_line_and_one_step():
    rig = Rig()
    row = rig.simd(UNIT)
    assert (row["ready"], row["hits"], row["bank"], row["l2"]) == (MISS, 0, 0, 38)
    row = rig.simd(UNIT, t=1000)
    assert (row["ready"], row["hits"], row["bank"]) == (1003, 0xFFFF, 0)
    assert rig.S.n_l1_miss == rig.S.n_l1_hit == 1


def test_a_row_over_two_lines_comes_in_two_parts():
    row = Rig().simd([BASE + 64 + 8 * lane for lane in range(16)], lane_bytes=8)
    # Words 0, 2, 4, ... 30 in 16 banks: two steps, so all a cycle later; the second line comes a
    # bus transfer later, and of its wait the boundaries tell.
    assert (row["ready"], row["bank"], row["l2"]) == (MISS + 1 + 8, 1, 38 + 1 + 1)


def test_lanes_of_one_word_share_it():
    rig = warm([BASE] * 16)
    row = rig.simd([BASE] * 16, t=1000)
    assert (row["ready"], row["hits"]) == (1003, 0xFFFF)


@pytest.mark.parametrize(
    ("stride", "steps"), [(4, 1), (8, 2), (16, 4), (32, 8), (64, 16), (68, 1), (128, 16), (132, 1)]
)
def test_strides_and_banks(stride, steps):
    # gcd(stride / 4, 16) lanes fall into each bank that is used: 68 and 132 are odd in words.
    addresses = [BASE + stride * lane for lane in range(16)]
    rig = warm(addresses)
    row = rig.simd(addresses, t=5000)
    assert row["hits"] == 0xFFFF
    assert row["ready"] == 5000 + steps - 1 + 3
    assert row["bank"] == (5000 + steps - 1 if steps > 1 else 0)


def test_the_next_access_waits_for_the_banks():
    addresses = [BASE + 64 * lane for lane in range(16)]
    rig = warm(addresses)
    rig.simd(addresses, t=5000)  # 16 steps: 5000 to 5015
    row = rig.simd(UNIT, t=5001)
    assert (row["ready"], row["bank"]) == (5016 + 3, 5016)
    row = rig.simd(UNIT, t=5100)
    assert (row["ready"], row["bank"]) == (5103, 0)
    assert rig.S.n_bank_wait == 15 + 15 + 15  # the cold access, too


def test_divergent_accesses_hit_with_the_lanes_that_hit():
    rig = warm(UNIT)
    mixed = [a if lane % 3 else a + 4096 for lane, a in enumerate(UNIT)]
    row = rig.simd(mixed, t=1000)
    # All words are in different banks. The line that misses is there at 1153.
    assert (row["ready"], row["bank"]) == (1000 + MISS, 0)
    assert row["hits"] == sum(1 << lane for lane in range(16) if lane % 3)


def test_lanes_that_are_not_there_want_nothing():
    rig = Rig()
    row = rig.simd([None, None, BASE + 8, None, BASE + 16, None])
    assert row["ready"] == MISS
    assert rig.S.n_l1_miss == 1
    row = rig.simd([None, BASE, None, BASE + 8], t=1000)
    assert row["hits"] == 0b1010


def test_a_store_to_a_shared_line_misses():
    rig = warm(UNIT)
    rig.simd(UNIT, t=1000, w=1)
    row = rig.simd(UNIT, t=2000, is_load=0, is_store=1)
    # Upgrade: lookup 38, message and acknowledgement 10, message 5.
    assert (row["ready"], row["hits"], row["l2"]) == (2053, 0, 2053)


def test_lanes_of_an_atomic_take_turns_at_their_line():
    rig = Rig()
    counts = [BASE] * 5 + [BASE + 4] + [BASE + 256] * 2
    fields = {"is_load": 1, "is_store": 1, "is_atomic": 1}
    rig.simd(counts, **fields)
    row = rig.simd(counts, t=1000, **fields)
    assert (row["ready"], row["bank"], row["hits"]) == (1000 + 5 + 3, 1005, 0xFF)


def test_targets_count_lanes():
    rig = Rig()
    rig.simd(UNIT)
    assert rig.simd(UNIT, t=1)["ready"] == MISS  # 32 requests: full
    assert rig.simd(UNIT, t=2)["ready"] == MISS + 3
    assert rig.S.n_target_full == 1


def test_private_memory_of_a_warp_is_side_by_side():
    # Equal offsets: 16 cells of 8 bytes, one line; words 0, 2, ... 30: two steps.
    rig = Rig()
    rig.S.private_bytes = 1024
    fields = {"space": Space.PRIVATE}
    row = rig.simd([24] * 16, **fields)
    assert (row["ready"], rig.S.n_l1_miss) == (MISS + 1, 1)
    row = rig.simd([24 + 4] * 16, t=1000, **fields)
    assert (row["ready"], row["hits"]) == (1000 + 1 + 3, 0xFFFF)
    row = rig.simd([32] * 16, t=2000, **fields)
    assert row["hits"] == 0  # the next cell of each: another line


def test_stacks_of_work_items_lie_one_after_the_other():
    # Offset 24 of stacks of 40 bytes: bytes 24, 64, 104, ... 624, words 6, 16, 26, ... 156. They
    # lie in five lines, of three, three, three, four and three lanes.
    # Banks of words, mod 16: 6, 0, 10, 4, 14, 8, 2, 12 and again: two steps.
    rig = Rig({"private_layout": "stack"})
    rig.S.private_bytes, rig.S.private_stride = 1024, rig.machine.private_distance(40)
    fields = {"space": Space.PRIVATE}
    row = rig.simd([24] * 16, **fields)
    assert (rig.S.private_stride, rig.S.n_l1_miss) == (40, 5)
    assert row["ready"] == MISS + 1 + 4 * 8
    lines = [p["tag"] - (1 << 44 >> 7) for p in rig.places if 0 <= p["tag"] - (1 << 44 >> 7) < 99]
    assert sorted({*lines}) == [0, 1, 2, 3, 4]
    # What lies behind it in the same lines is there already.
    row = rig.simd([32] * 16, t=1000, **fields)
    assert (row["ready"], row["hits"]) == (1000 + 1 + 3, 0xFFFF)


def test_stacks_in_pages_of_their_own_share_a_set():
    # 8 KiB apart: a line each, all in one set of 8 ways; each of 16 words is in bank 6.
    rig = Rig({"private_layout": "stack", "private_stride": "8KiB"})
    rig.S.private_stride = rig.machine.private_distance(40)
    fields = {"space": Space.PRIVATE}
    row = rig.simd([24] * 16, **fields)
    assert rig.S.n_l1_miss == 16
    assert row["bank"] == 15
    # Nothing of the first eight is left, and what the last eight left is evicted by them.
    row = rig.simd([24] * 16, t=10_000, **fields)
    assert (row["hits"], rig.S.n_l1_miss) == (0, 32)


def test_the_distance_of_stacks():
    dws = machines.load("dws")
    stack = dws.replaced({"private_layout": "stack"})
    assert [m.private_distance(20) for m in (dws, stack)] == [0, 24]
    assert stack.private_distance(0) == 8
    pages = stack.replaced({"private_stride": "8KiB"})
    assert (pages.private_distance(20), pages.private_distance(9000)) == (8192, 9000)


def test_readonly_data_go_through_the_first_level():
    rig = Rig()
    fields = {"space": Space.READONLY}
    assert rig.simd([4 * lane for lane in range(16)], **fields)["ready"] == MISS
    assert rig.simd([4 * lane for lane in range(16)], t=500, **fields)["hits"] == 0xFFFF
    assert rig.simd([0] * 16, t=600, **{**fields, "addr_row": -1, "imm": 8})["hits"] == 0xFFFF


@pytest.mark.parametrize("address", [0, 4, (1 << 63) - 64, 1 << 63, (1 << 64) - 64, (1 << 64) - 4])
@pytest.mark.parametrize("step", [0, 4, 132])
def test_wild_pointers_have_lines_too(address, step):
    # The mover refuses them afterwards; until then they are addresses like others.
    for plain in (True, False):
        rig = Rig(plain=plain)
        lanes = [(address + step * lane) % (1 << 64) for lane in range(16)]
        row = rig.simd(np.array(lanes, np.uint64).astype(np.int64).tolist(), imm=-8)
        assert row["ready"] >= MISS


GEOMETRY = st.fixed_dictionaries(
    {
        "width": st.sampled_from([1, 3, 8, 16, 32, 64]),
        "l1d.line": st.sampled_from([4, 32, 64, 128, 256]),
        "l1d.banks": st.sampled_from([0, 1, 4, 16, 64]),
    }
)

SMALL = {"l1d.size": "8KiB", "l2.size": "64KiB", "l2.mshrs": 0, "l1d.mshrs": 0}
"""Quick to make and, in plain Python, to look through."""


@given(GEOMETRY, st.sampled_from([1, 2, 4, 8]), st.integers(0, 3), st.data())
def test_banks_and_lines_of_anything(geometry, size, how, data):
    """Steps, and lines in the order of their lowest lanes, whatever lanes want."""
    width, line = geometry["width"], geometry["l1d.line"]
    line = max(line, 8)
    rig = Rig({**geometry, **SMALL, "l1d.line": line, "l2.line": max(line, 128)})
    start = data.draw(st.integers(0, 64)) * size
    if how == 0:
        step = data.draw(
            st.sampled_from([1, 2, 3, 4, 6, 8, 12, 64, 80, 128, 160, 1024, -4, -68, -512])
        )
        offsets = [(1 << 17) + start + step * lane for lane in range(width)]
    elif how == 1:
        offsets = [start] * width
    else:
        top = 16 if how == 2 else 4096
        offsets = [
            size * n
            for n in data.draw(st.lists(st.integers(0, top), min_size=width, max_size=width))
        ]
    here = data.draw(st.lists(st.booleans(), min_size=width, max_size=width))
    here[data.draw(st.integers(0, width - 1))] = True
    imm = data.draw(st.sampled_from([0, -64, 256]))
    lanes = [BASE + o if h else None for o, h in zip(offsets, here, strict=True)]
    rig.simd(lanes, imm=imm, lane_bytes=size)
    real = [None if a is None else a + imm for a in lanes]
    assert rig.S.bank_steps == steps_of(real, rig.machine.l1d_banks)
    wanted = rig.state.rows["wanted"]
    expected: dict[int, int] = {}
    for lane, address in enumerate(real):
        if address is not None:
            expected[address // line] = expected.get(address // line, 0) | 1 << lane
    found = [(int(r["line"]), int(r["lanes"]) % (1 << 64)) for r in wanted[: len(expected)]]
    assert found == list(expected.items())


@given(GEOMETRY, st.integers(0, 1 << 30))
def test_compiled_and_plain_agree(geometry, seed):
    line = max(geometry["l1d.line"], 8)
    fields = {**geometry, **SMALL, "l1d.line": line, "l2.line": max(line, 128)}
    rigs = Rig(fields), Rig(fields, plain=False)
    rng = np.random.default_rng(seed)
    for i in range(8):
        store, atomic = (bool(rng.integers(2)) for _ in range(2))
        space = rng.choice([Space.GLOBAL, Space.PRIVATE, Space.READONLY])
        size = int(rng.choice([4, 8]))
        run = size * np.arange(geometry["width"])
        scattered = size * rng.integers(0, 200, geometry["width"])
        lanes: list[int | None] = [
            int(a) + (BASE if space == Space.GLOBAL else 0) if rng.random() < 0.8 else None
            for a in (run if rng.integers(2) else scattered)
        ]
        lanes[0] = BASE
        shape = {"space": space, "lane_bytes": size, "is_store": store, "is_atomic": atomic}
        answers = [rig.simd(lanes, t=20 * i, w=i % 4, **shape) for rig in rigs]
        for name in ("ready", "hits", "bank", "mshr", "l2"):
            assert answers[0][name] == answers[1][name]
    assert rigs[0].counters() == rigs[1].counters()

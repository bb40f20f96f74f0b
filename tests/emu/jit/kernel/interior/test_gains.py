"""Which kernels have versions for interior warps and edges: streams, and grids of planes."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel import launch_facts
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.interior import version
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ....support.guarded import LOAD_X, guarded, store_y
from ....support.oracle_work import make
from ....support.word_search import SEARCH
from ...support.against_oracle import assert_as_oracle


def code_of(work: Work) -> str:
    return generate(work.kernel, 0, facts_of(work.kernel, work.geometry))


def stream(
    computing: int, *, n: int = 300, room: int = 300, items: int = 384, group: int = 128
) -> Work:
    body = "\n".join(f"mad_u32 $s2, $s2, $s2, {i}" for i in range(computing))
    store = "ld_kernarg_u64 $d2, [%y]\n add_u64 $d2, $d0, $d2\n st_global_u8 $s2, [$d2]"
    text = guarded(f"{LOAD_X}\n{body}\n{store}", "global u32* %x, global u8* %y")
    x = np.random.default_rng(1).integers(0, 1 << 32, 300, np.uint32)
    return make(text, [n, x, np.zeros(room, np.uint8)], items=items, group_size=group)


@pytest.mark.parametrize(
    ("computing", "has_one"), [(0, False), (2, False), (4, True), (24, True), (80, False)]
)
def test_streams_that_compute_a_little_have_one(computing: int, has_one: bool) -> None:
    assert ("\nrun_head:" in code_of(stream(computing))) == has_one
    for n, room in ((300, 300), (128, 300), (64, 64), (1, 1), (300, 200), (384, 384)):
        assert_as_oracle(*(stream(computing, n=n, room=room) for _ in "ab"))


@pytest.mark.parametrize(("group", "has_one"), [(128, False), (256, True), (4096, True)])
def test_in_long_rows_all_streams_have_one(group: int, has_one: bool) -> None:
    assert ("\nrun_head:" in code_of(stream(0, items=group, group=group))) == has_one
    for n, room in ((300, 300), (64, 64), (1, 1), (300, 200)):
        assert_as_oracle(*(stream(0, n=n, room=room, items=group, group=group) for _ in "ab"))


def planes(n: int, room: int, group: tuple[int, int, int] = (32, 1, 1)) -> Work:
    """Sums of the neighbours above and below in a cube, at distances of n * n."""
    text = """
    kernel planes(u32 %n, global u32* %x, global u32* %y) {
        workitemabsid_u32 $s0, 0
        workitemabsid_u32 $s1, 1
        workitemabsid_u32 $s2, 2
        ld_kernarg_u32 $s3, [%n]
        sub_u32 $s4, $s3, 1
        cmp_ge_u32 $c0, $s0, $s4
        cmp_eq_u32 $c1, $s0, 0
        or_b1 $c0, $c0, $c1
        cmp_ge_u32 $c1, $s2, $s4
        or_b1 $c0, $c0, $c1
        cmp_eq_u32 $c1, $s2, 0
        or_b1 $c0, $c0, $c1
        cbr $c0, @done
        mad_u32 $s5, $s2, $s3, $s1
        mad_u32 $s5, $s5, $s3, $s0
        mul_u32 $s6, $s3, $s3
        ld_kernarg_u64 $d1, [%x]
        sub_u32 $s7, $s5, $s6
        cvt_u64_u32 $d2, $s7
        mad_u64 $d2, $d2, 4, $d1
        ld_global_u32 $s8, [$d2]
        add_u32 $s7, $s5, $s6
        cvt_u64_u32 $d2, $s7
        mad_u64 $d2, $d2, 4, $d1
        ld_global_u32 $s9, [$d2]
        mad_u32 $s8, $s8, 3, $s9
        cvt_u64_u32 $d2, $s5
        mad_u64 $d3, $d2, 4, $d1
        ld_global_u32 $s9, [$d3-4]
        mad_u32 $s8, $s8, 3, $s9
        ld_global_u32 $s9, [$d3+4]
        mad_u32 $s8, $s8, 3, $s9
        ld_kernarg_u64 $d1, [%y]
        mad_u64 $d2, $d2, 4, $d1
        st_global_u32 $s8, [$d2]
    @done:
        ret
    }"""
    x = np.random.default_rng(1).integers(0, 1 << 32, room, np.uint32)
    return make(text, [n, x, np.zeros(room, np.uint32)], items=(96, 5, 5), group_size=group)


def test_planes_of_a_cube_are_inside() -> None:
    """Their distance is a product of arguments, so that sums with it may be any number."""
    text = code_of(planes(96, 1))
    assert "\nrun_head:" in text
    assert "\nedge:" in text


@pytest.mark.parametrize("n", [96, 5, 40, 0, 1 << 15, 1 << 16, 0xFFFFFFFF, 0x80000001])
@pytest.mark.parametrize("room", [96 * 96 * 7, 96 * 96 * 2 + 50])
def test_planes_of_a_cube(n: int, room: int) -> None:
    assert_as_oracle(*(planes(n, room) for _ in "ab"))


@pytest.mark.parametrize(
    ("across", "width", "if_many"),
    [(64, 32, 32), (128, 32, 64), (192, 32, 64), (256, 64, 64), (512, 64, 64)],
)
def test_rows_of_few_warps_with_edges_have_warps_of_32(
    across: int, width: int, if_many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or of 64 lanes, in two warps or three, where many vectors take the time of few."""
    text = guarded(LOAD_X + "st_global_u32 $s2, [$d1]")
    x = np.zeros(1024, np.uint32)
    for many in (False, True):
        monkeypatch.setattr(launch_facts, "takes_many", lambda many=many: many)
        chosen = if_many if many else width
        for text_, expected in ((text, chosen), (text.replace("cbr $c0, @done", ""), 64)):
            work = make(text_, [1024, x, x.copy()], items=1024, group_size=across)
            assert facts_of(work.kernel, work.geometry).width == expected


def beside_a_loop(bound: str, *, inside: bool = False, more: str = "") -> Work:
    """Sums of neighbours, and a loop from 0 to a bound; `inside`: neighbours are loaded in it."""
    loads = "\n".join(
        f"ld_global_u32 $s4, [$d1{at:+}]\n add_u32 $s2, $s2, $s4" for at in (-4, 0, 4, 8)
    )
    body = f"""
        ld_kernarg_u32 $s5, [%trips]
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d1, $d0, 4, $d1
        mov_u32 $s2, 0
        mov_u32 $s3, 0
        {"" if inside else loads}
    @loop:
        mad_u32 $s2, $s2, 17, $s3
        {loads if inside else ""}
        {more}
        add_u32 $s3, $s3, 1
        cmp_lt_u32 $c1, $s3, {bound}
        cbr $c1, @loop
        {store_y("$s2")}"""
    text = guarded(body, "u32 %trips, global u32* %x, global u32* %y")
    x = np.random.default_rng(1).integers(0, 1 << 32, 400, np.uint32)
    return make(text, [370, 9, x, np.zeros(400, np.uint32)], items=384, group_size=128)


@pytest.mark.parametrize(
    ("bound", "inside", "has_one"),
    [("9", False, True), ("$s5", False, False), ("$s5", True, True)],
)
def test_what_runs_once_beside_a_long_loop_gains_nothing(
    bound: str, inside: bool, has_one: bool
) -> None:
    work = beside_a_loop(bound, inside=inside)
    assert ("\nrun_head:" in code_of(work)) == has_one
    assert_as_oracle(work, beside_a_loop(bound, inside=inside))


def chase(condition: str, *, n: int = 370) -> Work:
    """Go from place to place, as each says, while a condition holds."""
    step = "cvt_u64_u32 $d2, $s2\n mad_u64 $d2, $d2, 4, $d1\n ld_global_u32 $s2, [$d2]\n"
    body = f"""
        ld_kernarg_u32 $s5, [%steps]
        ld_kernarg_u64 $d1, [%x]
        and_u32 $s2, $s0, 255
        mov_u32 $s3, 0
    @loop:
        {step * 4}
        add_u32 $s3, $s3, 1
        {condition}
        cbr $c1, @loop
        {store_y("$s2")}"""
    text = guarded(body, "u32 %steps, global u32* %x, global u32* %y")
    x = np.random.default_rng(1).permutation(256).astype(np.uint32)
    return make(text, [n, 9, x, np.zeros(400, np.uint32)], items=384, group_size=256)


@pytest.mark.parametrize(
    ("condition", "has_one"),
    [("cmp_lt_u32 $c1, $s3, $s5", True), ("cmp_gt_u32 $c1, $s2, $s3", False)],
)
def test_loops_that_all_lanes_run_in_step_have_one(condition: str, has_one: bool) -> None:
    assert ("\nrun_head:" in code_of(chase(condition))) == has_one
    for n in (384, 370, 64, 1):
        assert_as_oracle(*(chase(condition, n=n) for _ in "ab"))


@pytest.mark.parametrize(
    ("most", "shifts", "has_one"),
    [(version.MOST_WRITTEN, False, True), (20, False, False), (20, True, True)],
)
def test_loops_that_are_unrolled_far_gain_where_loads_share_rows(
    most: int, shifts: bool, has_one: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine iterations of six instructions: each version would be compiled with all of them."""
    monkeypatch.setattr(version, "MOST_WRITTEN", most)
    monkeypatch.setattr(launch_facts, "shifts_fast", lambda kind=None: shifts)
    work = beside_a_loop("9", inside=True)
    assert ("\nrun_head:" in code_of(work)) == has_one
    assert_as_oracle(work, beside_a_loop("9", inside=True))


@pytest.mark.parametrize(("computing", "has_one"), [(5, True), (30, False)])
def test_rows_that_loads_share_gain_little_beside_much_else(
    computing: int, has_one: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(version, "MOST_WRITTEN", 20)
    monkeypatch.setattr(launch_facts, "shifts_fast", lambda kind=None: True)
    more = "\n".join(f"mad_u32 $s2, $s2, $s2, {i}" for i in range(computing))
    work = beside_a_loop("9", inside=True, more=more)
    assert ("\nrun_head:" in code_of(work)) == has_one
    assert_as_oracle(work, beside_a_loop("9", inside=True, more=more))


def search(address: str, *, n: int = 300, items: int = 384, group: int = 128) -> Work:
    """Compare bytes from a place on with a word, up to the first that differs."""
    place = "add_u64             $d1, $d1, $d0"
    assert place in SEARCH
    text = SEARCH.replace(place, f"mul_u64 $d3, $d0, 3\n add_u64 $d1, $d1, {address}")
    rng = np.random.default_rng(1)
    x, word = rng.integers(0, 2, 1200, np.uint8), rng.integers(0, 2, 5, np.uint8)
    given = [np.uint32(n), np.uint32(5), x, word, np.zeros(400, np.uint8)]
    return make(text, given, items=items, group_size=group)


@pytest.mark.parametrize(("address", "has_one"), [("$d0", True), ("$d3", False)])
@pytest.mark.parametrize("group", [32, 64, 128])
def test_loops_in_which_lanes_part_have_one(address: str, has_one: bool, group: int) -> None:
    """Unless they gather."""
    assert ("\nrun_head:" in code_of(search(address, group=group))) == has_one
    for n in (384, 300, 128, 64, 1):
        assert_as_oracle(*(search(address, n=n, group=group) for _ in "ab"))


def pieces() -> Work:
    """Each work-item counts its own elements up to a 7, from one of two neighbours to the other."""
    body = """
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s2, [$d1]
        ld_global_u32 $s3, [$d1+4]
        ld_kernarg_u64 $d1, [%y]
        mov_u32 $s4, 0
    @next:
        cmp_ge_u32 $c1, $s2, $s3
        cbr $c1, @over
        cvt_u64_u32 $d2, $s2
        mad_u64 $d2, $d2, 4, $d1
        ld_global_u32 $s5, [$d2]
        add_u32 $s2, $s2, 1
        cmp_eq_u32 $c1, $s5, 7
        cbr $c1, @over
        add_u32 $s4, $s4, 1
        br @next
    @over:
        ld_kernarg_u64 $d1, [%z]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s4, [$d1]"""
    text = guarded(body, "global u32* %x, global u32* %y, global u32* %z")
    rng = np.random.default_rng(1)
    starts = np.cumsum(rng.integers(0, 5, 513), dtype=np.uint32)
    values = rng.integers(0, 20, 2500, np.uint32)
    given = [512, starts, values, np.zeros(512, np.uint32)]
    return make(text, given, items=512, group_size=256)


def test_pieces_of_each_lane_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The accesses that are inside run once beside the loop."""
    monkeypatch.setenv("SIMTLAB_LOOPS", "together")
    assert "\nrun_head:" not in code_of(pieces())
    assert_as_oracle(pieces(), pieces())

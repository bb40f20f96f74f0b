"""Three or four words of a record as one load of each lane, against the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.emu.hostmemory import PAGE
from simtlab.emu.jit.kernel import launch_facts
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.memory.records.quads import elements, whole_windows, windows
from simtlab.emu.jit.llvm.toolchain import host_has

from .....support.oracle_work import make
from ....support.against_oracle import assert_as_oracle
from ....support.agreement import same, trap_alike

LOAD = "load <4 x i32>"
ITEMS = 150
RECORDS = 64
PLACES = [
    (0, 1, 2),
    (0, 1, 2, 3),
    (0, 3, 1),
    (6, 2, 4, 5),
    (*range(8),),
    (0, 1, 2, 5),
    (3, 1, 2, 1),
]

needs_vectors = pytest.mark.skipif(not host_has("avx512f"), reason="gathers are of other vectors")


@pytest.fixture(autouse=True, params=[False, True])
def fast(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the host gathers fast."""
    monkeypatch.setattr(launch_facts, "gathers_fast", lambda: request.param)
    return request.param


@pytest.mark.parametrize(
    ("places", "found", "count"),
    [
        ((0, 1), [], 2),
        ((0, 1, 2), [0], 4),
        ((0, 1, 3), [0], 4),
        ((0, 2, 4), [], 5),
        ((7, 4, 6, 5), [4], 4),
        ((0, 5, 6, 7), [4], 8),
        ((*range(8),), [0, 4], 8),
        ((*range(7),), [0, 3], 7),
        ((-2, -1, 0), [-2], 4),
        ((-9, -8), [], 2),
    ],
)
def test_what_is_loaded_together(places: tuple[int, ...], found: list[int], count: int) -> None:
    assert windows(places) == found
    assert elements(places) == count


def of_global(places: tuple[int, ...], apart: int, *, mask: str = "") -> str:
    """Each work-item sums words of the record that a list gives it, each times another number."""
    loads = "\n".join(
        f"ld_global_u32 $s{10 + i}, [$d2+{4 * place}]" for i, place in enumerate(places)
    )
    sums = "\n".join(f"mad_u32 $s5, $s{10 + i}, {2 * i + 3}, $s5" for i in range(len(places)))
    return f"""
    kernel k(u32 %n, global u32* %list, global u32* %x, global u32* %y) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        {mask}
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%list]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s2, [$d1]
        cvt_u64_u32 $d1, $s2
        ld_kernarg_u64 $d2, [%x]
        mad_u64 $d2, $d1, {4 * apart}, $d2
        {loads}
        mov_u32 $s5, 0
        {sums}
        ld_kernarg_u64 $d1, [%y]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s5, [$d1]
    @done:
        ret
    }}"""


ODD = "and_u32 $s4, $s0, 3\n cmp_eq_u32 $c1, $s4, 1\n cbr $c1, @done"


def arguments(apart: int, records: int = RECORDS) -> list[Any]:
    """The last record ends with its page."""
    rng = np.random.default_rng(apart)
    order = rng.integers(0, RECORDS, ITEMS).astype(np.uint32)
    order[::37] = RECORDS - 1
    x = rng.integers(0, 1 << 32, records * apart, np.uint32)
    room = np.empty(3 * PAGE, np.uint8)
    end = -room.ctypes.data % PAGE + 2 * PAGE
    view = room[end - x.nbytes : end].view(np.uint32)
    view[:] = x
    return [np.uint32(ITEMS), order, view, np.zeros(ITEMS, np.uint32)]


@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("mask", ["", ODD])
def test_words_of_records_in_global_memory(places: tuple[int, ...], mask: str) -> None:
    for apart in (max(places) + 1, 11):
        text = of_global(places, apart, mask=mask)
        same(text, arguments(apart), items=ITEMS + 20, group_size=64)


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("group", [16, 48, 128])
def test_warps_and_workgroups_may_have_any_size(width: int, group: int) -> None:
    text = of_global((0, 1, 2), 3, mask=ODD)
    same(text, arguments(3), items=ITEMS, group_size=group, width=width)


@pytest.mark.parametrize("places", [(0, 1, 2), (0, 1, 2, 3)])
def test_faults_are_those_of_the_oracle(places: tuple[int, ...]) -> None:
    apart = len(places)
    text = of_global(places, apart)
    for records in (RECORDS, RECORDS - 1):
        works = (make(text, arguments(apart, records), items=ITEMS, group_size=64) for _ in "ab")
        assert assert_as_oracle(*works) == (records < RECORDS)


@pytest.mark.parametrize(
    ("places", "found"),
    [
        ((0, 1, 2), []),
        ((3, 1, 0, 2), [0]),
        ((0, 2, 3, 4, 5, 6), [2]),
        ((*range(9),), [0, 4]),
        ((-3, -2, -1, 0), [-3]),
    ],
)
def test_what_is_stored_together(places: tuple[int, ...], found: list[int]) -> None:
    assert whole_windows(places) == found


def stores(places: tuple[int, ...], apart: int, *, mask: str = "") -> str:
    """Each work-item stores words to the record that a list gives it."""
    words = "\n".join(f"mul_u32 $s{10 + i}, $s3, {2 * i + 3}" for i in range(len(places)))
    kept = "\n".join(
        f"st_global_u32 $s{10 + i}, [$d2+{4 * place}]" for i, place in enumerate(places)
    )
    return f"""
    kernel k(u32 %n, global u32* %list, global u32* %x, global u32* %y) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        {mask}
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%list]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s2, [$d1]
        ld_kernarg_u64 $d1, [%y]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s3, [$d1]
        add_u32 $s3, $s3, $s0
        add_u32 $s3, $s3, 1
        {words}
        cvt_u64_u32 $d1, $s2
        ld_kernarg_u64 $d2, [%x]
        mad_u64 $d2, $d1, {4 * apart}, $d2
        {kept}
    @done:
        ret
    }}"""


STORED = [(0, 1, 2, 3), (3, 1, 0, 2), (*range(8),), (0, 1, 2, 3, 4, 7), (0, 2, 3, 4, 5)]


@pytest.mark.parametrize("places", STORED)
@pytest.mark.parametrize("mask", ["", ODD])
def test_stores_of_words_of_records(places: tuple[int, ...], mask: str) -> None:
    """Some records are stored by several lanes."""
    for apart in (max(places) + 1, 11):
        text = stores(places, apart, mask=mask)
        same(text, arguments(apart), items=ITEMS + 20, group_size=64)


@needs_vectors
def test_they_are_one_store(fast: bool) -> None:
    for places in ((0, 1, 2), (0, 1, 2, 3)):
        work = make(stores(places, 5), arguments(5), items=256, group_size=64)
        code = generate(work.kernel, 0, launch_facts.facts_of(work.kernel, work.geometry))
        assert ("store <4 x i32> %" in code) == (len(places) > 3 and not fast)


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("group", [16, 48, 128])
def test_stores_of_warps_and_workgroups_of_any_size(width: int, group: int) -> None:
    text = stores((0, 1, 2, 3), 4, mask=ODD)
    same(text, arguments(4), items=ITEMS, group_size=group, width=width)


def test_faults_of_stores_are_those_of_the_oracle() -> None:
    for records in (RECORDS, RECORDS - 1):
        text = stores((0, 1, 2, 3), 4)
        works = (make(text, arguments(4, records), items=ITEMS, group_size=64) for _ in "ab")
        assert assert_as_oracle(*works) == (records < RECORDS)


def of_group(places: tuple[int, ...], *, between: str = "", mask: str = "") -> str:
    """Each work-item sums words of any record of 8 in a tile of 64 x 8."""
    loads = "\n".join(
        f"ld_group_u32 $s{10 + i}, [tile+$s6+{4 * place}]\n{between if i == 1 else ''}"
        for i, place in enumerate(places)
    )
    sums = "\n".join(f"mad_u32 $s5, $s{10 + i}, {2 * i + 3}, $s5" for i in range(len(places)))
    return f"""
    kernel k(u32 %n, global u32* %list, global u32* %x, global u32* %y) {{
        .group u32 tile[512]
        workitemid_u32 $s0, 0
        workitemabsid_u32 $s1, 0
        cvt_u64_u32 $d0, $s1
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d1, $d0, 4, $d1
        mov_u32 $s2, $s0
    @fill:
        ld_global_u32 $s3, [$d1]
        add_u32 $s3, $s3, $s2
        shl_u32 $s4, $s2, 2
        st_group_u32 $s3, [tile+$s4]
        add_u32 $s2, $s2, 64
        cmp_lt_u32 $c0, $s2, 512
        cbr $c0, @fill
        barrier
        {mask.replace("$s0", "$s1")}
        ld_kernarg_u64 $d1, [%list]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s2, [$d1]
        and_u32 $s2, $s2, 63
        shl_u32 $s6, $s2, 5
        {loads}
        mov_u32 $s5, 0
        {sums}
        ld_kernarg_u64 $d1, [%y]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s5, [$d1]
    @done:
        ret
    }}"""


def of_tile() -> list[Any]:
    rng = np.random.default_rng(2)
    order, x = (rng.integers(0, 1 << 32, 256, np.uint32) for _ in "ab")
    return [np.uint32(256), order, x, np.zeros(256, np.uint32)]


@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("mask", ["", ODD])
@pytest.mark.parametrize("width", [7, 32])
def test_words_of_records_in_group_memory(places: tuple[int, ...], mask: str, width: int) -> None:
    text = of_group(places, mask=mask)
    same(text, of_tile(), items=256, group_size=64, width=width)


def test_the_first_word_may_be_the_only_one_that_is_tested() -> None:
    """Ranges show that the other words of a record are inside."""
    text = of_group((4, 0, 1, 2)).replace("$s2, 63", "$s2, 127").replace("$s2, 5", "$s2, 4")
    order, *others = of_tile()[1:]
    same(text, [np.uint32(256), order & 63, *others], items=256, group_size=64)
    last = np.full(256, 127, np.uint32)
    assert trap_alike(text, [np.uint32(256), last, *others], items=256, group_size=64)


def test_a_store_between_them_is_seen() -> None:
    """Each lane changes and loads its own record alone."""
    text = of_group((0, 1, 2, 3), between="st_group_u32 $s0, [tile+$s6+8]")
    text = text.replace("and_u32 $s2, $s2, 63", "mul_u32 $s2, $s0, 5\n and_u32 $s2, $s2, 63")
    same(text, of_tile(), items=256, group_size=64)


@needs_vectors
def test_they_are_one_load(fast: bool) -> None:
    for text, args in (
        (of_global((0, 1, 2, 3), 5), arguments(5)),
        (of_group((0, 1, 3)), of_tile()),
    ):
        work = make(text, args, items=256, group_size=64)
        code = generate(work.kernel, 0, launch_facts.facts_of(work.kernel, work.geometry))
        assert (LOAD in code) == (not fast)
    for text, args in ((of_global((0, 1), 5), arguments(5)), (of_group((0, 1)), of_tile())):
        work = make(text, args, items=256, group_size=64)
        code = generate(work.kernel, 0, launch_facts.facts_of(work.kernel, work.geometry))
        assert LOAD not in code

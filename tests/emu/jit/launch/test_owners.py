"""Counts of kernels whose branches depend on what the launch itself stores.

Native code watches such accesses: where two work-items would meet at a place that one of them
stores to, the interpreter counts. Either way the counts and memory are the interpreter's.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.emu.jit.kernel.memory.owners import NUMBER
from simtlab.emu.jit.launch.owners import _SPARE
from simtlab.emu.jit.runtime.context import Slot

from .test_counting import assert_equal, run

WIDTHS = (1, 7, 16, 32, 64)


def engines(
    text: str,
    *args: Any,
    items: int = 150,
    group_size: int = 50,
    widths: tuple[int, ...] = (7, 32),
) -> set[str]:
    """Compare memory and counts of a kernel with the interpreter's; return who has counted."""
    (kernel,) = simtlab.assemble(text)
    found = set()
    for width in widths:
        outcomes = []
        for engine in ("jit", "interp"):
            given = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)
            launch = kernel.launch(
                items=items, group_size=group_size, warp=width, engine=engine, stats=True
            )
            result = launch(*given)
            outcomes.append((result, [a for a in given if isinstance(a, np.ndarray)]))
        (native, have), (expected, want) = outcomes
        for a, b in zip(have, want, strict=True):
            np.testing.assert_array_equal(a, b)
        assert_equal(native.statistics, expected.statistics)
        found.add(native.engine)
    return found


def numbers(count: int, type_: Any = np.uint32, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 200, count).astype(type_)


def in_global(element: str, store: str = "mov_u32 $s2, $s1", type_: str = "u32") -> str:
    """A kernel that loads an element of x, and stores another number to one if it is odd.

    $s1 is the number of the work-item, $s2 the number of an element, $s3 what is there.
    """
    size = int(type_[1:]) // 8
    register = "$d5" if size == 8 else "$s3"
    narrowed = "cvt_u32_u64 $s3, $d5" if size == 8 else ""
    return f"""
    kernel k(global {type_}* %x, u32 %by) {{
        workitemflatabsid_u32 $s1
        ld_kernarg_u32 $s4, [%by]
        ld_kernarg_u64 $d0, [%x]
        {element}
        cvt_u64_u32 $d1, $s2
        mad_u64 $d1, $d1, {size}, $d0
        ld_global_{type_} {register}, [$d1]
        {narrowed}
        {store}
        cvt_u64_u32 $d1, $s2
        mad_u64 $d1, $d1, {size}, $d0
        and_u32 $s6, $s3, 1
        cmp_eq_u32 $c0, $s6, 0
        cbr $c0, @end
        add_u32 $s3, $s3, $s1
        cvt_u64_u32 $d5, $s3
        st_global_{type_} {register}, [$d1]
    @end:
        ret
    }}"""


OWN = "mov_u32 $s2, $s1"


@pytest.mark.parametrize("type_", ["u8", "u16", "u32", "u64"])
@pytest.mark.parametrize(
    "element",
    [
        OWN,
        "shl_u32 $s2, $s1, 1",
        "xor_u32 $s2, $s1, 1",
        "mul_u32 $s2, $s1, 7\n rem_u32 $s2, $s2, 151",
    ],
    ids=["neighbours", "every other", "pairs", "shuffled"],
)
def test_updates_of_own_elements_are_counted(element: str, type_: str) -> None:
    text = in_global(element, "", type_)
    assert engines(text, numbers(400, f"u{int(type_[1:]) // 8}"), 0, widths=WIDTHS) == {"jit"}


def test_places_that_all_load_and_nobody_stores_to() -> None:
    text = in_global("mov_u32 $s2, 0", "add_u32 $s2, $s1, 1")
    x = numbers(200)
    x[0] = 7
    assert engines(text, x, 0, widths=WIDTHS) == {"jit"}


@pytest.mark.parametrize("place", [0, 3, 149])
def test_a_place_that_all_load_and_one_stores_to(place: int) -> None:
    x = np.full(200, 7, np.uint32)
    text = in_global(f"mov_u32 $s2, {place}", OWN)
    assert engines(text, x, 0, widths=WIDTHS) == {"interp"}


@pytest.mark.parametrize("by", [1, 7, 49, 100])
def test_loads_of_what_another_work_item_stores_to(by: int) -> None:
    text = in_global("add_u32 $s2, $s1, $s4", OWN)
    assert engines(text, np.full(400, 7, np.uint32), by, widths=WIDTHS) == {"interp"}


@pytest.mark.parametrize("shift", [1, 5, 7])
def test_several_stores_to_one_place(shift: int) -> None:
    x = np.full(400, 7, np.uint32)
    text = in_global("add_u32 $s2, $s1, 200", f"shr_u32 $s2, $s1, {shift}")
    assert engines(text, x, 0, widths=WIDTHS) == {"interp"}


def test_elements_of_which_parts_are_loaded() -> None:
    """A place is as large as the smallest access: a store of two words meets a load of one."""
    text = """
    kernel k(global u32* %x, u32 %apart) {
        workitemflatabsid_u32 $s1
        ld_kernarg_u64 $d0, [%x]
        cvt_u64_u32 $d1, $s1
        mad_u64 $d1, $d1, 8, $d0
        ld_kernarg_u32 $s2, [%apart]
        cvt_u64_u32 $d2, $s2
        add_u64 $d2, $d1, $d2
        ld_global_u32 $s3, [$d2]
        cmp_lt_u32 $c0, $s3, 100
        cbr $c0, @end
        cvt_u64_u32 $d3, $s1
        st_global_u64 $d3, [$d1]
    @end:
        ret
    }"""
    x = numbers(400)
    assert engines(text, x, 0) == {"jit"}
    assert engines(text, x, 4) == {"jit"}
    assert engines(text, np.full(400, 120, np.uint32), 8) == {"interp"}


def test_a_launch_that_is_repeated_forgets_who_had_a_place() -> None:
    (kernel,) = simtlab.assemble(in_global("add_u32 $s2, $s1, $s4", ""))
    launch = kernel.launch(items=64, group_size=32, engine="jit", stats=True)
    x = numbers(200)
    assert {launch(x, by).engine for by in (0, 1, 0, 64, 3)} == {"jit"}


@pytest.mark.parametrize("left", [0, 1, 63, 64, 65, 129, 1000])
def test_numbers_of_owners_begin_again_when_they_are_used_up(left: int) -> None:
    (kernel,) = simtlab.assemble(in_global("add_u32 $s2, $s1, $s4", OWN))
    launch = kernel.launch(items=64, group_size=32, engine="jit", stats=True)
    x = np.full(200, 7, np.uint32)
    assert launch(x, 100).engine == "jit"
    (array,) = _SPARE
    array.next = NUMBER - left
    assert [launch(np.full(200, 7, np.uint32), by).engine for by in (100, 70, 1, 0)] == [
        "jit", "jit", "interp", "jit",
    ]  # fmt: skip
    assert array.next < 1000 or left == 1000


# --- group and private memory

SORT = """
kernel k(global u32* %x) {
    .group u32 keys[64]
        workitemflatid_u32 $s0
        workitemflatabsid_u32 $s1
        cvt_u64_u32 $d0, $s1
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d0, $d0, 4, $d1
        ld_global_u32 $s2, [$d0]
        shl_u32 $s3, $s0, 2
        st_group_u32 $s2, [keys+$s3]
        mov_u32 $s4, 2
    @grow:
        shr_u32 $s5, $s4, 1
    @merge:
        BARRIER
        xor_u32 $s6, $s0, $s5
        cmp_le_u32 $c0, $s6, $s0
        cbr $c0, @next
        shl_u32 $s7, $s6, 2
        ld_group_u32 $s8, [keys+$s3]
        ld_group_u32 $s9, [keys+$s7]
        and_u32 $s10, $s0, $s4
        cmp_eq_u32 $c1, $s10, 0
        cmp_gt_u32 $c2, $s8, $s9
        xor_b1 $c1, $c1, $c2
        cbr $c1, @next
        st_group_u32 $s9, [keys+$s3]
        st_group_u32 $s8, [keys+$s7]
    @next:
        shr_u32 $s5, $s5, 1
        cmp_ne_u32 $c0, $s5, 0
        cbr $c0, @merge
        shl_u32 $s4, $s4, 1
        cmp_le_u32 $c0, $s4, 64
        cbr $c0, @grow
        barrier
        ld_group_u32 $s2, [keys+$s3]
        st_global_u32 $s2, [$d0]
        ret
}"""


def test_a_sort_in_group_memory_between_barriers() -> None:
    x = np.random.default_rng(2).integers(0, 1000, 320).astype(np.uint32)
    text = SORT.replace("BARRIER", "barrier")
    assert engines(text, x, items=320, group_size=64, widths=WIDTHS) == {"jit"}


def test_a_sort_in_group_memory_that_lacks_a_barrier() -> None:
    x = np.random.default_rng(2).integers(0, 1000, 320).astype(np.uint32)
    text = SORT.replace("BARRIER", "")
    assert engines(text, x, items=320, group_size=64, widths=(7, 32)) == {"interp"}


@pytest.mark.parametrize("left", [66, 100, 131, 500, 3000])
def test_numbers_of_owners_of_group_memory_begin_again(left: int) -> None:
    (kernel,) = simtlab.assemble(SORT.replace("BARRIER", "barrier"))
    launch = kernel.launch(items=640, group_size=64, engine="jit", stats=True)
    x = np.random.default_rng(3).integers(0, 1000, 640).astype(np.uint32)
    first, statistics = x.copy(), launch(x.copy()).statistics
    plan = launch._prepared.kept.get("plan")
    assert plan is not None
    (scratch,) = plan.idle
    scratch.context[Slot.GROUP_OWNER] = NUMBER - left
    again = launch(first)
    assert again.engine == "jit"
    assert_equal(again.statistics, statistics)
    assert scratch.context[Slot.GROUP_OWNER] < NUMBER // 2 or left == 3000
    assert first.reshape(-1, 64).tolist() == np.sort(x.reshape(-1, 64)).tolist()


THROUGH_PRIVATE = """
kernel k(global u32* %x, global u32* %y, u32 %by) {
    .private u32 kept[4]
        workitemflatabsid_u32 $s1
        ld_kernarg_u32 $s4, [%by]
        add_u32 $s4, $s4, $s1
        cvt_u64_u32 $d0, $s1
        cvt_u64_u32 $d4, $s4
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d2, $d4, 4, $d1
        ld_global_u32 $s2, [$d2]
        st_private_u32 $s2, [kept+4]
        ld_private_u32 $s3, [kept+4]
        and_u32 $s5, $s3, 7
    @loop:
        cmp_eq_u32 $c0, $s5, 0
        cbr $c0, @end
        sub_u32 $s5, $s5, 1
        br @loop
    @end:
        ld_kernarg_u64 $d1, [%y]
        mad_u64 $d2, $d0, 4, $d1
        st_global_u32 $s3, [$d2]
        ret
}"""


def test_what_was_stored_to_private_memory_decides() -> None:
    x = numbers(300)
    assert engines(THROUGH_PRIVATE, x, np.zeros(150, np.uint32), 5) == {"jit"}


def test_two_parameters_with_one_buffer_are_left_to_the_interpreter() -> None:
    (kernel,) = simtlab.assemble(THROUGH_PRIVATE)
    x = numbers(300)
    assert kernel.launch(items=150, group_size=50, stats=True)(x, x, 5).engine == "interp"


def test_buffers_that_share_memory_are_left_to_the_interpreter() -> None:
    (kernel,) = simtlab.assemble(THROUGH_PRIVATE)
    found = []
    for engine in ("jit", "interp"):
        memory, device = numbers(300), simtlab.Device()
        x, y = device.map(memory[:200]), device.map(memory[10:210])
        launch = kernel.launch(items=150, group_size=50, engine=engine, stats=True)
        found.append((launch(x, y, 5), memory))
    assert found[0][0].engine == "interp"
    assert_equal(found[0][0].statistics, found[1][0].statistics)
    np.testing.assert_array_equal(found[0][1], found[1][1])


THROUGH_OWNED = """
kernel k(global u32* %x, global u32* %y, u32 %by) {
        workitemflatabsid_u32 $s1
        ld_kernarg_u32 $s4, [%by]
        add_u32 $s4, $s4, $s1
        cvt_u64_u32 $d0, $s1
        cvt_u64_u32 $d4, $s4
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d2, $d4, 4, $d1
        ld_global_u32 $s2, [$d2]
        ld_kernarg_u64 $d3, [%y]
        mad_u64 $d3, $d0, 4, $d3
        st_global_u32 $s2, [$d3]
        mad_u64 $d5, $d0, 4, $d1
        st_global_u32 $s1, [$d5]
        ld_global_u32 $s3, [$d3]
        and_u32 $s5, $s3, 7
    @loop:
        cmp_eq_u32 $c0, $s5, 0
        cbr $c0, @end
        sub_u32 $s5, $s5, 1
        br @loop
    @end:
        ret
}"""


@pytest.mark.parametrize(("by", "engine"), [(0, "jit"), (1, "interp"), (150, "jit")])
def test_what_is_stored_to_owned_places_decides_as_well(by: int, engine: str) -> None:
    """The loop depends on y, and y on x: both are watched."""
    x, y = numbers(400), np.zeros(150, np.uint32)
    assert engines(THROUGH_OWNED, x, y, by, widths=WIDTHS) == {engine}


def test_a_store_that_leaves_its_buffer_for_an_owned_one() -> None:
    """The pointer of y reaches x, whose elements decide."""
    text = in_global(OWN, "").replace(
        "kernel k(global u32* %x, u32 %by)", "kernel k(global u32* %x, global u32* %y, u32 %by)"
    )
    text = text.replace(
        "ret",
        """ld_kernarg_u64 $d6, [%y]
        add_u32 $s7, $s1, $s4
        cvt_u64_u32 $d7, $s7
        mad_u64 $d6, $d7, 4, $d6
        st_global_u32 $s1, [$d6]
        ret""",
    )
    (kernel,) = simtlab.assemble(text)
    for inside in (True, False):
        found = []
        for engine in ("jit", "interp"):
            device = simtlab.Device()
            x, y = device.to_device(numbers(64)), device.to_device(np.zeros(64, np.uint32))
            by = 0 if inside else (x.buffer.base - y.buffer.base) // 4 % (1 << 32)
            if by >= 1 << 31:
                x, y = y, x
                by = (x.buffer.base - y.buffer.base) // 4
            launch = kernel.launch(items=64, group_size=64, engine=engine, stats=True)
            found.append((launch(x, y, by), x.to_host(), y.to_host()))
        (native, *have), (expected, *want) = found
        assert native.engine == ("jit" if inside else "interp")
        assert_equal(native.statistics, expected.statistics)
        for a, b in zip(have, want, strict=True):
            np.testing.assert_array_equal(a, b)


def test_several_threads_count_with_one() -> None:
    (kernel,) = simtlab.assemble(in_global("xor_u32 $s2, $s1, 1", ""))
    x = numbers(40_000)
    launches = [
        kernel.launch(items=40_000, group_size=50, engine=e, threads=t, stats=True)
        for e, t in (("jit", 4), ("interp", 1))
    ]
    native, expected = (launch(x.copy(), 0) for launch in launches)
    assert native.engine == "jit"
    assert_equal(native.statistics, expected.statistics)


def test_atomics_that_decide_are_left_to_the_interpreter() -> None:
    text = in_global(OWN, "").replace(
        "ld_global_u32 $s3, [$d1]", "mov_u32 $s7, 1\n atomic_add_global_u32 $s3, [$d1], $s7"
    )
    assert engines(text, numbers(200), 0) == {"interp"}


def test_a_trap_is_that_of_the_interpreter() -> None:
    (kernel,) = simtlab.assemble(in_global("add_u32 $s2, $s1, $s4", ""))
    records, left = [], []
    for engine in ("jit", "interp"):
        x = numbers(100)
        launch = kernel.launch(items=64, group_size=64, engine=engine, stats=True)
        with pytest.raises(simtlab.SimtError) as caught:
            launch(x, 50)
        records.append(caught.value.record.key)  # type: ignore[attr-defined]
        left.append(x)
    assert records[0] == records[1]
    np.testing.assert_array_equal(*left)


@pytest.mark.parametrize("name", ["basics/bitonic", "ppc/floydwarshall", "lwm/kmeans"])
def test_programs(name: str) -> None:
    native, by = run(name, "jit", 32)
    assert by == {"jit"}
    assert_equal(native, run(name, "interp", 32)[0])


# --- random kernels

PLACES = (
    "mov_u32 $s2, {i}",
    "xor_u32 $s2, {i}, {k}",
    "add_u32 $s2, {i}, {k}",
    "and_u32 $s2, {i}, {mask}",
    "mov_u32 $s2, {k}",
    "shl_u32 $s2, {i}, 1",
    "mul_u32 $s2, {i}, 5\n and_u32 $s2, $s2, 127",
    "and_u32 $s2, $s3, 127",
)


def random_kernel(draw: random.Random) -> str:
    """A kernel that loads, branches and stores by places that are sometimes its own."""
    kind = draw.choice(("global", "group", "both"))
    lines, calm = [], draw.random() < 0.6
    offset = draw.choice((0, 0, 1, 3))
    for step in range(draw.randint(1, 6)):
        segment = kind if kind != "both" else draw.choice(("global", "group"))
        i = "$s0" if segment == "group" else "$s1"
        choice = draw.choice(PLACES[:2] if calm else PLACES)
        # The same exchange of work-items all along, or between barriers, leaves each its own.
        k = draw.choice((1, 2, 32)) if not calm else draw.choice((1, 1, 1, 32))
        if calm and segment == "global":
            choice, k = PLACES[1], 1
        place = choice.format(i=i, k=k, mask=draw.choice((63, 126, ~1 & 255)))
        type_ = draw.choice(("u8", "u32")) if not calm else "u32"
        size = int(type_[1:]) // 8
        if segment == "global":
            where = f"[$d1+{offset * size}]"
            address = f"cvt_u64_u32 $d1, $s2\n mad_u64 $d1, $d1, {size}, $d0"
        else:
            where = f"[room+$s4+{offset * size}]"
            address = f"mul_u32 $s4, $s2, {size}"
        store = f"st_{segment}_{type_} $s3, {where}" if draw.random() < 0.6 else ""
        lines.append(f"""
            {place}
            {address}
            ld_{segment}_{type_} $s5, {where}
            xor_u32 $s3, $s3, $s5
            add_u32 $s3, $s3, {draw.randint(1, 99)}
            and_u32 $s6, $s3, {draw.choice((1, 2, 3))}
            cmp_eq_u32 $c0, $s6, 0
            cbr $c0, @over{step}
            add_u32 $s3, $s3, {draw.randint(1, 99)}
            {store}
        @over{step}:""")
        if draw.random() < (0.8 if calm else 0.4) and kind != "global":
            lines.append("\n barrier\n")
    return f"""
    kernel k(global u32* %x, global u32* %y) {{
        .group u32 room[600]
        workitemflatid_u32 $s0
        workitemflatabsid_u32 $s1
        ld_kernarg_u64 $d0, [%x]
        mov_u32 $s3, $s1
        {"".join(lines)}
        ld_kernarg_u64 $d2, [%y]
        cvt_u64_u32 $d3, $s1
        mad_u64 $d2, $d3, 4, $d2
        st_global_u32 $s3, [$d2]
        ret
    }}"""


def check_random(seeds: range) -> dict[str, int]:
    """Compare random kernels with the interpreter; return how many each engine has counted."""
    found = {"jit": 0, "interp": 0}
    for seed in seeds:
        draw = random.Random(seed)
        size = draw.choice((8, 32, 64, 96))
        items = size * draw.randint(1, 3) - draw.choice((0, 0, 2))
        width = draw.choice(WIDTHS)
        x = np.random.default_rng(seed).integers(0, 256, 1200).astype(np.uint32)
        text = random_kernel(draw)
        y = np.zeros(items, np.uint32)
        who = engines(text, x, y, items=items, group_size=size, widths=(width,))
        found[who.pop()] += 1
    return found


def test_random_kernels() -> None:
    found = check_random(range(12))
    assert min(found.values()) > 2


@pytest.mark.slow
def test_hundreds_of_random_kernels() -> None:
    found = check_random(range(100, 500))
    assert min(found.values()) > 80

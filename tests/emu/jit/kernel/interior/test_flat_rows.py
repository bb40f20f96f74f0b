"""Rows of flat numbers, against the oracle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.values.ssa import Op
from simtlab.emu.analysis.warps.uniformity import LaneShapes
from simtlab.emu.engine import Work
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.interior.decisions import Decisions
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.launch import plan
from simtlab.isa.program import Kernel

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

EDGES = {
    "leave": """
        cmp_ge_u32 $c0, $s12, $s2
        cbr $c0, @next
        cmp_ge_u32 $c0, $s13, $s3
        cbr $c0, @next
    """,
    "clamp": """
        max_s32 $s12, $s12, 0
        sub_u32 $s14, $s2, 1
        min_s32 $s12, $s12, $s14
        max_s32 $s13, $s13, 0
        sub_u32 $s14, $s3, 1
        min_s32 $s13, $s13, $s14
    """,
    "around": """
        add_u32 $s12, $s12, $s2
        rem_u32 $s12, $s12, $s2
        add_u32 $s13, $s13, $s3
        rem_u32 $s13, $s13, $s3
    """,
}


def kernel(edges: str, type_: str = "f32", size: int = 4) -> str:
    """A sum along a diagonal of pixels, channels last, of which each channel has a weight."""
    return f"""
    kernel k(u32 %channels, u32 %width, u32 %height, global {type_}* %source, global u32* %weight,
        global u32* %out) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%channels]
        ld_kernarg_u32 $s2, [%width]
        ld_kernarg_u32 $s3, [%height]
        mul_u32 $s4, $s1, $s2
        mul_u32 $s5, $s4, $s3
        cmp_ge_u32 $c0, $s0, $s5
        cbr $c0, @done
        rem_u32 $s6, $s0, $s1       // channel
        div_u32 $s7, $s0, $s1
        rem_u32 $s7, $s7, $s2       // column
        div_u32 $s8, $s0, $s4       // row
        cvt_u64_u32 $d0, $s6
        ld_kernarg_u64 $d1, [%weight]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s9, [$d1]
        mov_u32 $s10, -1
    @loop:
        add_u32 $s12, $s7, $s10
        add_u32 $s13, $s8, $s10
        {EDGES[edges]}
        mad_u32 $s13, $s13, $s2, $s12
        mad_u32 $s13, $s13, $s1, $s6
        cvt_u64_u32 $d0, $s13
        ld_kernarg_u64 $d1, [%source]
        mad_u64 $d1, $d0, {size}, $d1
        ld_global_{type_} $s13, [$d1]
        {"add_f32 $s9, $s9, $s13" if type_ == "f32" else "mad_u32 $s9, $s9, 3, $s13"}
    @next:
        add_s32 $s10, $s10, 1
        cmp_le_s32 $c0, $s10, 1
        cbr $c0, @loop
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%out]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s9, [$d1]
    @done:
        ret
    }}"""


def work_of(
    text: str,
    sizes: tuple[int, int, int],
    *,
    group: int = 64,
    down: int = 1,
    room: int = 0,
    weights: int = 0,
    dtype: type = np.float32,
    more: tuple[int, ...] = (),
) -> Work:
    n = sizes[0] * sizes[1] * sizes[2]
    rng = np.random.default_rng(n)
    source = rng.integers(0, 100, max(n - room, 1)).astype(dtype)
    weight = rng.integers(0, 1 << 20, weights or sizes[0]).astype(np.uint32)
    items, size = (-(-n // group) * group, down), (group, down)
    arrays = source, weight, np.zeros(n, np.uint32)
    return make(text, [*sizes, *arrays, *more], items=items, group_size=size)


def has_rows(work: Work) -> bool:
    return "\nrow_head:" in generate(work.kernel, 0, facts_of(work.kernel, work.geometry))


@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("channels", [1, 8, 17, 32, 40, 100])
def test_rows_begin_with_warps_of_their_own(edges: str, channels: int) -> None:
    works = [work_of(kernel(edges), (channels, 5, 4)) for _ in "ab"]
    assert has_rows(works[0])
    assert_as_oracle(*works)


@pytest.mark.parametrize("lanes", [1, 7, 16, 32, 64, 128])
@pytest.mark.parametrize("channels", [15, 17, 32, 33, 48, 61, 95])
def test_what_is_left_of_a_row_has_any_number_of_vectors(
    channels: int, lanes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def facts(kernel: Kernel, geometry: Geometry) -> Facts:
        return replace(facts_of(kernel, geometry), width=lanes, whole=False)

    monkeypatch.setattr(plan, "facts_of", facts)
    # Work-items whose group begins within a row, which ends within the group or does not.
    works = [work_of(kernel("leave"), (channels, 3, 3), group=200) for _ in "ab"]
    text = generate(works[0].kernel, 0, facts(works[0].kernel, works[0].geometry))
    assert ("\nrow_part3:" in text) == (lanes > 16)
    assert_as_oracle(*works)


@pytest.mark.parametrize(
    "how",
    [
        {"group": 256}, {"group": 40}, {"group": 100}, {"room": 1}, {"room": 300}, {"weights": 20},
    ],
)  # fmt: skip
def test_workgroups_and_buffers_that_end_within_a_row(how: dict[str, Any]) -> None:
    assert_as_oracle(*(work_of(kernel("leave"), (37, 5, 3), **how) for _ in "ab"))


def test_workgroups_of_several_rows_are_no_range_of_numbers() -> None:
    text = kernel("clamp").replace(
        "workitemabsid_u32", "workitemid_u32 $s20, 1\nworkitemabsid_u32", 1
    )
    works = [work_of(text, (8, 5, 4), down=2) for _ in "ab"]
    assert not has_rows(works[0])
    assert_as_oracle(*works)


@pytest.mark.parametrize(("type_", "dtype"), [("u8", np.uint8), ("s16", np.int16)])
def test_narrow_elements(type_: str, dtype: type) -> None:
    text = kernel("leave", type_, np.dtype(dtype).itemsize)
    assert_as_oracle(*(work_of(text, (40, 5, 3), dtype=dtype) for _ in "ab"))


@pytest.mark.parametrize("divisor", [0, 3, 0xFFFF_FFFF])
def test_a_divisor_of_zero_traps(divisor: int) -> None:
    text = kernel("around").replace("rem_u32 $s13, $s13, $s3", "rem_u32 $s13, $s13, $s15")
    text = text.replace("%out) {", "%out, u32 %by) {\nld_kernarg_u32 $s15, [%by]")
    works = [work_of(text, (40, 5, 3), more=(divisor,)) for _ in "ab"]
    assert has_rows(works[0])
    assert assert_as_oracle(*works) == (divisor != 3)


@pytest.mark.parametrize("sizes", [(0x10000, 0x10001, 1), (40, 0xFFFFFFFF, 3), (0xFFFFFFFF, 2, 2)])
def test_sizes_that_no_grid_has(sizes: tuple[int, int, int]) -> None:
    works = []
    for _ in "ab":
        arrays = np.ones(500, np.float32), *np.zeros((2, 500), np.uint32)
        works.append(make(kernel("leave"), [*sizes, *arrays], items=448, group_size=64))
    assert_as_oracle(*works)


SIGNED = """
    cmp_lt_s32 $c0, $s12, 0
    cbr $c0, @next
    cmp_le_s32 $c0, $s2, $s12
    cbr $c0, @next
    cmp_gt_s32 $c0, 0, $s13
    cbr $c0, @next
    cmp_ge_s32 $c0, $s13, $s3
    cbr $c0, @next
"""
"""The same edges as unsigned comparisons leave."""


@pytest.mark.parametrize("room", [0, 1, 40, 300])
@pytest.mark.parametrize("edges", ["unsigned", "signed", "only above", "of another number"])
def test_comparisons_show_that_accesses_are_inside(edges: str, room: int) -> None:
    text = kernel("leave")
    if edges == "signed":
        text = text.replace(EDGES["leave"], SIGNED)
    elif edges == "only above":
        text = text.replace("cmp_ge_u32 $c0, $s13, $s3", "cmp_ge_s32 $c0, $s13, $s3")
    elif edges == "of another number":
        text = text.replace("cmp_ge_u32 $c0, $s13, $s3", "cmp_ge_u32 $c0, $s8, $s3")
    works = [work_of(text, (40, 7, 4), room=room) for _ in "ab"]
    assert has_rows(works[0])
    traps = room > 0 or edges in ("only above", "of another number")
    assert assert_as_oracle(*works) == traps


@pytest.mark.parametrize("room", [0, 1, 300])
@pytest.mark.parametrize("test", ["lt 0", "lt 1", "lt 2", "ge -1", "ge 0x80000000", "ge 5"])
def test_an_end_with_a_sign_says_nothing_about_a_start_without_one(test: str, room: int) -> None:
    """Minus one is above most numbers without a sign, and below all ends with one."""
    relation, number = test.split()
    pair = "cmp_{0}_u32 $c0, {1}, {2}\ncbr $c0, @next\ncmp_ge_s32 $c0, {1}, {3}\ncbr $c0, @next\n"
    edges = pair.format(relation, "$s12", number, "$s2") + pair.format(
        relation, "$s13", number, "$s3"
    )
    text = kernel("leave").replace(EDGES["leave"], edges)
    works = [work_of(text, (40, 7, 4), room=room) for _ in "ab"]
    assert has_rows(works[0])
    assert_as_oracle(*works)


@pytest.mark.parametrize("height", [0, 1, 3, 4, 5, 0x7FFF_FFFF, 0xFFFF_FFFF])
@pytest.mark.parametrize("edges", ["leave", "signed"])
def test_comparisons_with_other_sizes_than_those_of_the_buffer(edges: str, height: int) -> None:
    text = kernel("leave")
    if edges == "signed":
        text = text.replace(EDGES["leave"], SIGNED)
    text = text.replace("$s3\n        cbr $c0, @next", "$s15\n        cbr $c0, @next")
    text = text.replace("%out) {", "%out, u32 %by) {\nld_kernarg_u32 $s15, [%by]")
    text = text.replace("mul_u32 $s5, $s4, $s15", "mul_u32 $s5, $s4, $s3")
    assert_as_oracle(*(work_of(text, (40, 7, 4), more=(height,)) for _ in "ab"))


def test_what_all_lanes_of_a_row_load_is_no_place_that_comparisons_show() -> None:
    text = kernel("leave").replace("mad_u32 $s13, $s13, $s1, $s6", "mul_u32 $s13, $s13, $s1")
    for room in (0, 1, 100):
        assert_as_oracle(*(work_of(text, (40, 7, 4), room=room) for _ in "ab"))


@pytest.mark.parametrize(("edges", "count"), [("leave", 1), ("around", 0)])
def test_accesses_are_shown_to_be_inside_by_comparisons(
    edges: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = list[frozenset[Op]]()
    original = Decisions.inside_where_guarded

    def shown(self: Decisions, shapes: LaneShapes) -> frozenset[Op]:
        found.append(original(self, shapes))
        return found[-1]

    monkeypatch.setattr(Decisions, "inside_where_guarded", shown)
    assert has_rows(work_of(kernel(edges), (40, 7, 4)))
    assert [len(ops) for ops in found] == [count]


@pytest.mark.parametrize(("edges", "count"), [("signed", 1), ("unsigned", 1), ("of the row", 0)])
def test_first_lanes_that_do_not_run_may_have_an_index_below_zero(
    edges: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = list[int]()
    original = Decisions.inside_where_guarded

    def shown(self: Decisions, shapes: LaneShapes) -> frozenset[Op]:
        inside = original(self, shapes)
        found.append(len(self.signed & inside))
        return inside

    monkeypatch.setattr(Decisions, "inside_where_guarded", shown)
    assert has_rows(image_of(window(edges), 40, 7))
    assert found == [count]


COLUMNS = {
    "signed": """
        cmp_lt_s32 $c0, $s8, 0
        cbr $c0, @store
        cmp_lt_s32 $c0, $s9, 0
        cbr $c0, @store
        cmp_ge_s32 $c0, $s8, $s2
        cbr $c0, @store
        cmp_ge_s32 $c0, $s9, $s3
        cbr $c0, @store
    """,
    "unsigned": """
        cmp_ge_u32 $c0, $s9, $s3
        cbr $c0, @store
        cmp_ge_u32 $c0, $s8, $s2
        cbr $c0, @store
    """,
    "of the row": """
        cmp_ge_u32 $c0, $s9, $s3
        cbr $c0, @store
    """,
    "some": """
        cmp_eq_u32 $c0, $s4, 4
        cbr $c0, @next
        cmp_ge_u32 $c0, $s9, $s3
        cbr $c0, @store
        cmp_ge_u32 $c0, $s8, $s2
        cbr $c0, @store
    """,
}


def window(edges: str, type_: str = "f32", size: int = 4) -> str:
    """Each pixel's neighbours, in planes at distances of the image."""
    return f"""
    kernel k(u32 %n, u32 %width, u32 %height, global {type_}* %image, global {type_}* %out) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        ld_kernarg_u32 $s2, [%width]
        ld_kernarg_u32 $s3, [%height]
        rem_u32 $s4, $s0, $s2
        div_u32 $s5, $s0, $s2
        ld_kernarg_u64 $d0, [%image]
        ld_kernarg_u64 $d1, [%out]
        mad_u32 $s13, $s5, $s2, $s4
        mov_u32 $s6, -1
    @row:
        mov_u32 $s7, -1
    @place:
        add_s32 $s8, $s4, $s7
        add_s32 $s9, $s5, $s6
        mov_u32 $s12, 0
        {COLUMNS[edges]}
        mad_u32 $s11, $s9, $s2, $s8
        cvt_u64_u32 $d2, $s11
        mad_u64 $d2, $d2, {size}, $d0
        ld_global_{type_} $s12, [$d2]
    @store:
        cvt_u64_u32 $d2, $s13
        mad_u64 $d2, $d2, {size}, $d1
        st_global_{type_} $s12, [$d2]
    @next:
        add_u32 $s13, $s13, $s1
        add_s32 $s7, $s7, 1
        cmp_le_s32 $c0, $s7, 1
        cbr $c0, @place
        add_s32 $s6, $s6, 1
        cmp_le_s32 $c0, $s6, 1
        cbr $c0, @row
    @done:
        ret
    }}"""


def image_of(
    text: str, width: int, height: int, *, dtype: type = np.float32, short: int = 0, group: int = 64
) -> Work:
    n = width * height
    image = np.random.default_rng(n).integers(1, 100, n - short).astype(dtype)
    given = [n, width, height, image, np.zeros(9 * n, dtype)]
    return make(text, given, items=-(-n // group) * group, group_size=group)


@pytest.mark.parametrize("edges", COLUMNS)
@pytest.mark.parametrize("width", [1, 8, 17, 32, 40, 56, 100])
def test_lanes_of_a_row_may_part(edges: str, width: int) -> None:
    """Without a comparison of columns, the first and the last place are beside the image."""
    works = [image_of(window(edges), width, 9) for _ in "ab"]
    assert has_rows(works[0])
    assert assert_as_oracle(*works) == (edges == "of the row")


@pytest.mark.parametrize("lanes", [1, 7, 16, 32, 64, 128])
@pytest.mark.parametrize("edges", ["signed", "some"])
def test_rows_whose_lanes_part_in_warps_of_any_width(
    edges: str, lanes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def facts(kernel: Kernel, geometry: Geometry) -> Facts:
        return replace(facts_of(kernel, geometry), width=lanes, whole=False)

    monkeypatch.setattr(plan, "facts_of", facts)
    for width in (33, 61):
        assert_as_oracle(*(image_of(window(edges), width, 7, group=200) for _ in "ab"))


@pytest.mark.parametrize("short", [1, 30, 64])
@pytest.mark.parametrize("edges", ["signed", "unsigned"])
def test_rows_whose_lanes_part_trap(edges: str, short: int) -> None:
    works = [image_of(window(edges), 40, 7, short=short) for _ in "ab"]
    assert assert_as_oracle(*works)


@pytest.mark.parametrize(("type_", "dtype"), [("u8", np.uint8), ("s16", np.int16)])
def test_rows_of_narrow_elements_whose_lanes_part(type_: str, dtype: type) -> None:
    text = window("signed", type_, np.dtype(dtype).itemsize)
    assert_as_oracle(*(image_of(text, 40, 7, dtype=dtype) for _ in "ab"))

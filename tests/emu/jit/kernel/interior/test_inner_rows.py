"""Rows of flat numbers in which no branch leaves out an access, and how rows are counted."""

from __future__ import annotations

import re

import numpy as np
import pytest

from simtlab.emu.analysis.values.ssa import Op
from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.interior.decisions import Decisions
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle
from .test_flat_rows import COLUMNS, EDGES, image_of, kernel, window, work_of


def code_of(work: Work) -> str:
    return generate(work.kernel, 0, facts_of(work.kernel, work.geometry))


def has_inner_rows(work: Work) -> bool:
    return "\ninner_row:" in code_of(work)


@pytest.mark.parametrize(("edges", "has"), [("leave", True), ("clamp", False), ("around", False)])
def test_branches_that_leave_out_accesses_have_inner_rows(edges: str, has: bool) -> None:
    assert has_inner_rows(work_of(kernel(edges), (40, 5, 4))) is has


@pytest.mark.parametrize(
    "sizes", [(40, 1, 1), (40, 1, 9), (40, 9, 1), (17, 2, 2), (33, 3, 3), (48, 2, 5), (64, 3, 4)]
)
@pytest.mark.parametrize("group", [64, 100, 256])
def test_images_of_any_size(sizes: tuple[int, int, int], group: int) -> None:
    assert_as_oracle(*(work_of(kernel("leave"), sizes, group=group) for _ in "ab"))


@pytest.mark.parametrize("edges", COLUMNS)
def test_comparisons_that_differ_from_lane_to_lane_stay(edges: str) -> None:
    """Those of planes' rows are decided, those of columns are in all rows."""
    works = [image_of(window(edges), 40, 5) for _ in "ab"]
    assert has_inner_rows(works[0])
    assert_as_oracle(*works)


def of_edges(edges: str) -> list[Work]:
    text = kernel("leave")
    assert EDGES["leave"] in text
    return [work_of(text.replace(EDGES["leave"], edges), (40, 5, 4)) for _ in "ab"]


INSIDE = "cmp_ge_u32 $c0, $s13, $s3\n cbr $c0, @next\n cmp_ge_u32 $c0, $s12, $s2\n cbr $c0, @next\n"


@pytest.mark.parametrize("test", ["ne", "eq", "lt", "gt"])
@pytest.mark.parametrize("number", [0, 2, 4])
def test_comparisons_of_columns_with_a_number(test: str, number: int) -> None:
    """Where a column alone has an access, as after `ne`, rows in which it has none are most."""
    works = of_edges(f"cmp_{test}_u32 $c0, $s12, {number}\n cbr $c0, @next\n {INSIDE}")
    assert has_inner_rows(works[0])
    assert_as_oracle(*works)


def test_one_column_that_has_an_access_is_not_assumed() -> None:
    works = of_edges("cmp_ne_u32 $c0, $s7, 2\n cbr $c0, @next\n rem_u32 $s13, $s13, $s3\n")
    assert not has_inner_rows(works[0])
    assert_as_oracle(*works)


@pytest.mark.parametrize("number", [0, 1, 9])
def test_a_branch_on_an_argument_is_not_that_of_a_row(number: int) -> None:
    text = kernel("clamp").replace("@loop:", "cmp_lt_u32 $c0, $s15, 5\n cbr $c0, @end\n@loop:")
    text = text.replace("cvt_u64_u32 $d0, $s0\n", "@end:\ncvt_u64_u32 $d0, $s0\n")
    text = text.replace("%out) {", "%out, u32 %by) {\nld_kernarg_u32 $s15, [%by]")
    works = [work_of(text, (40, 5, 4), more=(number,)) for _ in "ab"]
    assert not has_inner_rows(works[0])
    assert_as_oracle(*works)


def test_accesses_on_both_sides_of_a_branch_decide_nothing() -> None:
    works = of_edges("""
        rem_u32 $s12, $s8, $s3
        mov_u32 $s13, 0
        cmp_lt_u32 $c0, $s7, 2
        cbr $c0, @low
        add_u32 $s13, $s13, 1
        ld_global_u32 $s14, [$d1]
        add_u32 $s9, $s9, $s14
        br @both
    @low:
        ld_global_u32 $s14, [$d1]
        mad_u32 $s9, $s9, 5, $s14
    @both:
        mov_u32 $s12, $s7
    """)
    assert not has_inner_rows(works[0])
    assert_as_oracle(*works)


@pytest.mark.parametrize("other", [1, 8, 24, 36, 37, 40, 80, 100, 1000, 0, 0xFFFF_FFFF])
def test_rows_of_two_sizes(other: int) -> None:
    """Rows of the other size end anywhere."""
    text = kernel("leave").replace("div_u32 $s8, $s0, $s4", "div_u32 $s8, $s0, $s15")
    text = text.replace("%out) {", "%out, u32 %by) {\nld_kernarg_u32 $s15, [%by]")
    works = [work_of(text, (40, 5, 3), group=200, more=(other,)) for _ in "ab"]
    assert_as_oracle(*works)


@pytest.mark.parametrize("product", ["mul_u32 $s4, $s1, $s2", "mul_u32 $s4, $s2, $s1"])
def test_rows_of_whole_rows_need_no_counter_for_their_ends(product: str) -> None:
    text = kernel("leave").replace("mul_u32 $s4, $s1, $s2", product)
    works = [work_of(text, (40, 5, 4), group=200) for _ in "ab"]
    code = code_of(works[0])
    head = code[code.index("\nrow_head:") :].split("\n\n")[0]
    assert len(re.findall(r"call i64 @llvm\.umin\.i64", head.split("row_warps")[0])) == 1
    assert_as_oracle(*works)


@pytest.mark.parametrize(("channels", "size"), [(9, 50), (9, 45), (15, 16), (9, 9), (33, 8)])
def test_rows_of_a_product_that_wraps_around(channels: int, size: int) -> None:
    """Their size is a product of channels and a width, modulo 2^32."""
    width = size * pow(channels, -1, 1 << 32) % (1 << 32)
    n = 4 * size
    works = []
    for _ in "ab":
        arrays = np.arange(3 * n, dtype=np.float32), np.arange(channels, dtype=np.uint32)
        arguments = [channels, width, 4, *arrays, np.zeros(n, np.uint32)]
        works.append(make(kernel("leave"), arguments, items=256, group_size=256))
    assert "\nrow_head:" in code_of(works[0])
    assert not assert_as_oracle(*works)


def enlarged(type_: str, shift: int) -> str:
    """Each pixel of an image, channels last, from one of an image whose sides are shifted."""
    return f"""
    kernel k(u32 %channels, u32 %width, u32 %height, global u32* %source, global u32* %out) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%channels]
        ld_kernarg_u32 $s2, [%width]
        ld_kernarg_u32 $s3, [%height]
        mul_u32 $s4, $s1, $s2
        mul_u32 $s5, $s4, $s3
        cmp_ge_u32 $c0, $s0, $s5
        cbr $c0, @done
        rem_u32 $s6, $s0, $s1
        div_u32 $s7, $s0, $s1
        rem_u32 $s8, $s7, $s2
        div_u32 $s9, $s7, $s2
        shr_{type_} $s8, $s8, {shift}
        shr_{type_} $s9, $s9, {shift}
        shr_u32 $s10, $s2, {shift}
        mad_u32 $s11, $s9, $s10, $s8
        mad_u32 $s11, $s11, $s1, $s6
        cvt_u64_u32 $d0, $s11
        ld_kernarg_u64 $d1, [%source]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s12, [$d1]
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%out]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s12, [$d1]
    @done:
        ret
    }}"""


def enlarged_work(text: str, shift: int, *, width: int = 8, short: int = 0) -> Work:
    channels, height, by = 24, 4, shift % 32
    pixels = max(height >> by, 1) * max(width >> by, 1)
    source = np.arange(1, channels * pixels - short + 1, dtype=np.uint32)
    n = channels * width * height
    arguments = [channels, width, height, source, np.zeros(n, np.uint32)]
    return make(text, arguments, items=-(-n // 64) * 64, group_size=64)


@pytest.mark.parametrize("shift", [0, 1, 2, 31, 33])
@pytest.mark.parametrize("type_", ["u32", "s32"])
@pytest.mark.parametrize("short", [0, 1, 24])
def test_places_that_are_shifted_have_bounds(type_: str, shift: int, short: int) -> None:
    works = [enlarged_work(enlarged(type_, shift), shift, short=short) for _ in "ab"]
    assert assert_as_oracle(*works) == (short > 0)


def test_sides_that_a_shift_does_not_divide() -> None:
    """Pixels at the end of a row are those at the start of the next one."""
    works = [enlarged_work(enlarged("u32", 1), 1, width=7) for _ in "ab"]
    assert_as_oracle(*works)


@pytest.mark.parametrize("type_", ["u32", "s32"])
def test_a_number_below_zero_that_is_shifted(type_: str) -> None:
    """Without a sign it is above all others, whose place is the last one."""
    before = f"shr_{type_} $s8, $s8, 31"
    text = enlarged(type_, 31)
    assert before in text
    text = text.replace(before, f"sub_u32 $s8, $s8, 1\n{before}\nadd_u32 $s8, $s8, 1")
    works = [enlarged_work(text, 31, short=-24) for _ in "ab"]
    assert "\nrow_head:" in code_of(works[0])
    assert assert_as_oracle(*works) == (type_ == "u32")


@pytest.mark.parametrize("by", [0, 1, 2])
def test_words_at_bytes_that_are_shifted(by: int) -> None:
    """Of multiples of four, halves are none."""
    text = enlarged("u32", 0).replace("mad_u32 $s11, $s9, $s10, $s8", "mov_u32 $s11, $s8")
    offset = f"shl_u32 $s9, $s9, 2\nshr_u32 $s9, $s9, {by}\ncvt_u64_u32 $d2, $s9\n"
    text = text.replace("ld_global_u32 $s12", f"{offset}add_u64 $d1, $d1, $d2\nld_global_u32 $s12")
    works = [enlarged_work(text, 0) for _ in "ab"]
    assert "\nrow_head:" in code_of(works[0])
    assert assert_as_oracle(*works) == (by > 0)


def test_accesses_at_shifted_places_are_shown_to_be_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    found = list[frozenset[Op]]()
    original = Decisions.inside

    def shown(self: Decisions, known: frozenset[Op] = frozenset()) -> frozenset[Op]:
        found.append(original(self, known))
        return found[-1]

    monkeypatch.setattr(Decisions, "inside", shown)
    assert "\nrow_head:" in code_of(enlarged_work(enlarged("u32", 1), 1))
    assert max(map(len, found)) == 2


@pytest.mark.parametrize(
    ("edges", "group", "down", "width"),
    [("leave", 256, 1, 64), ("leave", 96, 1, 32), ("leave", 64, 2, 32), ("clamp", 256, 1, 64)],
)
def test_rows_of_flat_numbers_have_warps_of_64_lanes(
    edges: str, group: int, down: int, width: int
) -> None:
    work = work_of(kernel(edges), (40, 7, 4), group=group, down=down)
    assert facts_of(work.kernel, work.geometry).width == width


@pytest.mark.parametrize("clamp", ["min_u32 $s6, $s6, 9", "rem_u32 $s6, $s6, $s2"])
def test_remainders_that_are_clamped_have_no_rows(clamp: str) -> None:
    text = kernel("leave").replace("div_u32 $s7,", f"{clamp}\n div_u32 $s7,", 1)
    works = [work_of(text, (40, 7, 4), group=256) for _ in "ab"]
    assert facts_of(works[0].kernel, works[0].geometry).width == 32
    assert not has_inner_rows(works[0])
    assert_as_oracle(*works)

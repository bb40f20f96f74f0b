"""Which kernels get warps of 64 lanes, and that their results are the oracle's."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab import Trap
from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.widths.width import BYTE_CHUNK, FEW, USUAL, WIDE, best_facts
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel import launch_facts
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.oracle import oracle

from ....support.flows import kernel_of
from ....support.oracle_work import make
from ...support.agreement import same
from ...support.widths import (
    ANYWHERE,
    CHASED,
    END,
    LINE,
    NEIGHBOURS,
    ONE_PLACE,
    OWN_WAY,
    ROW,
    SCATTERED,
    START,
    STRAIGHT,
    width_of,
)


@pytest.mark.parametrize("body", [NEIGHBOURS, ONE_PLACE])
def test_loops_over_neighbours_that_all_leave_together_get_wide_warps(body: str) -> None:
    assert width_of(START + body + END) == WIDE


@pytest.mark.parametrize("body", [CHASED, ROW, CHASED + ROW, NEIGHBOURS + ROW])
def test_loops_that_all_leave_together_may_gather(body: str) -> None:
    assert width_of(START + body + END) == WIDE


@pytest.mark.parametrize("body", [CHASED, ROW])
@pytest.mark.parametrize("size", [(16, 8, 1), (96, 1, 1)])
def test_but_not_in_short_rows_or_other_workgroups(body: str, size: tuple[int, int, int]) -> None:
    assert width_of(START + body + END, Facts(USUAL, size, True)) == USUAL


def rows(number: int) -> str:
    """Return loads of as many elements of a row, each of another: equal ones are loaded once."""
    return "".join(ROW.replace("[$d3]", f"[$d3+{4 * i}]") for i in range(number))


@pytest.mark.parametrize(
    "body", [ANYWHERE, NEIGHBOURS + "\n" + OWN_WAY, rows(4) + "\n" + OWN_WAY, SCATTERED, rows(7)]
)
def test_other_loops_do_not(body: str) -> None:
    assert width_of(START + body + END + "@out:") == USUAL


@pytest.mark.parametrize(
    ("body", "width"),
    [
        (CHASED, WIDE),
        (ROW, WIDE),
        (SCATTERED, WIDE),
        (SCATTERED.replace("u32 $s2", "u8 $s2"), USUAL),
    ],
)
def test_loops_that_lanes_leave_in_turn_may_access_few_places(body: str, width: int) -> None:
    assert width_of(f"{START}{body}\n{OWN_WAY}{END}@out:") == width


@pytest.mark.parametrize(
    ("work", "width"),
    [
        ("xor_u32 $s4, $s4, $s3\n" * 8, WIDE),
        ("xor_u32 $s4, $s4, $s3\n" * 16, USUAL),
        ("mul_u32 $s4, $s4, $s3\n" * 16, WIDE),
    ],
)
def test_whose_iterations_are_short_or_wait_for_the_one_before(work: str, width: int) -> None:
    assert width_of(f"{START}{ROW}\n{work}\n{OWN_WAY}{END}@out:") == width


@pytest.mark.parametrize(
    ("inside", "width"), [("", WIDE), ("ld_global_u32 $s3, [$d2]", WIDE), (CHASED, USUAL)]
)
def test_loops_beside_them_access_neighbours(inside: str, width: int) -> None:
    beside = f"mov_u32 $s2, 0\n@beside:\n{inside}\n{END.replace('@top', '@beside')}"
    assert width_of(f"{START}{CHASED}\n{OWN_WAY}{END}@out:\n{beside}") == width


def test_what_lanes_gather_until_they_leave_in_turn_is_the_oracles() -> None:
    leave = "and_u32 $s5, $s4, 7\n cmp_eq_u32 $c0, $s5, 3\n cbr $c0, @out"
    body = f"{START}{CHASED}\n{leave}{END}@out:\n".replace("st_global_u32 $s4, [$d2]", "")
    body = f"{body}ld_kernarg_u64 $d4, [%y]\n mad_u64 $d4, $d0, 4, $d4\nst_global_u32 $s4, [$d4]"
    params = "global u32* %x, u32 %n, global u32* %y"
    assert best_facts(kernel_of(body, params), LINE, narrow=True).width == WIDE
    chain = np.random.default_rng(8).permutation(200).astype(np.uint32)
    text = f"kernel k({params}) {{\n{body}\n ret\n}}"
    same(text, [chain, 9, np.zeros(200, np.uint32)], items=200, group_size=128)


def test_loops_that_lanes_run_alone_are_counted_in_the_usual_lanes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listed = f"{CHASED.replace('$s4', '$s2', 1)}\n{CHASED}"
    begin = START.replace(
        "@top:",
        "mov_u32 $s6, $s4\n and_u32 $s2, $s4, 7\n cmp_eq_u32 $c0, $s6, 0\n cbr $c0, @out\n@top:",
    )
    body = f"{begin}{listed}{END}@out:".replace("$s2, $s1", "$s2, $s6")
    kernel, geometry = kernel_of(body), Geometry.of(groups=2, group_size=128)
    for loops, counted in (("8", USUAL), ("together", WIDE)):
        monkeypatch.setenv("SIMTLAB_LOOPS", loops)
        assert launch_facts.facts_of(kernel, geometry).width == WIDE
        assert launch_facts.facts_for_counting(kernel, geometry).width == counted


@pytest.mark.parametrize(
    ("row", "width"), [("$s1", FEW), ("512", FEW), ("500", USUAL), ("$s4", FEW)]
)
def test_loops_that_write_a_row_a_lane_get_few_lanes(row: str, width: int) -> None:
    written = f"{ROW.replace('100', row)}\nst_global_u32 $s4, [$d3]"
    own_row = START.replace("@top:", "mul_u32 $s4, $s0, 7\n@top:")
    assert width_of(own_row + written.replace("add_u32 $s4", "add_u32 $s6") + END) == width


@pytest.mark.parametrize(("row", "width"), [("$s1", USUAL), ("1024", USUAL), ("500", WIDE)])
def test_loops_that_load_a_row_a_lane_get_the_usual_lanes(row: str, width: int) -> None:
    assert width_of(START + ROW.replace("100", row) + END) == width


def test_so_do_loops_that_load_around_a_place_of_each_lane() -> None:
    inside = "abs_s32 $s5, $s5\ncmp_lt_s32 $c1, $s5, $s1\nselect_s32 $s5, $c1, $s5, 0\n"
    around = ROW.replace("100", "$s1").replace("cvt_u64", inside + "cvt_u64")
    assert width_of(START + around + END) == USUAL


def test_also_where_a_pointer_steps_along_the_row() -> None:
    walk = f"{ROW}\nst_global_u32 $s4, [$d5]\nadd_u64 $d5, $d5, 4"
    start = "mul_u32 $s7, $s0, $s1\ncvt_u64_u32 $d5, $s7\nmad_u64 $d5, $d5, 4, $d1\n@top:"
    assert width_of(START.replace("@top:", start) + walk + END) == FEW


@pytest.mark.parametrize(("step", "width"), [("1", FEW), ("$s1", USUAL)])
def test_a_step_of_an_argument_leads_out_of_a_row(step: str, width: int) -> None:
    start = START.replace("@top:", "mul_u32 $s5, $s0, $s1\n@top:")
    walk = f"{SCATTERED.replace('u32 $d3, $s4', 'u32 $d3, $s5')}\nadd_u32 $s5, $s5, {step}"
    assert width_of(start + walk + END) == width


def carrying(values: int, *, moves: bool) -> str:
    """A loop that carries values: each becomes its successor, or a multiple of its own."""
    names = [f"$s{20 + i}" for i in range(values)]
    start = [f"mov_u32 {name}, {i}" for i, name in enumerate(names)]
    first = f"mad_u32 $s5, {names[0]}, {names[-1]}, $s3"
    if moves:
        steps = [f"mov_u32 {a}, {b}" for a, b in zip(names, [*names[1:], "$s5"], strict=True)]
    else:
        steps = [f"mad_u32 {name}, {name}, 3, $s5" for name in names]
    sums = [f"mad_u32 $s4, $s4, 5, {name}" for name in names]
    begin, end = START.replace("@top:", ""), END.replace("st_", "\n".join(sums) + "\nst_")
    return "\n".join([begin, *start, "@top:", NEIGHBOURS, first, *steps, end])


@pytest.mark.parametrize(("values", "width"), [(4, WIDE), (8, USUAL)])
def test_loops_that_would_move_values_through_memory_do_not(values: int, width: int) -> None:
    assert width_of(carrying(values, moves=True)) == width


@pytest.mark.parametrize(("values", "width"), [(5, WIDE), (6, USUAL), (13, USUAL), (14, FEW)])
def test_loops_have_registers_for_what_they_carry(values: int, width: int) -> None:
    assert width_of(carrying(values, moves=False)) == width


@pytest.mark.parametrize(("values", "moves"), [(8, True), (8, False), (14, False)])
def test_what_loops_carry_is_the_oracles(values: int, moves: bool) -> None:
    x = np.random.default_rng(3).integers(0, 1 << 32, 256, np.uint32)
    text = f"kernel k(u32 %n, global u32* %x) {{\n{carrying(values, moves=moves)}ret\n}}"
    same(text, [9, x], items=256, group_size=128)


@pytest.mark.parametrize(("values", "width"), [(3, WIDE), (6, USUAL)])
def test_loops_that_carry_many_doubles_do_not(values: int, width: int) -> None:
    names = [f"$d{20 + i}" for i in range(values)]
    start = [
        "cvt_f64_u32 $d10, $s4",
        *(f"add_f64 {name}, $d10, {i}.0" for i, name in enumerate(names)),
    ]
    steps = [f"fma_f64 {name}, {name}, 0.5, $d10" for name in names]
    sums = [f"add_f64 $d10, $d10, {name}" for name in names]
    begin = START.replace("@top:", "")
    end = END.replace("st_", "\n".join([*sums, "cvt_u32_f64 $s4, $d10"]) + "\nst_")
    body = "\n".join([begin, *start, "@top:", *steps, end])
    assert width_of(body) == width
    x = np.random.default_rng(4).integers(0, 1 << 32, 256, np.uint32)
    same(f"kernel k(u32 %n, global u32* %x) {{\n{body}ret\n}}", [9, x], items=256, group_size=128)


@pytest.mark.parametrize(("products", "width"), [(2, WIDE), (8, USUAL)])
def test_loops_that_compute_many_doubles_at_a_time_do_not(products: int, width: int) -> None:
    names = [f"$d{20 + i}" for i in range(products)]
    steps = [f"mul_f64 {name}, $d10, {i}.5" for i, name in enumerate(names)]
    steps += [f"fma_f64 $d10, {name}, 0.125, $d10" for name in names]
    end = END.replace("st_", "cvt_u32_f64 $s4, $d10\nst_")
    body = "\n".join([START.replace("@top:", ""), "cvt_f64_u32 $d10, $s4", "@top:", *steps, end])
    assert width_of(body) == width
    x = np.random.default_rng(5).integers(0, 1 << 32, 256, np.uint32)
    same(f"kernel k(u32 %n, global u32* %x) {{\n{body}ret\n}}", [3, x], items=256, group_size=128)


@pytest.mark.parametrize(("products", "sums", "width"), [(9, 3, FEW), (9, 1, USUAL), (3, 3, WIDE)])
def test_loops_that_compute_doubles_have_registers_if_they_do_not_wait(
    products: int, sums: int, width: int
) -> None:
    names, totals = [f"$d{20 + i}" for i in range(products)], [f"$d{10 + i}" for i in range(3)]
    start = [f"cvt_f64_u32 {total}, $s4" for total in totals]
    steps = [f"mul_f64 {name}, {totals[i % 3]}, {i}.5" for i, name in enumerate(names)]
    steps += [
        f"fma_f64 {totals[i % sums]}, {name}, 0.125, {totals[i % sums]}"
        for i, name in enumerate(names)
    ]
    adds = [f"add_f64 $d10, $d10, {total}" for total in totals[1:]]
    end = END.replace("st_", "\n".join([*adds, "cvt_u32_f64 $s4, $d10"]) + "\nst_")
    body = "\n".join([START.replace("@top:", ""), *start, "@top:", *steps, end])
    assert width_of(body) == width
    x = np.random.default_rng(6).integers(0, 1 << 32, 256, np.uint32)
    same(f"kernel k(u32 %n, global u32* %x) {{\n{body}ret\n}}", [3, x], items=256, group_size=128)


ROOT = """
    cvt_f32_u32 $s6, $s4
    mov_u32 $s7, $s6
@newton:
    mul_f32 $s8, $s7, $s7
    sub_f32 $s8, $s8, $s6
    add_f32 $s9, $s7, $s7
    div_f32 $s8, $s8, $s9
    sub_f32 $s7, $s7, $s8
    {more}
    abs_f32 $s8, $s8
    cmp_ltu_f32 $c0, $s8, 0.01
    cbr $c0, @root
    add_u32 $s2, $s2, 1
    cmp_lt_u32 $c0, $s2, 40
    cbr $c0, @newton
@root:
    st_global_f32 $s7, [$d2]
"""
"""Newton's method, whose lanes end in different iterations."""

DIVERGE = "cmp_lt_f32 $c1, $s7, 9.0\n cbr $c1, @over\n add_f32 $s7, $s7, 0.5\n@over:"


HELD = [f"$s{20 + i}" for i in range(9)]
MUCH = "\n".join(
    [f"mul_f32 {a}, $s7, {i}.5" for i, a in enumerate(HELD)]
    + [f"add_f32 $s8, $s8, {a}" for a in HELD]
)
"""Values that have no registers at 64 lanes."""


@pytest.mark.parametrize(
    ("more", "width", "with_products"),
    [
        ("", WIDE, WIDE),
        ("ld_global_f32 $s6, [$d1]", USUAL, USUAL),
        (DIVERGE, WIDE, WIDE),
        (MUCH, WIDE, USUAL),
    ],
)
def test_loops_that_wait_for_the_iteration_before_do(
    more: str, width: int, with_products: int
) -> None:
    body = START.replace("@top:", "") + ROOT.format(more=more)
    assert width_of(body) == width
    assert width_of(body.replace("div_f32", "mul_f32")) == with_products
    if width == WIDE:
        x = np.random.default_rng(6).integers(0, 1 << 32, 200, np.uint32)
        text = f"kernel k(u32 %n, global u32* %x) {{\n{body}ret\n}}"
        same(text, [9, x], items=200, group_size=128)


@pytest.mark.parametrize(("values", "width"), [(7, USUAL), (8, FEW)])
def test_and_for_what_lanes_take_out_of_them_in_turn(values: int, width: int) -> None:
    names = [f"$s{20 + i}" for i in range(values)]
    start = [f"add_u32 {name}, $s4, {i}" for i, name in enumerate(names)]
    steps = [f"mad_u32 {name}, {name}, 3, {names[0]}" for name in names]
    leave = ["and_u32 $s5, $s20, 7", "cmp_eq_u32 $c0, $s5, 0", "cbr $c0, @out"]
    end = END.replace(
        "st_", "\n".join(["@out:", *(f"xor_u32 $s4, $s4, {n}" for n in names), "st_"])
    )
    body = "\n".join([START.replace("@top:", ""), *start, "@top:", *steps, *leave, end])
    assert width_of(body) == width
    x = np.random.default_rng(7).integers(0, 1 << 32, 200, np.uint32)
    same(f"kernel k(u32 %n, global u32* %x) {{\n{body}ret\n}}", [9, x], items=200, group_size=128)


def recurrence(step: str) -> str:
    """A loop on three 64-bit numbers that it moves, and one that it reads."""
    return f"""
    workitemflatabsid_u32 $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    ld_kernarg_u32 $s1, [%n]
    mad_u64 $d2, $d0, 8, $d1
    mov_u32 $s2, 0
    ld_global_f64 $d3, [$d2]
    mov_u64 $d4, $d3
    mov_u64 $d5, 1.0
    mov_u64 $d6, 0.0
@top:
    fma_f64 $d6, $d3, $d4, $d6
    mul_f64 $d7, $d3, $d4
    sub_f64 $d7, $d7, $d5
    mov_u64 $d5, $d4
    {step}
    add_u32 $s2, $s2, 1
    cmp_lt_u32 $c0, $s2, $s1
    cbr $c0, @top
    add_f64 $d6, $d6, $d8
    add_f64 $d6, $d6, $d9
    st_global_f64 $d6, [$d2]
"""


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("waits", [False, True])
def test_loops_that_wait_have_wide_warps_without_registers(*, many: bool, waits: bool) -> None:
    sums = "fma_f64 $d8, $d3, $d4, $d8\nfma_f64 $d9, $d3, $d4, $d9\nmul_f64 $d4, $d7, 3.0"
    body = recurrence("div_f64 $d4, $d7, 3.0" if waits else sums)
    assert width_of(body, many=many) == (WIDE if waits and many else USUAL)
    x = np.random.default_rng(4).random(256)
    same(f"kernel k(global f64* %x, u32 %n) {{{body}\n ret\n}}", [x, 9], items=256, group_size=128)


BYTES = START.replace(", 4, $d1", ", 1, $d1").replace("ld_global_u32 $s4", "ld_global_u8 $s4")
BYTE_LOOP = "ld_global_u8 $s3, [$d1]\n cmp_ne_u32 $c0, $s3, $s4\n cbr $c0, @out\n"


def test_loops_on_bytes_get_vectors_of_bytes() -> None:
    body = BYTES + BYTE_LOOP + "\n" + END.replace("u32 $s4, [$d2]", "u8 $s4, [$d2]") + "@out:"
    facts = best_facts(kernel_of(body), LINE, narrow=True)
    assert (facts.width, facts.chunk) == (WIDE, BYTE_CHUNK)
    assert best_facts(kernel_of(body), LINE, narrow=False).width == USUAL
    text = f"kernel k(global u8* %x, u32 %n) {{\n{body}\n ret\n}}"
    values = np.random.default_rng(1).integers(0, 2, 300).astype(np.uint8)
    same(text, [values, 5], items=256, group_size=128)


CHOSEN = """
    ld_global_u8 $s3, [$d2+1]
    cmp_lt_u32 $c0, $s3, 2
    cbr $c0, @kept
    and_u32 $s4, $s3, 6
@kept:
    cvt_u8_u32 $s5, $s4
    st_global_u8 $s5, [$d2]
"""


@pytest.mark.parametrize("n", [1, 7, 16, 32, 64])
def test_so_does_a_byte_of_either_side_of_a_branch(n: int) -> None:
    bytes_ = STRAIGHT.replace(", 4, $d1", ", 1, $d1").replace(
        "ld_global_u32 $s4", "ld_global_u8 $s4"
    )
    body = bytes_ + CHOSEN
    facts = best_facts(kernel_of(body), LINE, narrow=True)
    assert (facts.width, facts.chunk) == (WIDE, BYTE_CHUNK)
    apart = body.replace(
        "st_global_u8 $s5, [$d2]", "add_u64 $d2, $d0, $d4\nst_global_u8 $s5, [$d2]"
    )
    apart = f"ld_kernarg_u64 $d4, [%y]\n{apart}ret\n"
    text = f"kernel k(global u8* %x, u32 %n, global u8* %y) {{\n{apart}}}"
    x = np.random.default_rng(n).integers(0, 256, 257).astype(np.uint8)
    same(text, [x, 0, np.zeros(256, np.uint8)], items=256, group_size=4 * n)


def test_nor_do_workgroups_that_such_warps_would_not_fill() -> None:
    assert width_of(START + NEIGHBOURS + END, Facts(USUAL, (96, 1, 1), True)) == USUAL


def test_nor_do_rows_that_are_shorter() -> None:
    assert width_of(START + NEIGHBOURS + END, Facts(USUAL, (32, 4, 1), True)) == USUAL


TILE = Facts(USUAL, (16, 16, 1), True)


def test_tiles_with_barriers_get_them_whatever_they_access() -> None:
    straight = STRAIGHT + ANYWHERE + "\n cbr $c0, @end\n nop\n@end:\n"
    assert width_of(straight + "barrier\n", TILE) == WIDE
    assert width_of(straight, TILE) == USUAL
    assert width_of(straight + "barrier\n", LINE) == USUAL


def test_loops_over_the_rows_of_a_tile_do() -> None:
    assert (
        width_of(START.replace("flatabsid_u32 $s0", "absid_u32 $s0, 0") + NEIGHBOURS + END, TILE)
        == WIDE
    )


@pytest.mark.parametrize("items", [256, 200])
def test_wide_warps_compute_the_same(items: int) -> None:
    body = f"{START} {NEIGHBOURS} {END}"
    assert width_of(body) == WIDE
    text = f"kernel k(global u32* %x, u32 %n) {{\n{body}\n ret\n}}"
    same(text, [np.arange(items, dtype=np.uint32), 5], items=items, group_size=128)


@pytest.mark.parametrize("items", [256, 200])
def test_wide_gathers_compute_the_same(items: int) -> None:
    body = f"{START} {CHASED} {END}".replace("$d1, [%x]", "$d1, [%x]\n ld_kernarg_u64 $d4, [%y]")
    body = body.replace("st_global_u32 $s4, [$d2]", "mad_u64 $d5, $d0, 4, $d4\n"
                        "st_global_u32 $s4, [$d5]")  # fmt: skip
    params = "global u32* %x, u32 %n, global u32* %y"
    assert best_facts(kernel_of(body, params), LINE, narrow=True).width == WIDE
    text = f"kernel k({params}) {{\n{body}\n ret\n}}"
    chain = np.random.default_rng(2).permutation(items).astype(np.uint32)
    ends = np.zeros(items, np.uint32)
    same(text, [chain, 5, ends], items=items, group_size=128)
    chain[items // 3] = 1 << 30
    for run in (execute, oracle.run):
        with pytest.raises(Trap, match="out-of-bounds"):
            run(make(text, [chain, 5, ends], items=items, group_size=128))


def test_few_groups_are_known_of_launches_that_have_few_in_each_dimension():
    for groups, few in (((1 << 16, 1), True), ((5, 1 << 16), True), ((1, (1 << 16) + 1), False)):
        geometry = Geometry.of(groups=groups, group_size=(8, 1))
        assert launch_facts.facts_at(geometry, 8).few_groups is few


@pytest.mark.parametrize("items", [8, 16])
def test_a_small_group_with_barriers_is_one_vector(items: int):
    text = "kernel k(u32 %n) {\n barrier\n ret\n}"
    kernel = assemble(text).kernels[0]
    geometry = Geometry.of(groups=3, group_size=items)
    assert launch_facts.facts_of(kernel, geometry).width == items


def test_whole_workgroups_have_a_whole_number_of_warps() -> None:
    with pytest.raises(ValueError, match="invalid width 128: a workgroup of 192 work-items"):
        Facts(128, (192, 1, 1), True)
    assert not Facts(128, (192, 1, 1), False).piece

"""What is the same in all lanes, and what steps from lane to lane."""

from __future__ import annotations

import pytest

from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.flow import order
from simtlab.emu.analysis.values import construction
from simtlab.emu.analysis.warps.uniformity import Shapes

from ...support.flows import kernel_of, op_of, phis_of, shapes_of, stored

LINE = Facts(32, (64, 1, 1), True)
ROWS = Facts(32, (32, 4, 1), True)
RAGGED = Facts(32, (64, 1, 1), False)
NARROW = Facts(32, (8, 8, 1), True)

HEAD = """
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u32 $s9, [%n]
    workitemabsid_u32 $s0, 0
    cvt_u64_u32 $d1, $s0
    mad_u64 $d1, $d1, 4, $d0
"""
STORE = "st_global_u32 $s1, [$d0]\n"
VARYING = "and_u32 $s8, $s0, 3\n cmp_eq_u32 $c0, $s8, 0\n"
UNIFORM = "cmp_eq_u32 $c0, $s9, 0\n"


def made(body: str, facts: Facts = LINE) -> Shapes:
    return shapes_of(HEAD + body, facts)


def stride_of(lines: str, facts: Facts = LINE) -> int | None:
    """The stride of $s1 after some lines; 0 for uniform."""
    shapes = made(f"{lines}\n {STORE}", facts)
    return shapes.stride(stored(shapes.ssa))


IDENTITY = {
    #                            line  rows  ragged  narrow
    "workitemid_u32 $s1, 0": (1, 1, 1, None),
    "workitemid_u32 $s1, 1": (0, 0, 0, None),
    "workitemabsid_u32 $s1, 0": (1, 1, 1, None),
    "workitemabsid_u32 $s1, 2": (0, 0, 0, None),
    "workitemflatid_u32 $s1": (1, 1, 1, 1),
    "workitemflatabsid_u32 $s1": (1, 1, 1, None),
    "laneid_u32 $s1": (1, 1, 1, 1),
    "waveid_u32 $s1": (0, 0, 0, 0),
    "workgroupid_u32 $s1, 0": (0, 0, 0, 0),
    "gridsize_u32 $s1, 0": (0, 0, 0, 0),
    "currentworkgroupsize_u32 $s1, 0": (0, 0, 0, 0),
}


@pytest.mark.parametrize("line", IDENTITY)
def test_identity_has_the_stride_of_its_dimension(line: str):
    found = tuple(stride_of(line, facts) for facts in (LINE, ROWS, RAGGED, NARROW))
    assert found == IDENTITY[line]


IN_PIECES = {
    "workitemid_u32 $s1, 0": 1,
    "workitemid_u32 $s1, 1": 0,
    "workitemabsid_u32 $s1, 0": 1,
    "workitemabsid_u32 $s1, 1": 0,
    "workitemflatabsid_u32 $s1": 1,
    "mad_u32 $s1, $s7, 16, $s9": 0,
    "mad_u32 $s1, $s7, $s9, $s0": 1,
    "mul_u32 $s1, $s0, 4": 4,
    "and_u32 $s1, $s7, 3": 0,
    "and_u32 $s1, $s0, 3": None,
    "div_u32 $s1, $s7, $s9": 0,
    "add_u32 $s1, $s7, $s0": 1,
    "mul_u32 $s1, $s7, $s0": None,
    "ld_group_u32 $s1, [$s7]": 0,
    "ld_group_f32 $s1, [$s7]": None,
    "ld_group_u32 $s1, [$s0]": None,
    "ld_private_u32 $s1, [$s7]": None,
    "atomic_add_group_u32 $s1, [$s7], $s9": None,
    "cvt_f32_u32 $s1, $s7": None,
    "select_u32 $s1, $c1, $s9, $s7": None,
}


@pytest.mark.parametrize("line", IN_PIECES)
def test_rows_shorter_than_a_warp_are_pieces_in_which_values_have_strides(line: str):
    before = "workitemid_u32 $s7, 1\n cmp_lt_u32 $c1, $s0, 3\n"
    shapes = made(f"{before} {line}\n {STORE}", NARROW)
    value = stored(shapes.ssa)
    assert shapes.stride(value) is None
    assert shapes.piece_stride(value) == IN_PIECES[line]


@pytest.mark.parametrize(
    ("width", "size", "lanes"),
    [
        (32, (16, 16, 1), 16),
        (64, (16, 16, 1), 16),
        (32, (8, 8, 1), 8),
        (32, (24, 4, 1), 8),
        (32, (4, 4, 4), 4),
        (32, (2, 32, 1), 0),
        (32, (32, 4, 1), 0),
        (7, (14, 2, 1), 0),
        (7, (16, 7, 1), 0),
        (32, (64, 1, 1), 0),
    ],
)
def test_a_piece_divides_rows_and_warps(width: int, size: tuple[int, int, int], lanes: int):
    assert Facts(width, size, whole=True).piece == lanes
    assert Facts(width, size, whole=False).piece == 0


ARITHMETIC = {
    "mov_u32 $s1, 5": 0,
    "mov_u32 $s1, $s9": 0,
    "add_u32 $s1, $s0, $s9": 1,
    "add_u32 $s1, $s0, $s0": 2,
    "sub_u32 $s1, $s0, 7": 1,
    "sub_u32 $s1, $s9, $s0": -1,
    "sub_u32 $s1, $s0, $s0": 0,
    "mul_u32 $s1, $s0, 12": 12,
    "mul_s32 $s1, $s0, -4": -4,
    "mul_u32 $s1, $s0, $s9": None,
    "mul_u32 $s1, $s9, $s9": 0,
    "mad_u32 $s1, $s0, 4, $s9": 4,
    "mad_u32 $s1, $s9, $s9, $s0": 1,
    "shl_u32 $s1, $s0, 3": 8,
    "shl_u32 $s1, $s0, 35": 8,
    "shr_u32 $s1, $s0, 1": None,
    "xor_u32 $s1, $s0, 1": None,
    "add_f32 $s1, $s0, $s9": None,
    "ld_global_u32 $s1, [$d1]": None,
    "ld_global_u32 $s1, [$d0]": 0,
    "ld_private_u32 $s1, [$s63]": None,
    "atomic_add_global_u32 $s1, [$d0], $s9": None,
    "ld_readonly_u32 $s1, [$s9]": 0,
    "lda_group_u32 $s1, [$s0]": 1,
}


@pytest.mark.parametrize("line", ARITHMETIC)
def test_arithmetic_has_the_stride_that_follows(line: str):
    found = stride_of(line)
    # A difference of two equal strides is found to step by nothing, uniform or not.
    assert found == ARITHMETIC[line]


def test_an_address_steps_by_the_size_of_its_elements():
    shapes = made("st_global_u32 $s0, [$d1]")
    assert shapes.stride(op_of(shapes.ssa, "mad_u64")) == 4


def test_a_value_that_may_wrap_around_has_no_stride_as_an_address():
    shapes = made("add_u32 $s1, $s0, $s9\n cvt_u64_u32 $d2, $s1\n add_u64 $d2, $d2, $d0\n"
                  " st_global_u8 $s0, [$d2]")  # fmt: skip
    assert shapes.stride(op_of(shapes.ssa, "cvt_u64_u32", -1)) is None


JOIN = "{test} mov_u32 $s1, {a}\n cbr $c0, @end\n mov_u32 $s1, {b}\n@end:\n"


def test_after_a_varying_branch_values_vary_and_after_a_uniform_one_they_do_not():
    assert stride_of(JOIN.format(test=VARYING, a="1", b="2")) is None
    assert stride_of(JOIN.format(test=UNIFORM, a="1", b="2")) == 0
    assert stride_of(JOIN.format(test=UNIFORM, a="$s0", b="$s0")) == 1


def test_a_phi_of_equal_strides_keeps_the_stride_after_a_uniform_branch():
    both = f"add_u32 $s2, $s0, $s9\n {JOIN.format(test=UNIFORM, a='$s0', b='$s2')}"
    assert stride_of(both) == 1
    assert stride_of(both.replace(UNIFORM, VARYING)) is None


def test_only_the_join_of_a_branch_is_one():
    shapes = made(f"{VARYING} cbr $c0, @b\n nop\n br @c\n@b:\n nop\n@c:\n nop\n br @d\n@d:\n nop")
    joins = {shapes.flow.nodes[n].start for n in shapes.joins}
    assert joins == {11}
    assert not made(f"{UNIFORM} cbr $c0, @b\n nop\n@b:\n nop").joins


def test_the_counter_of_a_loop_is_uniform_where_its_bound_is():
    count = "@top:\n add_u32 $s1, $s1, 1\n cmp_lt_u32 $c0, $s1, {}\n cbr $c0, @top\n" + STORE
    shapes = made(count.format("$s9"))
    assert not shapes.divergent_loops
    assert shapes.is_uniform(stored(shapes.ssa))
    assert len(shapes.uniform_branches()) == 1


def test_lanes_that_leave_in_different_trips_keep_different_counts():
    count = "@top:\n add_u32 $s1, $s1, 1\n cmp_lt_u32 $c0, $s1, $s0\n cbr $c0, @top\n" + STORE
    shapes = made(count)
    inside, behind = phis_of(shapes.ssa, "$s1")
    assert shapes.divergent_loops == {0}
    # All lanes of a trip have counted as far; those that have left are behind.
    assert shapes.is_uniform(inside)
    assert not shapes.is_uniform(behind)
    assert shapes.stride(behind) is None


def test_a_branch_inside_a_loop_does_not_make_it_divergent_where_both_sides_meet_in_it():
    shapes = made(
        f"@top:\n {VARYING} cbr $c0, @skip\n add_u32 $s2, $s2, $s0\n@skip:\n add_u32 $s1, $s1, 1\n"
        f" cmp_lt_u32 $c1, $s1, $s9\n cbr $c1, @top\n {STORE}"
    )
    assert not shapes.divergent_loops
    assert shapes.is_uniform(stored(shapes.ssa))


def test_lanes_that_go_round_an_inner_loop_of_the_same_header_leave_the_outer_one_together():
    shapes = made(
        f"@top:\n add_u32 $s2, $s2, $s0\n and_u32 $s3, $s2, 3\n cmp_ne_u32 $c0, $s3, 0\n"
        f" cbr $c0, @top\n ld_global_u32 $s1, [$d0]\n cmp_ne_u32 $c1, $s1, $s9\n cbr $c1, @top\n"
        f" {STORE}"
    )
    outer, inner = shapes.flow.loops
    assert shapes.divergent_loops == {inner.number}
    assert outer.header == inner.header


def test_a_pointer_that_walks_in_a_uniform_loop_keeps_its_stride():
    shapes = made(
        "@top:\n st_global_u32 $s9, [$d1]\n add_u64 $d1, $d1, 256\n add_u32 $s1, $s1, 1\n"
        " cmp_lt_u32 $c0, $s1, $s9\n cbr $c0, @top"
    )
    (pointer,) = phis_of(shapes.ssa, "$d1")
    assert shapes.stride(pointer) == 4


def test_a_loop_of_steps_that_differ_has_no_stride():
    shapes = made(
        "mov_u32 $s1, $s0\n@top:\n add_u32 $s1, $s1, $s0\n add_u32 $s2, $s2, 1\n"
        f" cmp_lt_u32 $c0, $s2, $s9\n cbr $c0, @top\n {STORE}"
    )
    assert shapes.stride(phis_of(shapes.ssa, "$s1")[0]) is None


FLAT = "workitemid_u32 $s1, 0\n shl_u32 $s2, $s1, 2\n"
ONE_WARP = Facts(64, (64, 1, 1), True, one_warp=True)

BITS = {
    # A warp of 32 begins at a multiple of 128 bytes: `shl` leaves seven low bits to its lanes.
    f"{FLAT} xor_u32 $s1, $s2, 128": 4,
    f"{FLAT} xor_u32 $s1, 4096, $s2": 4,
    f"{FLAT} or_u32 $s1, $s2, 256": 4,
    f"{FLAT} shl_u32 $s3, $s9, 7\n xor_u32 $s1, $s2, $s3": 4,
    f"{FLAT} and_u32 $s1, $s2, 127": 4,
    f"{FLAT} and_u32 $s1, $s2, 1920": 0,
    f"{FLAT} shr_u32 $s1, $s2, 7": 0,
    f"{FLAT} add_u32 $s2, $s2, 512\n xor_u32 $s1, $s2, 128": 4,
    f"{FLAT} bitextract_u32 $s1, $s2, 0, 7": 4,
    f"{FLAT} bitextract_s32 $s1, $s2, 7, 5": 0,
    # These change bits in which lanes differ, or that the sum may carry into.
    f"{FLAT} xor_u32 $s1, $s2, 64": None,
    f"{FLAT} xor_u32 $s1, $s2, $s9": None,
    f"{FLAT} shl_u32 $s3, $s9, 6\n xor_u32 $s1, $s2, $s3": None,
    f"{FLAT} and_u32 $s1, $s2, 63": None,
    f"{FLAT} and_u32 $s1, $s2, 126": None,
    f"{FLAT} shr_u32 $s1, $s2, 6": None,
    f"{FLAT} bitextract_u32 $s1, $s2, 0, 6": None,
    f"{FLAT} bitextract_s32 $s1, $s2, 0, 7": None,
    f"{FLAT} bitextract_u32 $s1, $s2, 6, 5": None,
    f"{FLAT} add_u32 $s2, $s2, 64\n xor_u32 $s1, $s2, 128": None,
    f"{FLAT} add_u32 $s2, $s2, $s9\n xor_u32 $s1, $s2, 128": None,
    "workitemid_u32 $s1, 0\n sub_u32 $s1, 1024, $s1\n xor_u32 $s1, $s1, 128": None,
}


@pytest.mark.parametrize("lines", BITS)
def test_bits_above_those_in_which_lanes_differ_may_change(lines: str):
    assert stride_of(lines) == BITS[lines]


def test_what_is_computed_or_loaded_by_the_number_of_a_warp_is_uniform():
    body = f"""
        shr_u32 $s2, $s0, 5
        cvt_u64_u32 $d2, $s2
        mad_u64 $d2, $d2, 4, $d0
        ld_global_u32 $s3, [$d2]
    @top:
        add_u32 $s1, $s1, 1
        cmp_lt_u32 $c0, $s1, $s3
        cbr $c0, @top
        {STORE}
    """
    shapes = made(f"mov_u32 $s1, 0\n{body}")
    assert shapes.is_uniform(stored(shapes.ssa))
    assert shapes.uniform_branches() == shapes.ssa.conditions.keys()
    assert not shapes.divergent_loops
    half = made(f"mov_u32 $s1, 0\n{body}".replace("$s0, 5", "$s0, 4"))
    assert not half.is_uniform(stored(half.ssa))
    assert half.divergent_loops


def test_a_group_that_is_one_warp_begins_at_zero():
    lines = f"{FLAT} mov_u32 $s3, 5\n mul_u32 $s1, $s2, 5\n xor_u32 $s1, $s1, 2048"
    assert stride_of(lines, ONE_WARP) == 20
    assert stride_of(lines) is None


def test_bits_may_be_flipped_in_each_iteration_of_a_loop():
    body = f"""
        {FLAT}
    @top:
        xor_u32 $s2, $s2, 256
        mov_u32 $s1, $s2
        add_u32 $s9, $s9, 1
        cmp_lt_u32 $c0, $s9, 9
        cbr $c0, @top
    """
    assert stride_of(body) == 4
    assert stride_of(body.replace("256", "32")) is None


def test_in_a_nest_the_counter_of_an_inner_loop_that_lanes_leave_early_keeps_its_stride():
    text = """
        mov_u32 $s4, 0
    @outer:
        workitemid_u32 $s1, 0
    @inner:
        add_u32 $s1, $s1, 16
        cmp_lt_u32 $c0, $s1, 20
        cbr $c0, @inner
        add_u32 $s4, $s4, 1
        cmp_lt_u32 $c0, $s4, $s9
        cbr $c0, @outer
        st_global_u32 $s4, [$d0]
        ret
    """
    shapes = made(text)
    (counter,) = (p for p in phis_of(shapes.ssa, "$s1") if shapes.stride(p) is not None)
    assert shapes.stride(counter) == 1


def test_lanes_that_continue_an_outer_loop_from_its_inner_one_vary():
    text = """
        mov_u32 $s4, 0
        mov_u32 $s1, 0
    @outer:
        add_u32 $s1, $s1, 1
    @inner:
        add_u32 $s4, $s4, 1
        and_u32 $s8, $s0, $s4
        cmp_eq_u32 $c0, $s8, 3
        cbr $c0, @outer
        cmp_lt_u32 $c0, $s4, $s9
        cbr $c0, @inner
        st_global_u32 $s1, [$d0]
        ret
    """
    shapes = made(text)
    assert not shapes.is_uniform(stored(shapes.ssa))


PLACES = {
    # number of a work-item in the grid: whether no lane's number wraps around as an unsigned one,
    # and as a signed one
    "mad_u32 $s2, $s7, 256, $s6": (True, True),
    "shl_u32 $s2, $s7, 12\n add_u32 $s2, $s2, $s6": (True, True),
    "mad_u32 $s2, $s7, 32768, $s6": (True, True),  # below 2^31 - 32768 + 64
    "mad_u32 $s2, $s7, 32769, $s6": (True, False),
    "mad_u32 $s2, $s7, 65537, $s6": (False, False),
    "shl_u32 $s2, $s7, 16\n add_u32 $s2, $s2, $s6": (True, False),
    "shl_u32 $s2, $s7, 17\n add_u32 $s2, $s2, $s6": (False, False),
    "mad_u32 $s2, $s9, 2, $s6": (False, False),
    "sub_u32 $s2, $s6, $s7": (False, False),
}


@pytest.mark.parametrize("lines", PLACES)
def test_places_that_are_calculated_keep_their_step_in_64_bits(lines: str):
    head = f"workitemid_u32 $s6, 0\n workgroupid_u32 $s7, 0\n {lines}\n"
    few = Facts(32, (64, 1, 1), True, few_groups=True)
    for number, cvt in enumerate(("cvt_u64_u32", "cvt_s64_s32")):
        text = f"{head} {cvt} $d2, $s2\n st_global_u64 $d2, [$d0]"
        shapes = made(text, few)
        keeps = PLACES[lines][number]
        assert shapes.stride(stored(shapes.ssa)) == (1 if keeps else None), cvt
        for other in (LINE, RAGGED, Facts(32, (64, 1, 1), False, few_groups=True)):
            shapes = made(text, other)
            assert shapes.stride(stored(shapes.ssa)) is None


def merged(body: str) -> Shapes:
    """The shapes of a kernel in which ways back to one header are one loop, as native code has."""
    instructions = kernel_of(HEAD + body).instructions
    flow = order.rearranged(instructions, order.nodes_of(instructions))
    return Shapes(construction.build(instructions, flow), LINE)


def test_what_all_lanes_do_before_they_go_back_is_uniform():
    """Lanes that go back to the header by several branches are in the same iteration."""
    body = """
        mov_u32 $s2, 0
    @top:
        cmp_ge_u32 $c0, $s2, $s9
        cbr $c0, @out
        add_u32 $s2, $s2, 1
        add_u32 $s0, $s0, 4
        and_u32 $s8, $s0, 8
        cmp_eq_u32 $c0, $s8, 0
        cbr $c0, @top
        add_u32 $s3, $s3, 1
        cmp_gt_u32 $c0, $s3, $s0
        cbr $c0, @top
        add_u32 $s3, $s3, 2
        br @top
    @out:
        add_u32 $s1, $s3, $s0
        st_global_u32 $s1, [$d0]
    """
    shapes = merged(body)
    (counter, *_), (stepping, *_), (varying, *_) = (
        phis_of(shapes.ssa, register) for register in ("$s2", "$s0", "$s3")
    )
    assert shapes.is_uniform(counter)
    assert shapes.stride(stepping) == 1
    assert shapes.stride(varying) is None
    assert not shapes.divergent_loops


def test_what_some_lanes_do_twice_is_not():
    """The counter is increased once more on one of the ways back."""
    body = f"""
        mov_u32 $s2, 0
    @top:
        cmp_ge_u32 $c0, $s2, $s9
        cbr $c0, @out
        add_u32 $s2, $s2, 1
        {VARYING}
        cbr $c0, @top
        add_u32 $s2, $s2, 1
        br @top
    @out:
        st_global_u32 $s2, [$d0]
    """
    shapes = merged(body)
    assert not shapes.is_uniform(phis_of(shapes.ssa, "$s2")[0])
    assert shapes.divergent_loops


QUOTIENTS = {
    #                            warps, pieces of 16 lanes
    "rem_u32 $s1, $s0, 64": (1, 1),
    "div_u32 $s1, $s0, 64": (0, 0),
    "rem_u32 $s1, $s0, 48": (None, 1),
    "div_u32 $s1, $s0, 48": (None, 0),
    "and_u32 $s1, $s0, 15": (None, 1),
    "shr_u32 $s1, $s0, 4": (None, 0),
    "rem_u32 $s1, $s0, 20": (None, None),
    "rem_s32 $s1, $s0, 64": (None, None),
    "div_u32 $s1, 64, $s9": (0, 0),
    "rem_u32 $s1, 640, $s0": (None, None),
}


@pytest.mark.parametrize("line", QUOTIENTS)
def test_quotients_and_remainders_by_multiples_of_lanes_keep_the_step(line: str):
    shapes = made(f"{line}\n{STORE}", Facts(32, (64, 1, 1), True, row_piece=16))
    value = stored(shapes.ssa)
    assert (shapes.stride(value), shapes.piece_stride(value)) == QUOTIENTS[line]

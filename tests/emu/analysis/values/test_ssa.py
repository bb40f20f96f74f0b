"""Static single assignment: where phis stand, what they take, what is left out."""

from __future__ import annotations

from simtlab.emu.analysis.flow.order import START
from simtlab.emu.analysis.values.ssa import Const, Op, Phi, Ssa, live_out
from simtlab.isa.types import RegClass

from ...support.flows import op_of, phis_of, ssa_of, stored

HEAD = """
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u32 $s9, [%n]
    workitemflatabsid_u32 $s0
"""
TEST = "cmp_eq_u32 $c0, $s0, 0\n"
STORE = "st_global_u32 $s1, [$d0]\n"


def made(body: str) -> Ssa:
    return ssa_of(HEAD + body)


def bits(form: Ssa, which: int = 0) -> int:
    value = stored(form, which)
    assert isinstance(value, Const)
    return value.bits


def nodes_of(form: Ssa) -> dict[int, list[Phi]]:
    return {number: phis for number, phis in form.phis.items() if phis}


def test_a_register_is_zero_at_the_start():
    assert bits(made(STORE)) == 0


def test_a_move_makes_no_value_of_its_own():
    form = made(f"mov_u32 $s2, 7\n mov_u32 $s1, $s2\n {STORE}")
    assert bits(form) == 7
    assert not any(isinstance(v, Op) and v.ins.row.stem == "mov" for v in form.values())


def test_movhi_reads_the_lower_half_that_was_there():
    form = made("mov_u64 $d1, 0x123456789abcdef0\n st_global_u64 $d1, [$d0]")
    high = op_of(form, "movhi_u64")
    assert stored(form) is high
    low = high.args[-1]
    assert isinstance(low, Const)
    assert low.bits & 0xFFFF_FFFF == 0x9ABC_DEF0


def test_the_base_of_an_address_is_the_last_source():
    form = made(STORE)
    store = op_of(form, "st_global_u32")
    assert store.base is op_of(form, "ld_kernarg_u64")
    assert op_of(form, "ld_kernarg_u64").base is None


def test_two_values_meet_in_a_phi_by_predecessor():
    form = made(f"{TEST} mov_u32 $s1, 1\n cbr $c0, @end\n mov_u32 $s1, 2\n@end:\n {STORE}")
    (phi,) = phis_of(form, "$s1")
    assert stored(form) is phi
    values = {before: v.bits for before, v in phi.args.items() if isinstance(v, Const)}
    assert values == {1: 1, 2: 2}


def test_equal_values_need_no_phi():
    form = made(f"{TEST} mov_u32 $s1, 5\n cbr $c0, @end\n mov_u32 $s1, 5\n@end:\n {STORE}")
    assert bits(form) == 5
    assert not nodes_of(form)


def test_a_register_that_is_never_read_has_no_phi():
    form = made(f"{TEST} cbr $c0, @end\n mov_u32 $s1, 2\n@end:\n nop")
    assert not nodes_of(form)


def test_a_register_that_the_loop_leaves_alone_has_no_phi_in_it():
    form = made(
        f"mov_u32 $s1, $s0\n@top:\n add_u32 $s2, $s2, 1\n cmp_lt_u32 $c0, $s2, $s9\n"
        f" cbr $c0, @top\n {STORE}"
    )
    assert not phis_of(form, "$s1")
    assert stored(form) is op_of(form, "workitemflatabsid_u32")
    (count,) = phis_of(form, "$s2")
    assert op_of(form, "add_u32") in count.args.values()


def test_arguments_that_a_loop_loads_are_loaded_before_it() -> None:
    form = made(f"""
    @next:
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u32 $s2, [%n]
        add_u32 $s3, $s2, 1
        ld_global_u32 $s1, [$d1]
        add_u32 $s1, $s1, $s3
        {STORE}
        {TEST} cbr $c0, @next""")
    before = [op.ins.row.stem for op in form.ops[START]]
    assert before == ["ld", "ld", "add"]
    assert op_of(form, "ld_global_u32").base is form.ops[START][0]


def test_where_a_loop_is_left_what_it_assigns_is_kept():
    form = made(f"@top:\n add_u32 $s1, $s1, 1\n cmp_lt_u32 $c0, $s1, $s9\n cbr $c0, @top\n {STORE}")
    at_top, behind = phis_of(form, "$s1")
    assert (at_top.keeps, behind.keeps) == (False, True)
    # One predecessor, and a phi nevertheless: lanes leave in different trips.
    assert list(behind.args.values()) == [op_of(form, "add_u32")]
    assert stored(form) is behind


def test_an_edge_out_of_two_loops_keeps_what_either_assigns():
    form = made(
        "@outer:\n add_u32 $s1, $s1, 1\n@inner:\n add_u32 $s2, $s2, 1\n"
        " cmp_eq_u32 $c0, $s2, $s9\n cbr $c0, @out\n cmp_lt_u32 $c0, $s2, $s1\n cbr $c0, @inner\n"
        " br @outer\n@out:\n"
        f" add_u32 $s1, $s1, $s2\n {STORE}"
    )
    last = op_of(form, "add_u32", 2)
    assert [isinstance(v, Phi) and v.keeps for v in last.args] == [True, True]


def test_an_inner_loop_with_the_header_of_its_outer_one_keeps_what_that_assigns():
    form = made(
        "@top:\n add_u32 $s2, $s2, 1\n and_u32 $s3, $s2, $s0\n cmp_ne_u32 $c0, $s3, 0\n"
        f" cbr $c0, @top\n add_u32 $s1, $s1, 3\n cmp_lt_u32 $c0, $s2, $s9\n cbr $c0, @top\n {STORE}"
    )
    add = op_of(form, "add_u32", 1)
    kept = add.args[0]
    # $s1 has a phi at the header, which the inner latch sets again for lanes that wait.
    assert isinstance(kept, Phi)
    assert kept.keeps
    assert kept.node == add.node


def test_what_is_unused_is_removed_and_what_has_an_effect_stays():
    form = made(
        "add_u32 $s1, $s0, 1\n mul_u32 $s2, $s1, 3\n ld_global_u32 $s3, [$d0]\n"
        " div_u32 $s4, $s0, $s9\n atomic_add_global_u32 $s5, [$d0], $s9"
    )
    stems = [v.ins.row.stem for v in form.values() if isinstance(v, Op)]
    assert "add" not in stems
    assert "mul" not in stems
    assert stems.count("ld") == 3
    assert "div" in stems  # may trap
    assert "atomic_add" in stems


def test_phis_that_only_feed_each_other_are_removed():
    form = made("@top:\n add_u32 $s1, $s1, 1\n cmp_lt_u32 $c0, $s0, $s9\n cbr $c0, @top")
    assert not phis_of(form, "$s1")


def test_a_branch_knows_its_condition():
    form = made(f"{TEST} not_b1 $c1, $c0\n cbr $c1, @end\n nop\n@end:")
    assert form.conditions == {1: op_of(form, "not_b1")}


def test_a_constant_has_the_bits_and_class_of_its_operand():
    form = made("add_f64 $d1, $d1, 1.5\n st_global_f64 $d1, [$d0]")
    constant = op_of(form, "add_f64").args[1]
    assert isinstance(constant, Const)
    assert (constant.cls, constant.bits) == (RegClass.D, 0x3FF8_0000_0000_0000)


def test_live_after_a_node_is_what_later_ones_and_their_phis_use():
    form = made(f"{TEST} mov_u32 $s1, $s9\n cbr $c0, @end\n add_u32 $s1, $s0, 1\n@end:\n {STORE}")
    out = live_out(form)
    pointer, count = op_of(form, "ld_kernarg_u64"), op_of(form, "ld_kernarg_u32")
    first = op_of(form, "workitemflatabsid_u32")
    assert out[1] == {pointer, count, first}
    assert out[2] == {pointer, op_of(form, "add_u32")}
    assert out[3] == set()


def test_the_parts_of_an_address_are_live_where_it_is_used():
    form = made(
        "cvt_u64_u32 $d1, $s0\n mad_u64 $d1, $d1, 4, $d0\n barrier\n st_global_u32 $s9, [$d1]"
    )
    live = live_out(form)[1]
    assert {op_of(form, "cvt_u64_u32"), op_of(form, "ld_kernarg_u64")} <= live
    assert op_of(form, "workitemflatabsid_u32") in live

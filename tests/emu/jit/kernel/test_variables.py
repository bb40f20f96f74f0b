"""Variables of generated code: each is written, for each lane that reads it, before it is read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given

import simtlab
from simtlab.emu.analysis.flow import order
from simtlab.emu.analysis.values import construction
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.programs.index import catalogue
from simtlab.programs.runner import run_program
from simtlab.testing import Case, kernels, run_case

from ....quick import examples, few
from ...support.flows import shapes_of, ssa_of

POISON = "0x5a5a5a5b"
"""What variables hold in debug builds: nothing that a kernel is likely to compute."""

LEFT_BY_SOME = """
    workitemabsid_u32 $s40, 0
    ld_kernarg_u64 $d40, [%x]
    cvt_u64_u32 $d48, $s40
    mad_u64 $d40, $d48, 8, $d40
    mov_u32 $s42, 6
    cmp_gt_u32 $c0, $s40, 6
    and_u32 $s50, $s40, 7
@first:
    cvt_u64_u32 $d0, $s42
    cmp_eq_u32 $c41, $s50, 0
    cbr $c41, @second
    cmp_eq_u32 $c41, $s42, 0
    cbr $c41, @second
    sub_u32 $s42, $s42, 1
    br @first
@second:
    nop
@inner:
    cmp_eq_u32 $c41, $s42, 0
    cbr $c41, @end
    sub_u32 $s42, $s42, 1
    cbr $c0, @second
    cbr $c40, @inner
@end:
    st_global_u64 $d0, [$d40]
"""
"""The second loop does not write $d0, and lanes leave it one after the other."""

TWO_ENTRIES = """
    workitemabsid_u32 $s0, 0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 8, $d1
    ld_global_u32 $s1, [$d1]
    cmp_ne_u32 $c1, $s1, 0
    cbr $c0, @fourth
@first:
    cbr $c0, @second
    cbr $c1, @third
@second:
    br @end
@third:
    cbr $c0, @first
@fourth:
    cmp_lt_u32 $c0, $s2, $s0
    cbr $c0, @third
@end:
    cvt_u32_b1 $s3, $c0
    st_global_u32 $s3, [$d1]
"""
"""An irreducible loop; the address is the same wherever lanes come from."""

PASSED_OVER = """
    workitemabsid_u32 $s0, 0
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s0
    mad_u64 $d0, $d1, 8, $d0
    ld_kernarg_u32 $s2, [%n]
    cmp_eq_u32 $c0, $s0, 3
    cbr $c0, @return
    cmp_ne_u32 $c1, $s2, 0
    cbr $c1, @no
    mov_u32 $s1, 7
    br @end
@no:
    nop
    br @late
@return:
    ret
@late:
    add_u32 $s1, $s2, 1
@end:
    st_global_u32 $s1, [$d0]
"""
"""The code of @late may run without a lane while others wait at @end with another value."""

BEHIND_ITS_HEADER = """
    workitemabsid_u32 $s0, 0
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s0
    mad_u64 $d0, $d1, 8, $d0
    ld_kernarg_u32 $s4, [%n]
    and_u32 $s1, $s0, 7
    cmp_lt_u32 $c2, $s4, 100
    mov_u32 $s2, 3
    cmp_eq_u32 $c0, $s1, 0
    cbr $c0, @end
    br @test
@test:
    sub_u32 $s1, $s1, 1
    cmp_eq_u32 $c1, $s1, 0
    cbr $c1, @again
    mov_u32 $s2, 8
    cbr $c2, @end
@again:
    br @test
@end:
    st_global_u32 $s2, [$d0]
"""
"""Lanes leave the loop for the node at which others wait that never entered it."""

AROUND_AGAIN = """
    workitemabsid_u32 $s0, 0
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s0
    mad_u64 $d0, $d1, 8, $d0
    mov_u32 $s42, 24
    mov_u32 $s1, $s0
@entry:
    br @test
@header:
    cmp_eq_u32 $c40, $s42, 0
    cbr $c40, @end
    sub_u32 $s42, $s42, 1
    and_u32 $s43, $s1, 1
    cmp_eq_u32 $c40, $s43, 0
    cbr $c40, @header
    cbr $c40, @entry
@test:
    xor_u32 $s1, $s1, 53
    cmp_lt_u32 $c40, $s43, 0xc0000000
    cbr $c40, @header
@end:
    st_global_u32 $s43, [$d0]
"""
"""Lanes that go back to @header skip @test, which computes $s1 for others in that iteration."""

BODIES = {
    "left by some": LEFT_BY_SOME,
    "two entries": TWO_ENTRIES,
    "passed over": PASSED_OVER,
    "entered behind its header": BEHIND_ITS_HEADER,
    "around again": AROUND_AGAIN,
}


def module_of(body: str) -> simtlab.Module:
    return simtlab.assemble(f"kernel k(global u64* %x, u32 %n) {{\n{body}\nret\n}}\n")


@pytest.mark.parametrize("n", [0, 5])
@pytest.mark.parametrize("poison", [None, "0", POISON])
@pytest.mark.parametrize("name", BODIES)
def test_kernels_that_read_what_others_left_behind(name, poison, n, monkeypatch):
    if poison is not None:
        monkeypatch.setenv("SIMTLAB_POISON", poison)
    outcomes = []
    for engine in ("oracle", "jit"):
        x = (np.arange(64) % 3 == 1).astype(np.uint64)
        module_of(BODIES[name])["k"].launch(items=64, group_size=32, engine=engine)(x, n)
        outcomes.append(x.tolist())
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("name", BODIES)
def test_a_value_leaves_its_iteration_through_a_phi_only(name):
    construction.check_iterations(ssa_of(BODIES[name]))


def test_the_check_finds_a_value_of_an_earlier_iteration():
    form = ssa_of(AROUND_AGAIN)
    (loop,) = form.flow.loops
    through = next(phi for phi in form.phis[loop.header] if phi.register[1] == 1)
    values = [v for v in through.args.values() if v is not through]
    for ops in form.ops.values():
        for op in ops:
            op.args = [values[0] if a is through else a for a in op.args]
    with pytest.raises(AssertionError, match="defines after it"):
        construction.check_iterations(form)


def test_the_check_finds_a_value_that_is_used_outside_of_its_loop():
    form = ssa_of(LEFT_BY_SOME)
    for phis in form.phis.values():
        for phi in phis:
            phi.keeps = False
    with pytest.raises(AssertionError, match="must keep its value"):
        construction.check_iterations(form)


def test_lanes_meet_behind_a_loop_that_is_entered_behind_its_header():
    shapes = shapes_of(BEHIND_ITS_HEADER)
    (end,) = (n.number for n in shapes.flow.nodes if n.last and n.last.row.stem == "ret")
    assert end in shapes.joins


@examples(
    20,
    60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(case=kernels())
def test_no_random_kernel_reads_a_variable_before_it_is_written(case: Case, monkeypatch):
    (function,) = case.module
    code = function.kernel.instructions
    construction.check_iterations(construction.build(code, order.build(code)))
    _, expected, trap = run_case(case, "interp")
    assert trap is None
    monkeypatch.setenv("SIMTLAB_POISON", POISON)
    _, got, trap = run_case(case, "jit")
    assert trap is None, f"{trap}\n{case}"
    for want, have in zip(expected, got, strict=True):
        assert want.tobytes() == have.tobytes(), str(case)


def test_a_debug_build_fills_variables_and_a_usual_one_does_not(monkeypatch):
    kernel = module_of(LEFT_BY_SOME)["k"].kernel
    geometry = Geometry((32, 1, 1), (32, 1, 1), 32)
    monkeypatch.delenv("SIMTLAB_POISON", raising=False)
    usual = generate(kernel, 0, facts_of(kernel, geometry))
    monkeypatch.setenv("SIMTLAB_POISON", POISON)
    debug = generate(kernel, 0, facts_of(kernel, geometry))
    assert "splat (i32 1515870811)" not in usual
    assert "splat (i32 1515870811)" in debug


@pytest.mark.parametrize("entry", few(catalogue(), 4, 3), ids=lambda e: e.name)
def test_no_program_reads_a_variable_before_it_is_written(entry, monkeypatch):
    monkeypatch.setenv("SIMTLAB_POISON", POISON)
    assert run_program(entry, size="tiny").error is None

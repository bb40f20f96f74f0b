"""Loops that begin anew at several places: merged into one, unless that costs too much."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simtlab.emu.analysis.analysis import Analysis
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.flow import order
from simtlab.emu.analysis.flow.order import Flow
from simtlab.emu.analysis.suitability.spin import may_spin
from simtlab.emu.analysis.values import construction
from simtlab.emu.analysis.warps.uniformity import Shapes

from ....support.flows import TEST, kernel_of
from ...support.agreement import same

FACTS = Facts(32, (64, 1, 1), True)
LONG = "nop\n" * 14


def merged(body: str) -> Flow:
    code = kernel_of(body).instructions
    return order.rearranged(code, order.nodes_of(code))


def is_merged(body: str) -> bool:
    return any(loop.is_merged for loop in merged(body).loops)


# --- which loops


def test_a_short_part_after_the_inner_loop_is_merged_with_it():
    flow = merged(f"@top:\n {LONG} {TEST} cbr $c0, @top\n nop\n {TEST} cbr $c0, @top")
    (loop,) = flow.loops
    assert loop.is_merged
    assert {latch for latch in flow.back.values()} == {loop.latch}


def test_the_source_s_loops_stay_known():
    kernel = kernel_of(f"@top:\n {LONG} {TEST} cbr $c0, @top\n nop\n {TEST} cbr $c0, @top")
    analysis = Analysis(kernel.instructions)
    assert len(analysis.flow.loops) == 1
    assert len(analysis.nested.flow.loops) == 2


def test_sides_of_one_iteration_are_merged():
    read = "ld_global_u32 $s1, [$d0]"
    assert is_merged(f"@top:\n {read}\n {TEST} cbr $c0, @top\n {LONG} {TEST} cbr $c0, @top")


def test_a_long_part_stays_outside():
    assert not is_merged(f"@top:\n nop\n {TEST} cbr $c0, @top\n {LONG} {TEST} cbr $c0, @top")


def test_a_loop_after_the_inner_one_stays_outside():
    part = f"@other:\n add_u32 $s1, $s1, 1\n {TEST} cbr $c0, @other\n"
    loop = f"@top:\n {LONG * 3} {TEST} cbr $c0, @top\n {{}} {TEST} cbr $c0, @top"
    assert is_merged(loop.format(part.replace("cbr $c0, @other", "nop")))
    assert not is_merged(loop.format(part))


def test_an_access_is_as_long_as_many_instructions():
    part = "ld_global_u32 $s1, [$d0]"
    loop = f"@top:\n nop\n {TEST} cbr $c0, @top\n {{}}\n {TEST} cbr $c0, @top"
    assert is_merged(loop.format("nop"))
    assert not is_merged(loop.format(part))


@pytest.mark.parametrize("where", ["before", "after"])
def test_a_loop_with_a_barrier_is_as_in_the_source(where: str):
    before, after = ("barrier\n", "") if where == "before" else ("", "barrier\n")
    assert not is_merged(
        f"@top:\n {LONG} {before} {TEST} cbr $c0, @top\n nop\n {after} {TEST} cbr $c0, @top"
    )


NEST = """
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s9, [%n]
    mov_u32 $s1, 0
@outer:
    {begin}
@inner:
    {test}
    {work}
    mul_u32 $s0, $s0, 1664525
    add_u32 $s0, $s0, 1013904223
    {until}
    cbr $c0, @inner
@after:
    add_u32 $s1, $s1, 1
    cmp_lt_u32 $c0, $s1, $s9
    cbr $c0, @outer
"""
DRAWN = "cmp_ge_s32 $c0, $s0, 0"


def merges_nest(
    begin: str = "add_u32 $s2, $s1, 3", work: str = LONG, until: str = DRAWN, test: str = "nop"
) -> bool:
    body = NEST.format(begin=begin, work=work, until=until, test=test)
    return any(loop.is_merged for loop in Analysis(kernel_of(body).instructions).flow.loops)


def test_a_short_outer_loop_is_merged_with_an_inner_one_that_lanes_leave_apart():
    assert merges_nest()
    assert merges_nest(test="cmp_eq_s32 $c1, $s0, 7\n cbr $c1, @after")


@pytest.mark.parametrize(
    "other",
    [
        {"begin": LONG},
        {"begin": "barrier"},
        {"begin": "ld_kernarg_u64 $d0, [%x]\n ld_global_u32 $s3, [$d0]"},
        {"work": f"ld_kernarg_u64 $d0, [%x]\n ld_global_u32 $s3, [$d0]\n {LONG}"},
        # left by all lanes together
        {"begin": "mov_u32 $s2, 0", "until": "add_u32 $s2, $s2, 1\n cmp_lt_u32 $c0, $s2, 9"},
        # past the inner loop
        {"begin": "cmp_eq_s32 $c1, $s0, 7\n cbr $c1, @after"},
        {"work": f"@third:\n {LONG} add_u32 $s3, $s3, 1\n cmp_lt_u32 $c1, $s3, $s0\n"
         " cbr $c1, @third", "begin": LONG},
    ],
)  # fmt: skip
def test_other_nests_are_as_in_the_source(other: dict[str, str]) -> None:
    assert not merges_nest(**other)


@pytest.mark.parametrize("test", ["nop", "cmp_eq_u32 $c1, $s2, 5\n cbr $c1, @after"])
@pytest.mark.parametrize("poison", [None, "0x5a5a5a5b"])
def test_nests_against_the_oracle(
    test: str, poison: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if poison is not None:
        monkeypatch.setenv("SIMTLAB_POISON", poison)
    work = f"mad_u32 $s3, $s3, 5, $s2\n add_u32 $s2, $s2, 1\n {LONG}"
    assert merges_nest(work=work, test=test)
    nest = NEST.format(begin="mov_u32 $s2, $s1", work=work, until=DRAWN, test=test)
    text = f"""
    kernel k(u32 %n, global u32* %out) {{
        mov_u32 $s3, 1
        {nest}
        workitemabsid_u32 $s20, 0
        mul_u32 $s20, $s20, 4
        cvt_u64_u32 $d0, $s20
        ld_kernarg_u64 $d1, [%out]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s0, [$d1]
        st_global_u32 $s1, [$d1+4]
        st_global_u32 $s2, [$d1+8]
        st_global_u32 $s3, [$d1+12]
        ret
    }}"""
    for items in (1, 70):
        same(text, [np.uint32(5), np.zeros(4 * items, np.uint32)], items=items)


def test_ways_back_without_a_join_node_are_one_loop_anyhow():
    body = (
        f"@top:\n {TEST} cbr $c0, @out\n {TEST} cbr $c0, @b\n nop\n br @top\n@b:\n br @top\n@out:"
    )
    flow = merged(body)
    assert len(flow.loops) == 1
    assert not flow.loops[0].is_merged


# --- what is known in them


COUNTED = f"""
    ld_kernarg_u32 $s9, [%n]
    workitemabsid_u32 $s0, 0
    mov_u32 $s1, 0
    mov_u32 $s2, 0
@top:
    {LONG}
    add_u32 $s2, $s2, 1
    mul_u32 $s0, $s0, 1664525
    add_u32 $s0, $s0, 1013904223
    cmp_ge_s32 $c0, $s0, 0
    cbr $c0, @top
    add_u32 $s1, $s1, 1
    cmp_lt_u32 $c0, $s1, $s9
    cbr $c0, @top
"""


def test_a_count_of_the_outer_loop_varies_and_lanes_leave_in_different_iterations():
    shapes = Shapes(construction.build(kernel_of(COUNTED).instructions, merged(COUNTED)), FACTS)
    assert shapes.divergent_loops == {0}
    assert not shapes.uniform_branches()


def test_lanes_leave_in_different_iterations_where_the_last_branch_is_uniform():
    body = COUNTED.replace("cmp_lt_u32 $c0, $s1, $s9", "cmp_eq_u32 $c0, $s9, 7")
    shapes = Shapes(construction.build(kernel_of(body).instructions, merged(body)), FACTS)
    assert shapes.divergent_loops == {0}
    assert len(shapes.uniform_branches()) == 1


def test_polling_is_seen_inside_of_a_loop_that_steps():
    body = f"""
        ld_kernarg_u64 $d0, [%x]
        mov_u32 $s1, 0
    @top:
        {LONG * 3}
        ld_global_u32 $s2, [$d0]
        cmp_eq_u32 $c0, $s2, 0
        cbr $c0, @top
        add_u64 $d0, $d0, 4
        add_u32 $s1, $s1, 1
        cmp_lt_u32 $c0, $s1, 4
        cbr $c0, @top
        st_global_u32 $s1, [$d0]
    """
    analysis = Analysis(kernel_of(body).instructions)
    assert any(loop.is_merged for loop in analysis.flow.loops)
    assert may_spin(analysis.nested)


# --- what comes out


def program(parts: list[str], private: bool) -> str:
    """A loop that begins anew after each part but the last, for as long as lanes have fuel."""
    again = "\n".join(
        f"{part}\n and_u32 $s9, $s0, {1 << (7 + i)}\n cmp_ne_u32 $c0, $s9, 0\n"
        " and_b1 $c0, $c0, $c1\n cbr $c0, @top"
        for i, part in enumerate(parts)
    )
    declared = ".private u32 last[4]" if private else ""
    return f"""
    kernel k(u32 %fuel, u32 %bound, global u32* %seed, global u32* %out) {{
        {declared}
        workitemabsid_u32 $s20, 0
        cvt_u64_u32 $d0, $s20
        ld_kernarg_u64 $d1, [%seed]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s0, [$d1]
        ld_kernarg_u32 $s10, [%fuel]
        ld_kernarg_u32 $s11, [%bound]
        mov_u32 $s1, 0                  // counts parts; the same for all lanes that meet there
        mov_u32 $s2, 0                  // counts iterations
        mov_u32 $s3, 1                  // what parts make
        mov_u32 $s4, 5
    @top:
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c1, $s2, $s10
        mul_u32 $s0, $s0, 1664525
        add_u32 $s0, $s0, 1013904223
        {again}
        add_u32 $s1, $s1, 1
        cmp_lt_u32 $c0, $s1, $s11
        and_b1 $c0, $c0, $c1
        cbr $c0, @top
        mad_u32 $s3, $s3, 7, $s1
    @out:
        mul_u32 $s20, $s20, 5
        cvt_u64_u32 $d0, $s20
        ld_kernarg_u64 $d1, [%out]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s0, [$d1]
        st_global_u32 $s1, [$d1+4]
        st_global_u32 $s2, [$d1+8]
        st_global_u32 $s3, [$d1+12]
        st_global_u32 $s4, [$d1+16]
        ret
    }}"""


PARTS = {
    "nothing": "nop",
    "a count": "add_u32 $s1, $s1, 1\n mad_u32 $s3, $s3, 3, $s1",
    "a sum": "add_u32 $s4, $s4, $s3\n xor_u32 $s3, $s3, $s2",
    "a branch": "cmp_lt_u32 $c2, $s1, 3\n cbr $c2, @a{i}\n add_u32 $s3, $s3, $s2\n@a{i}:\n nop",
    "a loop": "mov_u32 $s5, 0\n@l{i}:\n add_u32 $s5, $s5, 1\n add_u32 $s3, $s3, $s5\n"
    " cmp_lt_u32 $c2, $s5, $s1\n cbr $c2, @l{i}",
    "an exit": "cmp_eq_u32 $c2, $s3, 77\n cbr $c2, @out",
    "a quotient": "add_u32 $s5, $s1, 1\n div_u32 $s6, $s0, $s5\n add_u32 $s4, $s4, $s6",
    "private memory": "and_u32 $s5, $s2, 3\n shl_u32 $s5, $s5, 2\n ld_private_u32 $s6, [last+$s5]\n"
    " add_u32 $s3, $s3, $s6\n st_private_u32 $s1, [last+$s5]",
}

APART = {"an exit", "private memory"}
"""Parts after which lanes need not pass the next one, or that are long."""


def agrees(names: list[str], fuel: int, bound: int, items: int, width: int = 32) -> None:
    """Native code leaves what the oracle leaves."""
    text = program([PARTS[n].format(i=i) for i, n in enumerate(names)], "private memory" in names)
    seed = np.random.default_rng(items).integers(0, 1 << 32, items, np.uint32)
    out = np.zeros(5 * items, np.uint32)
    same(text, [np.uint32(fuel), np.uint32(bound), seed, out], items=items, width=width)


@pytest.mark.parametrize(
    ("name", "poison"), [*((name, None) for name in PARTS), ("a loop", "0x5a5a5a5b")]
)
def test_each_part(name: str, poison: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if poison is not None:
        monkeypatch.setenv("SIMTLAB_POISON", poison)
    text = program([PARTS["a sum"], PARTS[name].format(i=1)], private=name == "private memory")
    code = kernel_of(text.partition("{")[2].rpartition("ret")[0], "u32 %fuel, u32 %bound, "
                     "global u32* %seed, global u32* %out").instructions  # fmt: skip
    assert name in APART or any(loop.is_merged for loop in Analysis(code).flow.loops)
    agrees(["a sum", name], fuel=30, bound=6, items=70)


@settings(
    max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    names=st.lists(st.sampled_from(sorted(PARTS)), min_size=1, max_size=4),
    fuel=st.integers(0, 30),
    bound=st.integers(0, 9),
    items=st.sampled_from([1, 33, 64, 130]),
    width=st.sampled_from([4, 32, 64]),
)
def test_any_parts(names: list[str], fuel: int, bound: int, items: int, width: int) -> None:
    agrees(names, fuel, bound, items, width)

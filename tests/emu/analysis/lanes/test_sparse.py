"""Loops that lanes may run one after the other."""

from __future__ import annotations

import pytest

from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.lanes.sparse import sparse_loops, writes_a_text
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel import launch_facts
from simtlab.programs import find

from ...support.chains import CHAIN, STEP, inside
from ...support.flows import kernel_of, shapes_of


def test_of_the_programs_only_graph_searches_are_sparse() -> None:
    import simtlab
    from simtlab.emu.analysis.flow import order
    from simtlab.emu.analysis.values import construction
    from simtlab.emu.analysis.warps.uniformity import Shapes

    found = {}
    for name in ("bfs", "collatz", "mandelbrot", "kmeans", "matmul", "scan", "histogram"):
        for function in simtlab.assemble(find(name).path):
            instructions = function.kernel.instructions
            form = construction.build(instructions, order.build(instructions))
            found[function.name] = bool(sparse_loops(Shapes(form, Facts(32, (64, 1, 1), True))))
    assert [name for name, is_sparse in found.items() if is_sparse] == ["bfs"]


LOOPS = {
    # name: (the loop of WALK, whether it is sparse)
    "what a list of its own names": (
        """@top:
        cvt_u64_u32 $d7, $s1
        mad_u64 $d8, $d7, 4, $d2
        ld_global_u32 $s4, [$d8]
        cvt_u64_u32 $d7, $s4
        mad_u64 $d8, $d7, 4, $d1
        ld_global_u32 $s4, [$d8]
        add_u32 $s1, $s1, 1
        cmp_lt_u32 $c0, $s1, $s4
        cbr $c0, @top""",
        True,
    ),
    "a list whose end is loaded in each iteration": (
        """@top:
        add_u32 $s5, $s0, 1
        cvt_u64_u32 $d7, $s5
        mad_u64 $d8, $d7, 4, $d1
        ld_global_u32 $s6, [$d8]
        cvt_u64_u32 $d7, $s1
        mad_u64 $d8, $d7, 4, $d2
        ld_global_u32 $s4, [$d8]
        cvt_u64_u32 $d7, $s4
        mad_u64 $d8, $d7, 4, $d1
        ld_global_u32 $s4, [$d8]
        add_u32 $s1, $s1, 1
        cmp_lt_u32 $c0, $s1, $s6
        cbr $c0, @top""",
        True,
    ),
    "a stretch of its own": (
        """@top:
        cvt_u64_u32 $d7, $s1
        mad_u64 $d8, $d7, 4, $d2
        ld_global_u32 $s4, [$d8]
        add_u32 $s1, $s1, 2
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @top""",
        True,
    ),
    "a stretch of bytes of its own": (
        """@top:
        cvt_u64_u32 $d7, $s1
        add_u64 $d8, $d7, $d2
        ld_global_u8 $s4, [$d8]
        add_u32 $s1, $s1, 1
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @top""",
        False,
    ),
    "bytes of its own that are stored": (
        """@top:
        cvt_u64_u32 $d7, $s1
        add_u64 $d8, $d7, $d2
        ld_global_u8 $s4, [$d8]
        st_global_u8 $s4, [$d8+64]
        add_u32 $s1, $s1, 1
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @top""",
        True,
    ),
    "a list with atomics": (
        """@top:
        cvt_u64_u32 $d7, $s1
        mad_u64 $d8, $d7, 4, $d2
        ld_global_u32 $s4, [$d8]
        cvt_u64_u32 $d7, $s4
        mad_u64 $d8, $d7, 4, $d1
        atomic_min_global_u32 [$d8], $s1
        add_u32 $s1, $s1, 1
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @top""",
        True,
    ),
    "a list with atomics whose order shows": (
        """@top:
        cvt_u64_u32 $d7, $s1
        mad_u64 $d8, $d7, 4, $d2
        ld_global_u32 $s4, [$d8]
        cvt_u64_u32 $d7, $s4
        mad_u64 $d8, $d7, 4, $d1
        atomic_add_global_u32 $s5, [$d8], $s1
        add_u32 $s1, $s1, $s5
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @top""",
        False,
    ),
    "a pointer of its own that steps": (
        """cvt_u64_u32 $d7, $s1
        mad_u64 $d8, $d7, 4, $d2
    @top:
        ld_global_u32 $s4, [$d8]
        add_u64 $d8, $d8, 4
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @top""",
        True,
    ),
    "places that wrap around": (
        """@top:
        cvt_u64_u32 $d7, $s1
        mad_u64 $d8, $d7, 4, $d2
        ld_global_u32 $s4, [$d8]
        add_u32 $s1, $s1, 1
        and_u32 $s1, $s1, 63
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @top""",
        False,
    ),
    "a chain": (CHAIN, False),
    "a chain and what it leads to": (
        f"""@top:\n{STEP}
        mad_u64 $d8, $d7, 4, $d1
        ld_global_u32 $s4, [$d8]
        cmp_ne_u32 $c0, $s4, $s9
        cbr $c0, @top""",
        False,
    ),
    "neighbours": (
        """mov_u32 $s4, $s0
    @top:
        cvt_u64_u32 $d7, $s4
        mad_u64 $d8, $d7, 4, $d2
        ld_global_u32 $s5, [$d8]
        add_u32 $s4, $s4, 1
        cmp_ne_u32 $c0, $s5, 0
        cbr $c0, @top""",
        False,
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_lanes_run_alone_where_the_data_say_where_they_access(name: str) -> None:
    body, is_sparse = LOOPS[name]
    assert bool(sparse_loops(shapes_of(inside(body)))) is is_sparse


SHARED = """
    workitemid_u32 $s5, 0
    shr_u32 $s5, $s5, 4
    cvt_u64_u32 $d7, $s5
    mad_u64 $d8, $d7, 4, $d1
    ld_global_u32 $s1, [$d8]
    mul_u32 $s6, $s0, $s0
@top:
    cvt_u64_u32 $d7, $s1
    mad_u64 $d8, $d7, 4, $d2
    ld_global_u32 $s4, [$d8]
    add_u32 $s4, $s4, $s6
    cvt_u64_u32 $d7, $s4
    mad_u64 $d8, $d7, 4, $d1
    ld_global_u32 $s4, [$d8]
    add_u32 $s1, $s1, 1
    cmp_lt_u32 $c0, $s1, $s4
    cbr $c0, @top"""
"""Of two accesses one is of one place for each 16 lanes."""


@pytest.mark.parametrize("more", ["", "ld_global_u32 $s7, [$d8+4]\n add_u32 $s4, $s4, $s7\n"])
def test_lanes_run_together_where_those_of_a_piece_access_memory_in_order(more: str) -> None:
    body = inside(SHARED.replace("add_u32 $s1", more + "add_u32 $s1"))
    in_pieces = Facts(64, (64, 1, 1), True, row_piece=16)
    assert sparse_loops(shapes_of(body))
    assert bool(sparse_loops(shapes_of(body, in_pieces))) == bool(more)


WALKS = {
    # name: (the loop of WALK, whether it is one where native code finds how lanes run)
    "a walk": (
        """@top:
        mul_u32 $s1, $s1, 77
        and_u32 $s4, $s1, 63
        add_u32 $s6, $s6, $s4
        cvt_u64_u32 $d7, $s6
        mad_u64 $d8, $d7, 4, $d2
        ld_global_u32 $s4, [$d8]
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @top""",
        True,
    ),
    "a walk that takes a side": (
        """@top:
        mul_u32 $s1, $s1, 77
        cmp_lt_u32 $c0, $s1, 100
        cbr $c0, @on
        add_u32 $s6, $s6, $s1
    @on:
        cvt_u64_u32 $d7, $s6
        mad_u64 $d8, $d7, 4, $d2
        ld_global_u32 $s4, [$d8]
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @top""",
        False,
    ),
    "a walk of as many steps as it says": (
        """@top:
        mul_u32 $s1, $s1, 77
        add_u32 $s6, $s6, $s1
        cvt_u64_u32 $d7, $s6
        mad_u64 $d8, $d7, 4, $d2
        ld_global_u32 $s4, [$d8]
        add_u32 $s2, $s2, $s4
        cmp_lt_u32 $c0, $s1, 1000
        cbr $c0, @top""",
        False,
    ),
    "a walk that loads lead": (
        """@top:
        cvt_u64_u32 $d7, $s6
        mad_u64 $d8, $d7, 4, $d2
        ld_global_u32 $s4, [$d8]
        add_u32 $s6, $s6, $s4
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @top""",
        False,
    ),
    "a walk that stores": (
        """@top:
        mul_u32 $s6, $s1, 77
        add_u32 $s1, $s6, $s1
        cvt_u64_u32 $d7, $s1
        mad_u64 $d8, $d7, 4, $d2
        ld_global_u32 $s4, [$d8]
        st_global_u32 $s6, [$d8]
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @top""",
        False,
    ),
    "a row of its own": (
        """mul_u32 $s6, $s0, $s9
    @top:
        cvt_u64_u32 $d7, $s6
        mad_u64 $d8, $d7, 4, $d2
        ld_global_u32 $s4, [$d8]
        add_u32 $s6, $s6, 1
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @top""",
        True,
    ),
    "a long row of its own": (
        """mul_u32 $s6, $s0, 16
    @top:
        cvt_u64_u32 $d7, $s6
        mad_u64 $d8, $d7, 4, $d2
        ld_global_u32 $s4, [$d8]
        add_u32 $s6, $s6, 1
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @top""",
        True,
    ),
    "a short row of its own": (
        """mul_u32 $s6, $s0, 15
    @top:
        cvt_u64_u32 $d7, $s6
        mad_u64 $d8, $d7, 4, $d2
        ld_global_u32 $s4, [$d8]
        add_u32 $s6, $s6, 1
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @top""",
        False,
    ),
    "bytes of a row of its own": (
        """mul_u32 $s6, $s0, $s9
    @top:
        cvt_u64_u32 $d7, $s6
        add_u64 $d8, $d7, $d2
        ld_global_u8 $s4, [$d8]
        add_u32 $s6, $s6, 1
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @top""",
        False,
    ),
    "steps of a constant": (
        """@top:
        add_u32 $s6, $s6, 77
        and_u32 $s4, $s6, 63
        cvt_u64_u32 $d7, $s4
        mad_u64 $d8, $d7, 4, $d2
        ld_global_u32 $s4, [$d8]
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @top""",
        False,
    ),
}


@pytest.mark.parametrize("finds_limit", [True, False])
@pytest.mark.parametrize("name", WALKS)
def test_walks_are_sparse_loops_where_native_code_finds_how_lanes_run(
    name: str, finds_limit: bool
) -> None:
    body, is_sparse = WALKS[name]
    facts = Facts(32, (64, 1, 1), True, finds_limit=finds_limit)
    assert bool(sparse_loops(shapes_of(inside(body), facts))) is (is_sparse and finds_limit)


TEXTS = """
        mul_u32 $s5, $s0, $s9
        mov_u32 $s6, 0
        mov_u32 $s7, 0
    @top:
        add_u32 $s8, $s5, $s6
        cvt_u64_u32 $d7, $s8
        add_u64 $d8, $d7, $d2
        ld_global_u8 $s4, [$d8]
        {leaves}
        cmp_eq_u32 $c1, $s4, 0
        cbr $c1, @same
        add_u32 $s8, $s5, $s7
        cvt_u64_u32 $d7, $s8
        add_u64 $d8, $d7, $d1
        st_global_u8 $s4, [$d8]
        add_u32 $s7, $s7, 1
    @same:
        add_u32 $s6, $s6, 1
        cmp_lt_u32 $c0, $s6, 100
        cbr $c0, @top"""


@pytest.mark.parametrize("finds_limit", [True, False])
@pytest.mark.parametrize(
    ("leaves", "writes"), [("", True), ("cmp_eq_u32 $c1, $s4, 9\n cbr $c1, @out", False)]
)
def test_lanes_write_a_text_each_if_all_run_to_its_end(
    leaves: str, writes: bool, finds_limit: bool
) -> None:
    facts = Facts(32, (64, 1, 1), True, finds_limit=finds_limit)
    shapes = shapes_of(inside(TEXTS.format(leaves=leaves)), facts)
    (loop,) = sparse_loops(shapes).values()
    assert writes_a_text(shapes, loop) is writes


@pytest.mark.parametrize("leaves", ["", "cmp_eq_u32 $c1, $s4, 9\n cbr $c1, @out"])
def test_many_of_these_lanes_run_together_where_gathers_are_slow(
    leaves: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch_facts, "together_from", lambda: 65)
    monkeypatch.setattr(launch_facts, "finds_limit", lambda: True)
    kernel = kernel_of(inside(TEXTS.format(leaves=leaves)))
    facts = launch_facts.facts_of(kernel, Geometry.of(groups=4, group_size=64))
    assert facts.together_from == (65 if leaves else 16)
    assert analyse(kernel).lane_plan(facts).has_both is not bool(leaves)

"""Layouts of kernels in which native code runs what the post-dominator stack runs."""

from __future__ import annotations

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.counting.independence import reliance_of
from simtlab.emu.analysis.counting.plan import CountingAnalysis, analyse_counting
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.values.construction import check_iterations
from simtlab.isa.program import Kernel

FACTS = Facts(32, (64, 1, 1), whole=True, counts=True)


def kernel_of(body: str) -> Kernel:
    """A kernel with the number of the work-item in $s0."""
    (kernel,) = assemble(f"""
        kernel k(global u32* %y) {{
            workitemabsid_u32 $s0, 0
            cmp_lt_u32 $c0, $s0, 10
            cmp_lt_u32 $c1, $s0, 20
            {body}
        }}
    """).kernels
    return kernel


def layout(body: str) -> CountingAnalysis | None:
    """The analysis of a kernel for counting."""
    found = analyse_counting(kernel_of(body), FACTS)
    if found is not None:
        check_iterations(found.ssa)
    return found


def starts(found: CountingAnalysis | None) -> list[int]:
    """Where the nodes with code of a layout start."""
    assert found is not None
    return sorted(n.start for n in found.flow.nodes if n.latch_of is None and n.number)


def test_an_if_needs_no_clone() -> None:
    found = starts(layout("cbr $c0, @end\n add_u32 $s1, $s1, 1\n@end:\n ret"))
    assert len(found) == len(set(found))


def test_a_block_of_two_paths_is_cloned() -> None:
    found = starts(
        layout("""
            cbr $c0, @no
            cbr $c1, @no
            add_u32 $s1, $s1, 1
            br @end
        @no:
            add_u32 $s1, $s1, 2
        @end:
            ret
        """)
    )
    assert [start for start in set(found) if found.count(start) == 2] == [7]


def test_code_before_a_break_belongs_to_the_loop() -> None:
    found = layout("""
        @loop:
            add_u32 $s1, $s1, 1
            cmp_eq_u32 $c0, $s1, $s0
            cbr $c0, @found
            cmp_lt_u32 $c1, $s1, 9
            cbr $c1, @loop
            br @end
        @found:
            add_u32 $s2, $s2, 1
        @end:
            ret
    """)
    assert found is not None
    (loop,) = found.flow.loops
    assert {n.start for n in found.flow.nodes if n.number in loop.nodes} >= {3, 9}


def test_both_sides_of_a_branch_begin_the_next_iteration_or_leave() -> None:
    body = """
        @loop:
            add_u32 $s1, $s1, 1
            cmp_eq_u32 $c0, $s1, $s0
            cbr $c0, @other
            cmp_lt_u32 $c1, $s1, 9
            cbr $c1, @loop
            br @end
        @other:
            cmp_lt_u32 $c1, $s1, 7
            cbr $c1, @loop
        @end:
            ret
    """
    assert layout(body) is None


def test_a_branch_on_a_load_relies_on_its_buffer_and_one_on_an_atomic_on_nothing() -> None:
    load = """
        ld_kernarg_u64 $d0, [%y]
        ld_global_u32 $s1, [$d0]
        cmp_eq_u32 $c0, $s1, 0
        cbr $c0, @end
    @end:
    """
    found = reliance_of(kernel_of(load + "ret"), (64, 1, 1))
    assert found is not None
    assert not found.stored
    found = reliance_of(kernel_of(load + "st_global_u32 $s0, [$d0]\n ret"), (64, 1, 1))
    assert found is not None
    assert found.owned == {0}  # work-items must not meet in y: they are watched
    assert len(found.watched) == 2

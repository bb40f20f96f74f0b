"""Loops that lanes run one after the other, against the oracle, and which loops these are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simtlab.emu.analysis.lanes import sparse
from simtlab.emu.analysis.lanes.own_memory import has_own_memory
from simtlab.emu.analysis.lanes.sparse import sparse_loops
from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.launch import engine
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.oracle import oracle
from simtlab.emu.recent import Recent
from simtlab.emu.traps import Trap
from simtlab.programs import find
from simtlab.testing import Case, assert_all_agree, kernels

from .....quick import examples
from ....support.flows import shapes_of
from ....support.oracle_work import make
from ...support.agreement import same

WALK = """
    kernel walk(global u32* %x, global u32* %next, global u64* %wide, u32 %n) {{
        workitemflatabsid_u32 $s0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u64 $d2, [%next]
        ld_kernarg_u64 $d3, [%wide]
        ld_kernarg_u32 $s9, [%n]
        mad_u64 $d4, $d0, 4, $d1
        mad_u64 $d5, $d0, 8, $d3
        ld_global_u32 $s1, [$d4]            // where to begin
        mov_u32 $s2, 0
        mov_u64 $d6, 5
        cmp_gt_u32 $c1, $s1, 40
        and_u32 $s3, $s1, 3
        cmp_eq_u32 $c0, $s3, 3
        cbr $c0, @out
        {}
    @out:
        mad_u32 $s1, $s2, 1000, $s1
        cvt_u32_b1 $s4, $c1
        mad_u32 $s1, $s4, 500, $s1
        st_global_u32 $s1, [$d4]
        st_global_u64 $d6, [$d5]
        ret
    }}"""

STEP = """
        cvt_u64_u32 $d7, $s1
        mad_u64 $d8, $d7, 4, $d2
        ld_global_u32 $s1, [$d8]
        add_u32 $s2, $s2, 1"""

BODIES = {
    "a chain": f"@top:\n{STEP}\n cmp_ne_u32 $c0, $s1, $s9\n cbr $c0, @top",
    "all that comes out": f"""@top:\n{STEP}
        add_u64 $d6, $d6, $d7
        cmp_gt_u32 $c1, $s1, 20
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top""",
    "what steps from lane to lane goes in": f"""@top:\n{STEP}
        add_u32 $s2, $s2, $s0
        add_u64 $d6, $d6, $d5
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top""",
    "two ways out": f"""@top:\n{STEP}
        cmp_gt_u32 $c0, $s2, 6
        cbr $c0, @late
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top
        add_u32 $s2, $s2, 100
        br @out
    @late:
        mul_u32 $s2, $s2, 3""",
    "a loop inside": f"""@top:\n{STEP}
        and_u32 $s5, $s1, 3
    @inner:
        cmp_eq_u32 $c0, $s5, 0
        cbr $c0, @over
        sub_u32 $s5, $s5, 1
        add_u64 $d6, $d6, 7
        br @inner
    @over:
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top""",
    "in a loop for all": f"""
        mov_u32 $s6, 3
    @again:
        mad_u32 $s1, $s1, 5, $s6
        and_u32 $s1, $s1, 31
    @top:\n{STEP}
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top
        sub_u32 $s6, $s6, 1
        cmp_ne_u32 $c0, $s6, 0
        cbr $c0, @again""",
    "back to a loop around": f"""
        mov_u32 $s6, 0
    @again:
        add_u32 $s6, $s6, 1
        cmp_gt_u32 $c0, $s6, 9
        cbr $c0, @out
    @top:\n{STEP}
        and_u32 $s5, $s1, 1
        cmp_eq_u32 $c0, $s5, 0
        cbr $c0, @again
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top""",
    "an address in one of two buffers": """@top:
        cmp_gt_u32 $c0, $s2, 3000
        select_u64 $d8, $c0, $d3, $d2
        cvt_u64_u32 $d7, $s1
        mad_u64 $d8, $d7, 4, $d8
        ld_global_u32 $s1, [$d8]
        add_u32 $s2, $s2, 1
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top""",
    "numbers from a buffer of the lane's choice": """@top:
        cmp_eq_u32 $c0, $s0, 1
        select_u64 $d8, $c0, $d3, $d2
        cvt_u64_u32 $d7, $s1
        mad_u64 $d8, $d7, 4, $d8
        ld_global_u32 $s5, [$d8]
        add_f32 $s2, $s2, $s5
        shr_u32 $s1, $s1, 1
        cmp_ne_u32 $c0, $s1, 0
        cbr $c0, @top""",
    "atomics that commute": f"""@top:\n{STEP}
        mad_u64 $d8, $d7, 8, $d3
        atomic_add_global_u64 [$d8+512], $d7
        atomic_sub_global_u64 [$d3+512], $d6
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top""",
    "stores that others see": f"""@top:\n{STEP}
        mad_u64 $d8, $d7, 8, $d3
        st_global_u64 $d7, [$d8+512]
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top""",
}


def chains() -> list:
    """Places that lead to each other and at last to 7; where lanes begin; room for results."""
    rng = np.random.default_rng(3)
    following = np.array([max(0, i - rng.integers(1, 9)) for i in range(64)], np.uint32)
    following[:8] = 7
    return [rng.integers(0, 64, 64, np.uint32), following, np.arange(128, dtype=np.uint64), 7]


@pytest.fixture(params=["alone", "together", "2", "9", "32"])
def loops(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How sparse loops run, whatever the host's CPU is good at; chains are among them."""
    monkeypatch.setenv("SIMTLAB_LOOPS", request.param)
    every_loop_is_sparse(monkeypatch)
    return request.param


def every_loop_is_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all loops run alone that can, in code that no cache gets or has."""
    monkeypatch.setattr(sparse, "gains_alone", lambda shapes, loop: True)
    monkeypatch.setattr(code, "_COMPILED", Recent())
    monkeypatch.setenv(FOLDER_VARIABLE, "/dev/null")


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("items", [64, 37])
@pytest.mark.parametrize("name", BODIES)
def test_each_lane_runs_the_loop_alone(name: str, items: int) -> None:
    assert sparse_loops(shapes_of(_inside(BODIES[name])))
    same(WALK.format(BODIES[name]), chains(), items=items, group_size=items)


def _inside(body: str) -> str:
    """The body of the kernel, for `shapes_of`, whose parameters are x and n."""
    text = WALK.format(body)
    lines = text[text.index("{") + 1 : text.rindex("ret")]
    return lines.replace("[%next]", "[%x]").replace("[%wide]", "[%x]")


COUNTED = """
        mov_u32 $s6, 20
        cvt_u64_u32 $d7, $s1
        add_u64 $d8, $d7, $d2
    @top:
        ld_global_u8 $s4, [$d8]
        and_u32 $s5, $s4, 1
        cmp_eq_u32 $c0, $s5, 0
        cbr $c0, @next
        and_u32 $s5, $s2, 7
        cvt_u64_u32 $d7, $s5
        add_u64 $d7, $d7, $d5
        st_global_u8 $s4, [$d7+512]
        add_u32 $s2, $s2, 1
    @next:
        add_u64 $d8, $d8, 1
        sub_u32 $s6, $s6, 1
        cmp_ne_u32 $c0, $s6, 0
        cbr $c0, @top"""
"""Stores of bytes in a loop that all lanes leave together: many run a version without tests."""


@pytest.mark.parametrize("lanes", [64, 20, 3])
def test_many_lanes_of_a_counted_loop_run_it_without_tests(lanes: int, monkeypatch) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", "9")
    monkeypatch.setenv(FOLDER_VARIABLE, "/dev/null")
    assert sparse_loops(shapes_of(_inside(COUNTED)))
    arrays = chains()
    arrays[0][:] = np.where(np.arange(64) < lanes, arrays[0] & ~np.uint32(3), 3)
    arrays[1][:] = np.arange(64) * 0x01020304
    same(WALK.format(COUNTED), arrays, items=64, group_size=64)
    arrays[0][1] = 1 << 20
    with pytest.raises(Trap) as caught:
        execute(make(WALK.format(COUNTED), arrays, items=64, group_size=64))
    assert (caught.value.record.kind.name, caught.value.record.local) == ("OUT_OF_BOUNDS", 1)


@pytest.mark.usefixtures("loops")
def test_a_lane_that_faults_is_named() -> None:
    arrays = chains()
    arrays[1][20] = 1 << 20
    text = WALK.format(BODIES["a chain"])
    work = make(text, arrays, items=64, group_size=64)
    with pytest.raises(Trap) as caught:
        execute(work)
    record = caught.value.record
    arrays = chains()
    arrays[1][20] = 1 << 20
    again = make(text, arrays, items=64, group_size=64)
    assert (record.kind, record.pc, record.group, record.local) in oracle.all_traps(again)


@pytest.mark.usefixtures("loops")
def test_an_endless_chain_exhausts_the_budget() -> None:
    arrays = chains()
    arrays[1][30] = 31
    arrays[1][31] = 30
    arrays[1][32:] = 30
    work = make(WALK.format(BODIES["all that comes out"]), arrays, items=64, group_size=64,
                budget=3000)  # fmt: skip
    with pytest.raises(Trap) as caught:
        execute(work)
    assert caught.value.record.kind.name in ("BUDGET", "LIVELOCK")


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("name", ["a chain", "a loop inside", "in a loop for all"])
def test_no_lane_is_charged_for_what_others_spend(name: str, monkeypatch) -> None:
    """A debug build shows where a lane's own count does not begin with zero."""
    monkeypatch.setenv("SIMTLAB_POISON", "0x5a5a5a5b")
    every_loop_is_sparse(monkeypatch)
    monkeypatch.setattr(engine, "_start_over", lambda work, record: pytest.fail(str(record)))
    text = WALK.format(BODIES[name])
    expected = make(text, chains(), items=64, group_size=64)
    lengths = [len(pcs) for pcs in oracle.trace(expected).values()]
    budget = max(lengths)
    assert sum(lengths[:32]) > 4 * budget, "a warp spends more than one work-item may"
    work = make(text, chains(), items=64, group_size=64, budget=budget)
    execute(work)
    for ours, theirs in zip(work.memory.buffers, expected.memory.buffers, strict=True):
        np.testing.assert_array_equal(ours.host, theirs.host)


# --- which loops


def test_of_the_programs_only_graph_searches_are_sparse() -> None:
    import simtlab
    from simtlab.emu.analysis.facts import Facts
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
    "a chain": (BODIES["a chain"], False),
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
    assert bool(sparse_loops(shapes_of(_inside(body)))) is is_sparse


# --- any loop that can


@examples(20, 60)
@given(case=kernels(), loops=st.sampled_from(["alone", "together", "2", "5", "17"]))
def test_random_kernels_whose_loops_run_alone(case: Case, loops: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIMTLAB_LOOPS", loops)
        patch.setattr(sparse, "gains_alone", lambda shapes, loop: True)
        patch.setattr(code, "_COMPILED", Recent())
        patch.setenv(FOLDER_VARIABLE, "/dev/null")
        assert_all_agree(case, engines=["jit"], schemes=["stack"])


# --- stacks in private memory

STACK = """
    .private u32 depths[8]
    .private {narrow} marks[8]
    mov_u32 $s4, 0                      // the top of the stack, in bytes
    and_u32 $s5, $s1, {deepest}
    st_private_u32 $s5, [depths]
@top:
    ld_private_u32 $s5, [depths+$s4]
    add_u32 $s2, $s2, 1
    cmp_eq_u32 $c0, $s5, 0
    cbr $c0, @pop
    sub_u32 $s5, $s5, 1
    st_private_u32 $s5, [depths+$s4]
    shr_u32 $s6, $s4, 2
    mul_u32 $s6, $s6, {size}
    st_private_{narrow} $s2, [marks+$s6]
    add_u32 $s4, $s4, 4
    st_private_u32 $s5, [depths+$s4]
    br @test
@pop:
    sub_u32 $s4, $s4, 4
    shr_u32 $s6, $s4, 2
    and_u32 $s6, $s6, 7
    mul_u32 $s6, $s6, {size}
    ld_private_{narrow} $s7, [marks+$s6]
    mad_u32 $s2, $s7, 3, $s2
@test:
    cmp_ge_s32 $c0, $s4, 0
    cbr $c0, @top"""


def stack(narrow: str = "u32", deepest: int = 7) -> str:
    return STACK.format(narrow=narrow, deepest=deepest, size=int(narrow[1:]) // 8)


@pytest.fixture(params=["alone", "together", "9"])
def fresh(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How loops run that gain alone, in code that no cache has."""
    monkeypatch.setenv("SIMTLAB_LOOPS", request.param)
    monkeypatch.setattr(code, "_COMPILED", Recent())


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("narrow", ["u8", "u16", "u32"])
@pytest.mark.parametrize("items", [64, 37])
def test_a_lane_alone_has_its_own_private_memory(narrow: str, items: int) -> None:
    same(WALK.format(stack(narrow)), chains(), items=items, group_size=items)


@pytest.mark.usefixtures("loops")
def test_the_only_lane_of_a_warp_may_be_one_that_runs_alone(monkeypatch) -> None:
    monkeypatch.setattr(code, "depends_on_width", lambda kernel: True)
    same(WALK.format(stack("u8")), chains(), items=37, group_size=37, width=1)


@pytest.mark.usefixtures("fresh")
def test_a_lane_alone_faults_beyond_its_private_memory() -> None:
    text = WALK.format(stack(deepest=31))
    with pytest.raises(Trap) as caught:
        execute(make(text, chains(), items=64, group_size=64))
    record = caught.value.record
    again = make(text, chains(), items=64, group_size=64)
    assert (record.kind, record.pc, record.group, record.local) in oracle.all_traps(again)


def test_loops_over_memory_of_a_lanes_own_may_run_alone() -> None:
    def may(body: str) -> bool:
        shapes = shapes_of(_inside(body))
        return any(has_own_memory(shapes, loop) for loop in shapes.flow.loops)

    assert may(stack())
    inner = "@inner:\n sub_u32 $s5, $s5, 1\n cmp_gt_s32 $c0, $s5, 0\n cbr $c0, @inner\n @test:"
    assert may(stack().replace("@test:", inner))
    exchanged = """.private u32 depths[4]
        mov_u32 $s5, 0
        and_u32 $s4, $s1, 12
    @exchange:
        ld_private_u32 $s6, [depths+$s4]
        st_private_u32 $s5, [depths+$s4]
        add_u32 $s5, $s5, 1
        cmp_lt_u32 $c0, $s5, 6
        cbr $c0, @exchange"""
    assert not may(exchanged)  # lanes diverge around this loop, not in it
    one_place = stack().replace("[depths+$s4]", "[depths]").replace("[marks+$s6]", "[marks]")
    assert not may(one_place)


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("after", ["depths", "marks"])
def test_lanes_together_access_memory_that_each_has_in_one_piece(
    width: int, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code, "depends_on_width", lambda kernel: True)
    type_ = {"depths": "u32", "marks": "u16"}[after]
    last = f"""
    ld_private_{type_} $s5, [{after}+4]
    and_u32 $s6, $s1, 2
    ld_private_{type_} $s6, [{after}+$s6]
    mad_u32 $s2, $s5, 3, $s2
    xor_u32 $s2, $s2, $s6"""
    if after == "depths":
        last = last.replace("$s1, 2", "$s1, 4")
    text = WALK.format(stack("u16") + last)
    same(text, chains(), items=64, group_size=64, width=width)

"""Private memory of lanes that run a loop one after the other, as stacks, against the oracle."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab import Device
from simtlab.emu.analysis.facts import Facts, OwnMemory
from simtlab.emu.analysis.lanes.own_memory import has_own_memory
from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.kernel import launch_facts
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.workgroups.trial import ALONE, LIMIT
from simtlab.emu.recent import Recent

from ....support.chains import WALK, chains, inside
from ....support.flows import shapes_of
from ...support.agreement import same, trap_alike

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


@pytest.fixture(params=["alone", "together", "measured", "9"])
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
    monkeypatch.setattr(launch_facts, "depends_on_width", lambda kernel: True)
    same(WALK.format(stack("u8")), chains(), items=37, group_size=37, width=1)


@pytest.mark.usefixtures("fresh")
def test_a_lane_alone_faults_beyond_its_private_memory() -> None:
    text = WALK.format(stack(deepest=31))
    trap_alike(text, chains(), items=64, group_size=64)


def test_loops_over_memory_of_a_lanes_own_may_run_alone() -> None:
    def may(body: str) -> bool:
        shapes = shapes_of(inside(body))
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
    monkeypatch.setattr(launch_facts, "depends_on_width", lambda kernel: True)
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


RACE = """
kernel race(global u32* %count, global u32* %x) {{
    .private u32 slots[16]
    workitemabsid_u32   $s0, 0
    cvt_u64_u32         $d0, $s0
    ld_kernarg_u64      $d1, [%count]
    ld_kernarg_u64      $d2, [%x]
    mad_u64             $d3, $d0, 4, $d1
    ld_global_u32       $s1, [$d3]
    mov_u32             $s2, 0
    cmp_eq_u32          $c0, $s1, 0
    cbr                 $c0, @done
@next:
    add_u32             $s3, $s2, $s0
    and_u32             $s4, $s3, 7
    shl_u32             $s3, $s4, 2
    st_private_u32      $s2, [slots+$s3]
    cvt_u64_u32         $d4, $s4
    mad_u64             $d4, $d4, 4, $d2
    {}
    ld_private_u32      $s5, [slots+$s3]
    add_u32             $s2, $s5, 1
    cmp_lt_u32          $c0, $s2, $s1
    cbr                 $c0, @next
@done:
    ret
}}
"""

STORE = """
    ld_global_u32       $s6, [$d4]
    mad_u32             $s6, $s6, 3, $s0
    st_global_u32       $s6, [$d4]"""


@pytest.mark.parametrize("loops", ["", "measured"])
def test_equal_launches_of_a_race_leave_equal_memory(
    loops: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", loops)
    monkeypatch.setattr(code, "_COMPILED", Recent())
    n, device = 4096, Device()
    counts = np.random.default_rng(1).integers(0, 20, n).astype(np.uint32)
    x = device.zeros(8, np.uint32)
    launch = simtlab.assemble(RACE.format(STORE))["race"].launch(
        items=n, group_size=64, engine="jit"
    )
    found = set()
    for _ in range(20):
        x.copy_from(np.zeros(8, np.uint32))
        launch(device.to_device(counts), x)
        found.add(x.to_host().tobytes())
    assert len(found) == 1


@pytest.mark.parametrize("together_from", [8, 65])
def test_one_version_is_there_where_the_order_of_lanes_may_show(together_from: int) -> None:
    def versions(body: str) -> tuple[bool, bool]:
        kernel = simtlab.assemble(RACE.format(body))["race"].kernel
        facts = Facts(
            32,
            (64, 1, 1),
            whole=True,
            together_from=together_from,
            finds_limit=together_from > 32,
            own_memory=OwnMemory.MEASURED,
        )
        text = generate(kernel, 0, facts)
        return f"@{ALONE}(" in text, LIMIT in text

    assert versions("add_u32 $s2, $s2, 1") == (True, together_from > 32)
    assert versions("atomic_add_global_u32 [$d4], $s2") == (True, together_from > 32)
    assert versions(STORE) == (False, False)
    assert versions("atomic_add_global_u32 [$d4], $s2\n ld_global_u32 $s6, [$d4]")[0] is False


@pytest.mark.parametrize(("more", "has_both"), [(0, True), (60, True), (130, False)])
def test_large_loops_have_one_version(more: int, has_both: bool) -> None:
    """Two would take too long to compile."""
    body = "mad_u32 $s2, $s2, 5, $s4\n" * more
    text = WALK.format(stack().replace("@test:", f"{body}@test:"))
    (kernel,) = (simtlab.assemble(text)[name].kernel for name in simtlab.assemble(text).kernels)
    facts = Facts(32, (64, 1, 1), whole=True, own_memory=OwnMemory.MEASURED)
    assert (f"@{ALONE}(" in generate(kernel, 0, facts)) == has_both
    for items in (64, 37):
        same(text, chains(), items=items, group_size=items)


COLUMNS = """
kernel columns(u32 %n, global u32* %count, global u32* %y) {
    .private u32 slots[16]
    workitemabsid_u32   $s0, 0
    ld_kernarg_u32      $s9, [%n]
    cmp_ge_u32          $c0, $s0, $s9
    cbr                 $c0, @done
    cvt_u64_u32         $d0, $s0
    ld_kernarg_u64      $d1, [%count]
    mad_u64             $d3, $d0, 4, $d1
    ld_global_u32       $s1, [$d3]
    and_u32             $s1, $s1, 15
    mov_u32             $s2, 0
@fill:
    mad_u32             $s3, $s2, $s0, $s2
    and_u32             $s3, $s3, 15
    shl_u32             $s3, $s3, 2
    st_private_u32      $s2, [slots+$s3]
    add_u32             $s2, $s2, 1
    cmp_le_u32          $c0, $s2, $s1
    cbr                 $c0, @fill
    ld_kernarg_u64      $d2, [%y]
    mad_u64             $d2, $d0, 4, $d2
    cvt_u64_u32         $d4, $s9
    shl_u64             $d4, $d4, 2
    mov_u32             $s2, 0
@store:
    and_u32             $s3, $s1, 15
    shl_u32             $s3, $s3, 2
    ld_private_u32      $s5, [slots+$s3]
    cmp_eq_u32          $c0, $s5, 3
    cbr                 $c0, @next
    add_u32             $s1, $s1, $s5
    st_global_u32       $s1, [$d2]
@next:
    add_u32             $s1, $s1, 1
    add_u64             $d2, $d2, $d4
    add_u32             $s2, $s2, 1
    cmp_lt_u32          $c0, $s2, 12
    cbr                 $c0, @store
@done:
    ret
}
"""


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("loops", ["alone", "together", "measured"])
def test_columns_of_each_lane_are_stored_by_each_version(
    width: int, loops: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", loops)
    n = 150
    counts = np.random.default_rng(5).integers(0, 99, n).astype(np.uint32)
    args = [n - 3, counts, np.zeros(12 * n, np.uint32)]
    same(COLUMNS, args, items=n, group_size=64, width=width)


def test_both_versions_are_there_where_lanes_store_columns() -> None:
    kernel = simtlab.assemble(COLUMNS)["columns"].kernel
    facts = Facts(32, (64, 1, 1), whole=True, together_from=65, own_memory=OwnMemory.MEASURED)
    assert f"@{ALONE}(" in generate(kernel, 0, facts)
    beyond = COLUMNS.replace("cmp_ge_u32          $c0, $s0, $s9", "cmp_gt_u32 $c0, $s0, $s9")
    kernel = simtlab.assemble(beyond)["columns"].kernel
    assert f"@{ALONE}(" not in generate(kernel, 0, facts)

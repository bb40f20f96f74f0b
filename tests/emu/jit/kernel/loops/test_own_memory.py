"""Private memory of lanes that run a loop one after the other, as stacks, against the oracle."""

from __future__ import annotations

import pytest

from simtlab.emu.analysis.lanes.own_memory import has_own_memory
from simtlab.emu.jit.kernel import compile as code
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
    monkeypatch.setattr(code, "depends_on_width", lambda kernel: True)
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

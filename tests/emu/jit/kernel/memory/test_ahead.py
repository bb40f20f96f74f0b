"""Lines that a loop fetches ahead: with barriers, and for stores to far rows."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.jit.kernel.compile import generate

from ....support.flows import kernel_of
from ...support.agreement import same

ROWS, COLUMNS = 4, 16
PITCH, PLANE = 20, 100
PLANES = f"""\
    .group u32 tile[{ROWS * COLUMNS}]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u32 $s9, [%n]
    mad_u32 $s2, $s1, {PITCH}, $s0
    shl_u32 $s2, $s2, 2
    cvt_u64_u32 $d1, $s2
    add_u64 $d1, $d1, $d0
    mad_u32 $s3, $s1, {COLUMNS}, $s0
    shl_u32 $s3, $s3, 2
    xor_u32 $s4, $s3, 20
    mov_u32 $s5, 0
@plane:
    BEFORE
    ld_global_u32 $s6, [$d1+{4 * PLANE}]
@own:
    st_group_u32 $s6, [tile+$s3]
    barrier
    ld_group_u32 $s7, [tile+$s4]
    mad_u32 $s6, $s6, 5, $s7
    st_global_u32 $s6, [$d1]
    barrier
    add_u64 $d1, $d1, {4 * PLANE}
    add_u32 $s5, $s5, 1
    cmp_lt_u32 $c0, $s5, $s9
    cbr $c0, @plane
"""
IN_BRANCH = "cmp_ge_u32 $c1, $s1, 2\n cbr $c1, @own"
IN_LOOP = """mov_u32 $s8, 0
@inner:
    ld_global_u32 $s7, [$d1]
    add_u32 $s8, $s8, $s7
    cmp_lt_u32 $c1, $s8, $s9
    cbr $c1, @inner
"""


@pytest.mark.parametrize(
    ("text", "loads", "stores"),
    [
        (PLANES.replace("BEFORE", ""), 2 * ROWS, 2 * ROWS),
        (PLANES.replace("BEFORE", IN_BRANCH), 0, 2 * ROWS),
        (PLANES.replace("BEFORE", IN_LOOP), 0, 0),
        (PLANES.replace("BEFORE", "").replace("    barrier\n", "", 1), 2 * ROWS, 2 * ROWS),
        (PLANES.replace("BEFORE", "").replace("    barrier\n", ""), 0, 0),
    ],
    ids=["all lanes", "some lanes", "a loop inside", "a barrier", "no barrier"],
)
def test_rows_that_all_lanes_access_are_fetched(text: str, loads: int, stores: int) -> None:
    facts = Facts(64, (COLUMNS, ROWS, 1), whole=True, one_warp=True)
    ir = generate(kernel_of(text), 0, facts)
    fetched = [line for line in ir.splitlines() if "call void @llvm.prefetch" in line]
    assert sum("i32 0, i32 3" in line for line in fetched) == loads
    assert sum("i32 1, i32 3" in line for line in fetched) == stores


@pytest.mark.parametrize("planes", [1, 6])
def test_planes_are_those_of_the_oracle(planes: int) -> None:
    """The last plane ends with the buffer: what is fetched after it is never accessed."""
    text = f"kernel k(global u32* %x, u32 %n) {{\n{PLANES.replace('BEFORE', '')}    ret\n}}\n"
    x = np.arange(planes * PLANE + (ROWS - 1) * PITCH + COLUMNS, dtype=np.uint32)
    same(text, [x, planes], items=(COLUMNS, ROWS), group_size=(COLUMNS, ROWS))


LAYERS = """\
    workitemabsid_u32 $s0, 0
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u32 $s1, [%n]
    ld_kernarg_u32 $s2, [%pitch]
    mov_u32 $s3, 0
    mov_u32 $s4, $s0
    mov_u32 $s6, $s0
@layer:
    cvt_u64_u32 $d1, $s4
    mad_u64 $d1, $d1, 4, $d0
    BEFORE
    mad_u32 $s6, $s6, 7, $s3
    st_global_u32 $s6, [$d1]
    add_u32 $s4, $s4, STEP
    add_u32 $s3, $s3, 1
    cmp_lt_u32 $c0, $s3, $s1
    cbr $c0, @layer
"""
LAYERS_HEAD = "kernel k(global u32* %x, u32 %n, u32 %pitch)"


def layers(before: str = "", step: str = "$s2") -> str:
    """Return a kernel whose work-items store a number to each of n layers."""
    return (
        f"{LAYERS_HEAD} {{\n{LAYERS.replace('BEFORE', before).replace('STEP', step)}    ret\n}}\n"
    )


@pytest.mark.parametrize(
    ("before", "step", "is_fetched"),
    [
        ("", "$s2", True),
        ("", "512", True),
        ("", "64", False),
        ("ld_global_u32 $s5, [$d1]\n xor_u32 $s6, $s6, $s5", "$s2", False),
    ],
    ids=["layers", "a page on", "the next lines", "layers that are loaded"],
)
def test_lines_of_far_rows_are_fetched_for_stores(before: str, step: str, is_fetched: bool) -> None:
    (kernel,) = assemble(layers(before, step)).kernels
    for width in (32, 64):
        ir = generate(kernel, 0, Facts(width, (256, 1, 1), whole=True))
        fetched = [line for line in ir.splitlines() if "call void @llvm.prefetch" in line]
        assert bool(fetched) is is_fetched
        assert all("i32 1, i32 3" in line for line in fetched)
        # All lines of a warp's row, in each version of the loop.
        assert len(fetched) % (4 * width // 64) == 0


@pytest.mark.parametrize("n", [1, 2, 9])
@pytest.mark.parametrize("pitch", [0, 3, 300])
def test_layers_are_those_of_the_oracle(n: int, pitch: int) -> None:
    """The last layer ends with the buffer."""
    x = np.zeros((n - 1) * pitch + 96, np.uint32)
    if pitch == 0 or pitch >= 96:
        same(layers(), [x, n, pitch], items=96, group_size=96)
    else:
        same(layers(), [np.zeros(n * pitch, np.uint32), n, pitch], items=pitch, group_size=pitch)

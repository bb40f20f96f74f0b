"""Elements that code loads once where a node of the kernel loads them again."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.engine import Work

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

ITEMS = 70

BETWEEN = {
    "nothing": "",
    "a store to the same place": "add_u32 $s9, $s2, 7\n st_global_u32 $s9, [$d4]",
    "a store to the index": "xor_u32 $s9, $s1, 1\n st_global_u32 $s9, [$d3]",
    "a store by another pointer": "add_u32 $s9, $s2, 5\n add_u64 $d9, $d4, $d8\n"
    "sub_u64 $d9, $d9, $d8\n st_global_u32 $s9, [$d9]",
    "an atomic": "atomic_add_global_u32 [$d4], $s2",
    "a store to group memory": "st_group_u32 $s2, [shared]",
}


def text_of(between: str) -> str:
    """Return a kernel that computes y[i] = 3 * x[to[i]] + x[to[i]], with loads for each use."""
    return f"""kernel twice(u64 %n, global u32* %to, global u32* %x, global u32* %y) {{
        .group u32 shared[1]
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d8, [%n]
        ld_kernarg_u64 $d1, [%to]
        ld_kernarg_u64 $d2, [%x]
        mad_u64 $d3, $d0, 4, $d1
        ld_global_u32 $s1, [$d3]
        cvt_u64_u32 $d4, $s1
        mad_u64 $d4, $d4, 4, $d2
        ld_global_u32 $s2, [$d4]
        {BETWEEN[between]}
        ld_global_u32 $s3, [$d3]
        cvt_u64_u32 $d5, $s3
        mad_u64 $d5, $d5, 4, $d2
        ld_global_u32 $s4, [$d5]
        mad_u32 $s5, $s2, 3, $s4
        ld_kernarg_u64 $d6, [%y]
        mad_u64 $d6, $d0, 4, $d6
        st_global_u32 $s5, [$d6]
        ret
    }}"""


def arguments(seed: int) -> list[object]:
    rng = np.random.default_rng(seed)
    to = rng.permutation(ITEMS).astype(np.uint32)
    x = rng.integers(0, 1 << 32, ITEMS, np.uint32)
    return [np.uint64(5), to, x, np.zeros(ITEMS, np.uint32)]


def work(between: str, group: int = 64, wrong: int | None = None) -> Work:
    given = arguments(3)
    if wrong is not None:
        to = given[1]
        assert isinstance(to, np.ndarray)
        to[wrong] = 1 << 20
    return make(text_of(between), given, items=ITEMS, group_size=group)


@pytest.mark.parametrize("between", sorted(BETWEEN.keys() - {"a store to the index"}))
@pytest.mark.parametrize("group", [1, 10, 64])
def test_as_the_oracle(between: str, group: int) -> None:
    assert not assert_as_oracle(work(between, group), work(between, group))


def test_an_index_that_changes_between() -> None:
    """Lanes do not store to what others load: each has an index of its own."""
    between = "a store to the index"
    assert not assert_as_oracle(work(between), work(between))


@pytest.mark.parametrize("between", BETWEEN)
def test_traps(between: str) -> None:
    assert assert_as_oracle(work(between, wrong=40), work(between, wrong=40))


def test_statistics_count_both_loads() -> None:
    module = simtlab.assemble(text_of("nothing"))
    counted = []
    for engine in ("interp", "jit"):
        device = simtlab.Device()
        given = [device.to_device(a) if isinstance(a, np.ndarray) else a for a in arguments(4)]
        launch = module["twice"].launch(groups=2, group_size=64, engine=engine, stats=True)
        with pytest.raises(simtlab.Trap):  # 58 work-items are beyond the arrays
            launch(*given)
        launch = module["twice"].launch(groups=1, group_size=64, engine=engine, stats=True)
        result = launch(*given)
        assert result.engine == engine
        counted.append(result.statistics)
    assert counted[0] == counted[1]

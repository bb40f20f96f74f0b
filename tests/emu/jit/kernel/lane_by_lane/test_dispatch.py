"""Machines that lanes interpret alone: copies of the way to a dispatch, joint tests of accesses."""

from __future__ import annotations

import random

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.lanes.dispatch import Dispatch, dispatches
from simtlab.emu.analysis.values.bit_fields import field_of
from simtlab.emu.analysis.values.ssa import Op
from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.recent import Recent
from simtlab.emu.traps import Trap

from ....support.flows import shapes_of
from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle
from ...support.machines import Machine

MACHINE = """
kernel machine(global u32* %x, global u32* %code, u32 %n) {{
    .private u32 regs[{registers}]
    workitemflatabsid_u32 $s0
    ld_kernarg_u32      $s20, [%n]
    cmp_ge_u32          $c0, $s0, $s20
    cbr                 $c0, @out
    cvt_u64_u32         $d0, $s0
    ld_kernarg_u64      $d1, [%x]
    mad_u64             $d1, $d0, 4, $d1
    ld_kernarg_u64      $d2, [%code]
    mad_u64             $d2, $d0, 64, $d2
    st_private_u32      $s0, [regs+4]
    mov_u32             $s3, 0                  // pc
    mov_u32             $s4, 0                  // steps
    {before}
@step:
    {at_step}
    cvt_u64_u32         $d3, $s3
    mad_u64             $d3, $d3, 4, $d2
    ld_global_u32       $s8, [$d3]
    bitextract_u32      $s10, $s8, 8, 8         // to
    bitextract_u32      $s11, $s8, 16, 8        // a
    shr_u32             $s12, $s8, 24           // b
    shl_u32             $s10, $s10, 2
    and_u32             $s8, $s8, 255
    add_u32             $s3, $s3, 1
    {tests}
@set:
    st_private_u32      $s11, [regs+$s10]
    br                  @next
@add:
    shl_u32             $s11, $s11, 2
    ld_private_u32      $s13, [regs+$s11]
    shl_u32             $s12, $s12, 2
    ld_private_u32      $s14, [regs+$s12]
    add_u32             $s13, $s13, $s14
    st_private_u32      $s13, [regs+$s10]
    br                  @next
@pair:
    shl_u32             $s11, $s11, {scale}
    ld_private_u32      $s13, [regs+$s11]
    ld_private_u32      $s14, [regs+$s11+4]
    st_private_u32      $s13, [regs+$s11+4]
    st_private_u32      $s14, [regs+$s11]
    br                  @next
@loop:
    ld_private_u32      $s13, [regs+$s10]
    sub_u32             $s13, $s13, 1
    st_private_u32      $s13, [regs+$s10]
    cmp_eq_u32          $c0, $s13, 0
    cbr                 $c0, @next
    mov_u32             $s3, 0
    br                  @next
@again:
    mov_u32             $s3, $s11
@next:
    {at_next}
    br                  @step
@end:
    {after}
    ld_private_u32      $s2, [regs]
    ld_private_u32      $s3, [regs+4]
    mad_u32             $s2, $s2, 7, $s3
    mad_u32             $s2, $s4, 1000, $s2
    st_global_u32       $s2, [$d1]
@out:
    ret
}}"""

CASES = {0: "set", 1: "add", 2: "pair", 3: "loop", 5: "again", 6: "step"}

EQUAL = "\n".join(f"cmp_eq_u32 $c0, $s8, {n}\n cbr $c0, @{name}" for n, name in CASES.items())

OTHER = """
    cmp_eq_s32 $c0, $s8, 3
    cbr $c0, @loop
    cmp_eq_u32 $c0, $s8, 0
    cbr $c0, @set
    cmp_eq_u32 $c0, $s8, 1
    cbr $c0, @add
    cmp_eq_u32 $c0, $s8, 5
    cbr $c0, @again
    cmp_ne_u32 $c0, $s8, 2
    cbr $c0, @end
    br @pair"""

IN_A_CASE = (
    EQUAL.replace("@again", "@inner")
    + """
    br @end
@inner:
    and_u32 $s16, $s12, 7
    cmp_eq_u32 $c0, $s16, 0
    cbr $c0, @set
    cmp_eq_u32 $c0, $s16, 1
    cbr $c0, @add
    cmp_eq_u32 $c0, $s16, 2
    cbr $c0, @loop
    cmp_eq_u32 $c0, $s16, 3
    cbr $c0, @next
    br @again"""
)

TWICE = """
    add_u32 $s15, $s15, 1
    mov_u32 $s3, 0
    cmp_lt_u32 $c0, $s15, 3
    cbr $c0, @outer"""

COUNT = "add_u32 $s4, $s4, 1\n cmp_gt_u32 $c0, $s4, 30\n cbr $c0, @end"

KINDS = {
    "back to the step": {},
    "counted steps": {"at_next": COUNT},
    "constants in another order": {"tests": OTHER, "at_next": COUNT},
    "another dispatch in a case": {"tests": IN_A_CASE, "at_next": COUNT},
    "a loop around": {"before": "mov_u32 $s15, 0\n@outer:", "after": TWICE},
    "a size that is not a power of two": {"registers": 7},
    "places that may be misaligned": {"scale": 1},
    "a load more on the way": {"at_step": "ld_private_u32 $s4, [regs+$s3]", "scale": 1},
}


def machine(**parts: object) -> str:
    given = {
        "registers": 8, "before": "", "at_step": "", "tests": f"{EQUAL}\n br @end", "at_next": "",
        "after": "", "scale": 2,
    }  # fmt: skip
    return MACHINE.format(**(given | parts))


def programs(seed: int, wrong: float = 0) -> np.ndarray:
    """Programs of 16 words; a part of their operands is beyond the registers."""
    rng = np.random.default_rng(seed)
    words = np.full((64, 16), 9, np.uint32)
    for program in words:
        for at in range(10):
            to, a, b = (int(n) for n in rng.integers(0, 6, 3))
            if rng.random() < wrong:
                to, a, b = (int(n) for n in rng.choice([6, 7, 8, 40, 255, a], 3))
            op = int(rng.choice([0, 1, 2, 5, 6], p=[0.3, 0.3, 0.2, 0.1, 0.1]))
            program[at] = op | to << 8 | (at + 1 if op == 5 else a) << 16 | b << 24
        program[10] = 0 | 5 << 8 | rng.integers(1, 4) << 16
        program[12] = 3 | 5 << 8
    return words


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", "alone")
    monkeypatch.setattr(code, "_COMPILED", Recent())


@pytest.mark.parametrize("kind", KINDS)
def test_machines_do_as_the_oracle_does(kind: str) -> None:
    text = machine(**KINDS[kind])
    assert _dispatches(text)
    trapped = []
    for seed, wrong, width in (1, 0, 32), (2, 0.002, 7), (3, 0.02, 32), (4, 0.3, 64), (5, 0.02, 1):
        works = [
            make(text, [np.arange(64, dtype=np.uint32), programs(seed, wrong), 61], items=64,
                 width=width, budget=4000)
            for _ in range(2)
        ]  # fmt: skip
        trapped.append(assert_as_oracle(*works))
    assert any(trapped)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_machines_do_as_the_oracle_does(seed: int) -> None:
    random_machine = Machine(random.Random(seed))
    text = random_machine.text()
    for large, width in (0, 32), (0.002, 7), (0.02, 64), (0.2, 1):
        words = random_machine.programs(seed, large)
        works = [
            make(text, [np.arange(64, dtype=np.uint32), words.copy(), 61], items=64, width=width,
                 budget=3000)
            for _ in range(2)
        ]  # fmt: skip
        assert_as_oracle(*works)


def test_a_program_that_leaves_its_buffer_or_never_ends_is_found() -> None:
    text = machine()
    for wrong, name in (5 | 200 << 16, "OUT_OF_BOUNDS"), (5, "BUDGET"):
        words = programs(7)
        words[63, 9] = wrong
        work = make(text, [np.zeros(64, np.uint32), words, 64], items=64, budget=2000)
        with pytest.raises(Trap) as caught:
            execute(work)
        record = caught.value.record
        assert (record.kind.name, record.local) in ((name, 63), ("LIVELOCK", 63))


def _dispatches(text: str) -> list[Dispatch]:
    ssa = analyse(assemble(text).kernels[0]).ssa
    return [found for loop in ssa.flow.loops for found in dispatches(ssa, loop)]


def test_comparisons_in_any_order_are_a_dispatch() -> None:
    (found,) = _dispatches(machine(tests=OTHER, at_next=COUNT))
    assert list(found.cases) == [3, 0, 1, 5, 2]
    assert len(found.comparisons) == 5


def test_a_second_comparison_with_a_constant_is_not_in_the_table() -> None:
    again = "cmp_eq_u32 $c0, $s8, 1\n cbr $c0, @end\n br @set"
    (found,) = _dispatches(machine(tests=f"{EQUAL}\n {again}"))
    assert list(found.cases) == list(CASES)
    assert len(found.comparisons) == len(CASES)
    assert found.otherwise[1] not in found.comparisons


def test_a_way_that_stores_or_is_long_is_not_copied() -> None:
    stores = "st_private_u32 $s3, [regs+8]"
    assert not _dispatches(machine(at_step=stores))
    assert not _dispatches(machine(at_step="add_u32 $s4, $s4, 1\n" * 60))


def test_fields_of_a_word() -> None:
    shapes = shapes_of(
        """workitemflatabsid_u32 $s0
        ld_kernarg_u64 $d1, [%x]
        bitextract_u32 $s1, $s0, 8, 8
        shl_u32 $s2, $s1, 2
        shr_u32 $s3, $s2, 4
        and_u32 $s3, 14, $s3
        shl_u32 $s4, $s0, 30
        add_u32 $s5, $s3, $s4
        st_global_u32 $s5, [$d1]"""
    )
    (total,) = (v for v in shapes.ssa.values() if isinstance(v, Op) and v.ins.row.stem == "add")
    small, high = (field_of(value) for value in total.args)
    assert small.word is high.word
    assert (small.shift, small.mask) == (10, 14)
    assert (high.shift, high.mask) == (-30, 3 << 30)
    assert (small.in_word(6), high.in_word(1 << 31)) == (6 << 10, 2)

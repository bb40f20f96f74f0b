"""Group memory: a cycle an access, and one for each further word of the fullest bank."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simtlab.asm.assemble import assemble
from simtlab.emu.module import Module
from simtlab.timing.compiler.files import find
from simtlab.timing.machines import machine
from simtlab.timing.simulation.simulator import Simulator

WIDTH, BANKS = 8, 4


def bubbles(words: list[int], access: str, plain: bool = True) -> int:
    """Cycles beyond one an instruction when each lane wants its word, by the given access."""
    text = """
kernel k(global u32* %words) {
    .group u32 memory[64]
    laneid_u32 $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%words]
    mad_u64 $d0, $d0, 4, $d1
    ld_global_u32 $s1, [$d0]
    shl_u32 $s1, $s1, 2
    ACCESS
    ret
}
""".replace("ACCESS", access)
    model = machine.load(
        "toy", {"memory": "ideal", "width": WIDTH, "warps": 1, "group_banks": BANKS}
    )
    simulator = Simulator(model, find("conv"), plain=plain)
    (kernel,) = Module(assemble(text))
    launch = kernel.launch(items=(WIDTH, 1, 1), group_size=(WIDTH, 1, 1), budget=1000)
    launch.run_by(simulator.run, np.array(words, np.uint32))
    return simulator.statistics().issue_slots["unit"]


LOAD = "ld_group_u32 $s2, [memory + $s1]"
ATOMIC = "atomic_add_group_u32 $s2, [memory + $s1], $s0"


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
@pytest.mark.parametrize(
    ("words", "access", "extra"),
    [
        ([0, 1, 2, 3, 0, 1, 2, 3], LOAD, 0),  # four words, a bank each
        ([0, 1, 2, 3, 4, 5, 6, 7], LOAD, 1),  # two words in every bank
        ([0, 4, 8, 12, 16, 20, 24, 28], LOAD, 7),  # all in one bank
        ([5] * 8, LOAD, 0),  # one word for all
        ([0, 4, 0, 4, 1, 1, 1, 1], LOAD, 1),
        ([5] * 8, ATOMIC, 7),  # who changes a word takes turns
        ([0, 0, 4, 1, 1, 1, 1, 2], ATOMIC, 3),
        ([0] * 8, "atomic_add_group_u32 $s2, [memory], $s0", 7),
        ([0] * 8, "ld_group_u32 $s2, [memory]", 0),
    ],
)
def test_cycles_of_an_access(words, access, extra, plain):
    assert bubbles(words, access, plain) == extra


@given(st.lists(st.integers(0, 63), min_size=WIDTH, max_size=WIDTH))
def test_the_fullest_bank_decides(words):
    banks = [{x for x in words if x % BANKS == b} for b in range(BANKS)]
    assert bubbles(words, LOAD) == max(len(b) for b in banks) - 1

"""The instruction budget ends an endless loop."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab import Device, TrapKind
from simtlab.emu.interp.interpreter import Interpreter
from simtlab.emu.launch import Launch

from .support.hostile_kernels import WAYS, every_way, module, trap_of

LOOPS = {
    "forward": "@loop:\n add_u32 $s1, $s1, 1\n br @loop",
    "of one work-item": "@loop:\n add_u32 $s1, $s1, 1\n cmp_eq_u32 $c0, $s0, 9\n cbr $c0, @loop",
    "of a warp": "@loop:\n add_u32 $s1, $s1, 1\n cmp_ge_u32 $c0, $s0, 8\n cbr $c0, @loop",
}


@every_way
@pytest.mark.parametrize("name", LOOPS)
def test_an_endless_loop_ends_with_the_budget(name: str, engine: str, scheme: str) -> None:
    text = f"kernel k(global u32* %x) {{\n workitemflatabsid_u32 $s0\n {LOOPS[name]}\n ret\n}}"
    x = Device().to_device(np.arange(3, dtype=np.uint32))
    launch = module(text)["k"].launch(
        items=16, group_size=16, warp=8, engine=engine, scheme=scheme, budget=500
    )
    trap = trap_of(launch, x)
    assert trap.record.kind is TrapKind.BUDGET
    assert "error[SIM406]: kernel k: instruction budget exhausted: " in str(trap)
    assert "executed 500 instructions" in str(trap)
    # Where nothing in the loop changes $s0, on which its end depends, no budget is enough.
    is_certain = "$s0" in LOOPS[name]
    assert ("no instruction of the loop changes $s0" in str(trap)) is is_certain
    assert ("raise it with --budget (or budget=)" in str(trap)) is not is_certain
    assert x.to_host().tolist() == [0, 1, 2]


# Native code looks at the budget where it jumps back.
@pytest.mark.parametrize(("engine", "scheme"), [w for w in WAYS if w[0] in ("interp", "oracle")])
def test_the_budget_is_exact(engine: str, scheme: str) -> None:
    text = "kernel k(global u32* %x) {\n nop\n nop\n nop\n ret\n}"
    x = np.zeros(1, np.uint32)

    def launch(budget: int) -> Launch:
        return module(text)["k"].launch(items=40, budget=budget, engine=engine, scheme=scheme)

    launch(4)(x)
    trap = trap_of(launch(3), x)
    assert trap.record.kind is TrapKind.BUDGET


# The interpreter looks at the budget once in many rounds, and a round in which all warps wait has
# none: a loop of 2^n rounds was never looked at.
@pytest.mark.parametrize("blocks", [1, 5, 13])
def test_loops_with_a_barrier_end_wherever_they_are_looked_at(
    blocks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Interpreter.round

    def limited(self: Interpreter) -> bool:
        assert self.rounds < 4000, "no look at the budget"
        return counted(self)

    monkeypatch.setattr(Interpreter, "round", limited)
    for before in range(blocks + 3):  # rounds of an iteration
        jumps = [f" br @a{i}\n@a{i}:" for i in range(before + blocks)]
        lines = [*jumps[:before], "@loop:", " barrier", *jumps[before:], " br @loop"]
        text = "kernel k(global u32* %x) {\n" + "\n".join(lines) + "\n}"
        launch = module(text)["k"].launch(items=8, group_size=8, engine="interp", budget=1000)
        trap = trap_of(launch, np.zeros(1, np.uint32))
        assert trap.record.kind is TrapKind.BUDGET

"""No lane that may be poison shows in generated code: masks and branches are made of others."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

import simtlab
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.launch.regroup import as_run

from ..emu.jit.support.poison import shown_in
from ..quick import few

BENCH = Path(__file__).parents[2] / "bench"
KERNELS = sorted(path.parent.name for path in BENCH.glob("*/*/kernel.sasm"))


def loaded(widened: str, mask: str) -> str:
    """A branch on a mask of four lanes, of which two have been loaded."""
    return f"""
define i32 @k(ptr %p, <4 x i1> %m) #0 {{
entry:
  %kept = alloca <4 x i32>, align 64
  %two = load <2 x i32>, ptr %p, align 4
  %four = shufflevector <2 x i32> %two, <2 x i32> {widened}, <4 x i32> <{mask}>
  store <4 x i32> %four, ptr %kept
  %again = load <4 x i32>, ptr %kept
  %c = icmp eq <4 x i32> %again, zeroinitializer
  %here = and <4 x i1> %m, %c
  %word = bitcast <4 x i1> %here to i4
  %some = icmp ne i4 %word, 0
  br i1 %some, label %yes, label %no
}}
"""


def test_where_such_lanes_show() -> None:
    (shown,) = shown_in(loaded("poison", "i32 0, i32 1, i32 poison, i32 poison"))
    assert shown.startswith("br i1 %some")
    assert not shown_in(loaded("zeroinitializer", "i32 0, i32 1, i32 2, i32 2"))


@pytest.mark.parametrize("kernel", few(KERNELS, 24, 10))
def test_they_show_in_no_kernel(kernel: str, peers: SimpleNamespace) -> None:
    module = simtlab.assemble(peers.problem.folder_of(kernel) / "kernel.sasm")
    launches = peers.problem.make(kernel, small=True).launches
    for one in {one.function: one for one in launches}.values():
        launch = module[one.function].launch(groups=one.groups, group_size=one.group)
        function, geometry = as_run(module[one.function].kernel, launch.geometry)
        facts = facts_of(function, geometry)
        assert not shown_in(generate(function, len(module.program.readonly_data), facts))

"""How many vectors the host computes with at a time, which decides how wide warps are.

A fused multiply-add takes some cycles, and the next one of a chain waits for it. Where vector units
are as wide as vectors, four chains (a warp of 64 lanes) leave half of the units idle, and eight
take the same time. Where each vector takes two turns, or there is one unit, four chains are enough.
"""

from __future__ import annotations

import ctypes
import time
from functools import cache as remember

from ..llvm.toolchain import Level, compile_text, function_attributes, host_has
from .measured import kept

FEW, MANY = 4, 8
"""Chains: vectors of a warp of 64 lanes, and of 128."""

ITERATIONS = 400
ROUNDS = 60

LEAST_GAIN = 1.3
"""How much sooner many chains must be done, each, than few."""


def takes_many() -> bool:
    """Return whether many vectors take little more time than few. Measured once per host."""
    return bool(_measured())


@remember
def _measured() -> int:
    return kept("in flight", lambda: int(gain() >= LEAST_GAIN)) if host_has("avx512f") else 0


def gain() -> float:
    """Measure the time of a chain among few over that of a chain among many.

    Takes about 10 ms, most of it to compile the loops.
    """
    text = (
        f"{_loop('few', FEW)}{_loop('many', MANY)}attributes #0 = {{ {function_attributes()} }}\n"
    )
    module = compile_text(text, ["few", "many"], level=Level.QUICK)
    function = ctypes.CFUNCTYPE(ctypes.c_float, ctypes.c_uint32)
    loops = [function(module[name]) for name in ("few", "many")]
    best = [float("inf")] * 2
    for _ in range(ROUNDS):
        for i, loop in enumerate(loops):
            begin = time.perf_counter()
            loop(ITERATIONS)
            best[i] = min(best[i], time.perf_counter() - begin)
    return best[0] / FEW * MANY / best[1]


def _loop(name: str, chains: int) -> str:
    """Return a function that repeats a multiply-add of each of some vectors."""
    v = "<16 x float>"
    phis = "".join(
        f"  %a{i} = phi {v} [ splat (float {i + 1}.0), %entry ], [ %b{i}, %loop ]\n"
        for i in range(chains)
    )
    steps = "".join(
        f"  %b{i} = call {v} @llvm.fma.v16f32({v} %a{i}, {v} splat (float 0.5), {v} %a{i})\n"
        for i in range(chains)
    )
    sums, total = "", "%b0"
    for i in range(1, chains):
        sums += f"  %s{i} = fadd {v} {total}, %b{i}\n"
        total = f"%s{i}"
    declared = f"declare {v} @llvm.fma.v16f32({v}, {v}, {v})\n" if name == "few" else ""
    return f"""{declared}define float @{name}(i32 %times) #0 {{
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %n.next, %loop ]
{phis}{steps}  %n.next = add i32 %n, 1
  %more = icmp ult i32 %n.next, %times
  br i1 %more, label %loop, label %done
done:
{sums}  %first = extractelement {v} {total}, i32 0
  ret float %first
}}
"""

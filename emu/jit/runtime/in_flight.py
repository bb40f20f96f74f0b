"""How many vectors the host computes with at a time, which decides how wide warps are.

A fused multiply-add takes some cycles, and the next one of a chain waits for it. Where vector units
are as wide as vectors, four chains (a warp of 64 lanes) leave half of the units idle, and eight
take the same time. Where each vector takes two turns, or there is one unit, four chains are enough.
The same is measured of integers: some hosts begin four operations in each cycle and take two for
one, others begin two and take one.
"""

from __future__ import annotations

import ctypes
from functools import cache as remember
from typing import NamedTuple

from ..llvm.toolchain import Level, compile_text, function_attributes, host_has
from .measured import Gain, compared, kept

FEW, MANY = 4, 8
"""Chains: vectors of a warp of 64 lanes, and of 128."""

ITERATIONS = 3000
TURNS = 5

LEAST_GAIN = 1.3
"""How much sooner many chains must be done, each, than few."""


def takes_many() -> bool:
    """Return whether many vectors take little more time than few. Measured, and kept."""
    return bool(_measured())


def takes_integers() -> bool:
    """Return whether many vectors of integers take little more time than few. Measured as well."""
    return bool(_measured_integers())


@remember
def _measured() -> int:
    return _kept("in flight", FLOATS)


@remember
def _measured_integers() -> int:
    return _kept("integers in flight", INTEGERS)


def _kept(name: str, kind: Kind) -> int:
    if not host_has("avx512f"):
        return 0
    return kept(name, lambda: gain(kind), lambda value: int(value >= LEAST_GAIN), default=0)


class Kind(NamedTuple):
    """What chains are made of."""

    element: str
    fraction: str
    """What follows the digits of a constant."""
    step: str
    """The instructions from %a<i> to %b<i>."""
    add: str
    result: type[ctypes.c_float] | type[ctypes.c_uint32]
    declared: str = ""


FLOATS = Kind(
    "float",
    ".0",
    "  %b{i} = call {v} @llvm.fma.v16f32({v} %a{i}, {v} splat (float 0.5), {v} %a{i})\n",
    "fadd",
    ctypes.c_float,
    "declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)\n",
)
INTEGERS = Kind(
    "i32",
    "",
    "  %t{i} = add {v} %a{i}, splat (i32 12345)\n  %b{i} = xor {v} %t{i}, splat (i32 6789)\n",
    "add",
    ctypes.c_uint32,
)


def gain(kind: Kind = FLOATS) -> Gain:
    """Measure the time of a chain among few over that of a chain among many.

    Takes about 10 ms, most of it to compile the loops.
    """
    loops = _loop("few", FEW, kind) + _loop("many", MANY, kind)
    text = f"{kind.declared}{loops}attributes #0 = {{ {function_attributes()} }}\n"
    module = compile_text(text, ["few", "many"], level=Level.QUICK, key=text)
    function = ctypes.CFUNCTYPE(kind.result, ctypes.c_uint32)
    few, many = (function(module[name]) for name in ("few", "many"))
    return compared(
        lambda _: few(ITERATIONS),
        lambda _: many(ITERATIONS),
        turns=TURNS,
        limits=[LEAST_GAIN],
        factor=MANY / FEW,
    )


def _loop(name: str, chains: int, kind: Kind) -> str:
    """Return a function that repeats a step of each of some vectors."""
    element = kind.element
    v = f"<16 x {element}>"
    phis = ""
    for i in range(chains):
        first = f"splat ({element} {i + 1}{kind.fraction})"
        phis += f"  %a{i} = phi {v} [ {first}, %entry ], [ %b{i}, %loop ]\n"
    steps = "".join(kind.step.format(i=i, v=v) for i in range(chains))
    sums, total = "", "%b0"
    for i in range(1, chains):
        sums += f"  %s{i} = {kind.add} {v} {total}, %b{i}\n"
        total = f"%s{i}"
    return f"""define {element} @{name}(i32 %times) #0 {{
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %n.next, %loop ]
{phis}{steps}  %n.next = add i32 %n, 1
  %more = icmp ult i32 %n.next, %times
  br i1 %more, label %loop, label %done
done:
{sums}  %first = extractelement {v} {total}, i32 0
  ret {element} %first
}}
"""

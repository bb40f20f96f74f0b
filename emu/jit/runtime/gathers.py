"""The host's speed at gathers, which decides how loops with scattered accesses run.

Some CPUs gather sixteen elements in little more time than sixteen loads take; others need several
times as long. A loop over a table in the second-level cache is timed with gathers and with single
loads, and the result is kept beside compiled code, per host and version.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache as remember
from math import log2

import numpy as np

from ....isa.errors import UsageError
from ...analysis.facts import NEVER_TOGETHER, OwnMemory
from ..llvm.toolchain import Level, compile_text, function_attributes, host_has
from .measured import Gain, compared, kept

VARIABLE = "SIMTLAB_LOOPS"
"""Environment variable: how sparse loops run, in place of a measurement."""

LANES = 32
ITERATIONS = 64
TABLE = 1 << 16
"""Elements of the table, of four bytes."""

TURNS = 6

MOST = 60
"""The largest crossover from which the lanes that run a sparse loop together follow.

CPUs with fast gathers have 25 to 42, those that make a gather of as many loads as it has lanes 84
to more than 100: the limit is between both, far from either. There, lanes that run alone also
overlap their cache misses better. All lanes of the loop here load from one set of the first-level
cache, as rows of a power of two do: on Zen 5 that makes 95 of 38."""


SHARE = 4
"""The part of a crossover that lanes from which on loops run together are."""


def together_from() -> int:
    """Return the running lanes from which on a sparse loop runs for all of them together.

    SIMTLAB_LOOPS says it: `alone` (never), `together` (always), or a number of lanes from 1 to 64.
    `measured` is never, where native code cannot find the number itself. Otherwise it is measured
    on this host. Raises UsageError.
    """
    wanted = os.environ.get(VARIABLE)
    return _measured() if not wanted else _parsed(wanted)


def finds_limit() -> bool:
    """Return whether native code finds that number itself where it can: if SIMTLAB_LOOPS has none.

    The speed of gathers does not decide alone, but how long lanes stay in the loop, how much it
    computes, and how often branches are mispredicted.
    """
    return os.environ.get(VARIABLE, "") in ("", "measured") and host_has("sse2")


def gathers_fast() -> bool:
    """Return whether a gather takes the time of few single loads, whatever SIMTLAB_LOOPS says."""
    return _measured() != NEVER_TOGETHER


def own_memory() -> OwnMemory:
    """Return how loops over private memory run: as SIMTLAB_LOOPS says, or as native code finds."""
    match os.environ.get(VARIABLE):
        case None | "" | "measured":
            return OwnMemory.MEASURED if host_has("sse2") else OwnMemory.TOGETHER
        case "together":
            return OwnMemory.TOGETHER
        case _:
            return OwnMemory.ALONE


def _parsed(wanted: str) -> int:
    match wanted:
        case "alone" | "measured":
            return NEVER_TOGETHER
        case "together":
            return 0
    if wanted.isascii() and wanted.isdecimal() and 1 <= int(wanted) < NEVER_TOGETHER:
        return int(wanted)
    raise UsageError(
        f"{VARIABLE} is {wanted!r}: expected `alone`, `together`, `measured`, or a number of lanes "
        f"from 1 to {NEVER_TOGETHER - 1}",
        code="SIM522",
        hint=f"without {VARIABLE} simtlab decides by a measurement of the CPU",
    )


@remember
def _measured() -> int:
    """Return the lanes by the crossover of this host, from the cache or measured now.

    On doubt lanes run alone, or native code finds the number.
    """
    return kept("gathers", crossover, lanes_for, default=NEVER_TOGETHER)


def lanes_for(ratio: float) -> int:
    """Return the lanes from which on loops run together, for a crossover of the loops here.

    A quarter of it: a lane that runs a kernel's loop alone executes twice the instructions of the
    loop here, and pays for entering the loop and for the mispredicted branch that leaves it.

    It is a power of two. Crossovers differ by a fifth from process to process: with a number for
    each of them two processes would hardly ever agree, and each would compile code of its own.
    """
    return NEVER_TOGETHER if ratio > MOST else 1 << max(1, round(log2(ratio / SHARE)))


def crossover() -> Gain:
    """Measure how many single elements take the time of one gather loop's iteration.

    Takes about 10 ms, most of it to compile the loops.
    """
    text = _text()
    module = compile_text(text, ["together", "alone"], level=Level.QUICK, key=text)
    types = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32
    function = ctypes.CFUNCTYPE(ctypes.c_uint32, *types)
    together, alone = (function(module[name]) for name in ("together", "alone"))
    # Odd multiples of a number modulo a power of two are a permutation without a pattern that
    # prefetchers know.
    numbers = np.arange(TABLE, dtype=np.uint32) * np.uint32(2654435761)
    table = (numbers >> np.uint32(7)) & np.uint32(TABLE - 1)
    address = table.ctypes.data

    def start(i: int) -> int:
        return i * ITERATIONS % (TABLE // LANES - ITERATIONS)

    return compared(
        lambda i: together(address, start(i), TABLE),
        lambda i: alone(address, start(i), TABLE),
        turns=TURNS,
        limits=[MOST],
        factor=LANES,
    )


def _text() -> str:
    """Return a loop of 32 lanes, by two vectors of 16, and the same for lane after lane."""
    return f"{_together()}{_alone()}attributes #0 = {{ {function_attributes()} }}\n"


def _together() -> str:
    """Return the loop by two vectors."""
    apart = TABLE // LANES
    starts = [", ".join(f"i32 {(16 * j + i) * apart}" for i in range(16)) for j in range(2)]
    v, p = "<16 x i32>", "<16 x ptr>"
    gather = "@llvm.masked.gather.v16i32.v16p0"

    def access(j: int, name: str, index: str) -> str:
        return f"""\
  %{name}.out{j} = icmp uge {v} {index}, %limits
  %{name}.bits{j} = bitcast <16 x i1> %{name}.out{j} to i16
  %{name}.good{j} = icmp eq i16 %{name}.bits{j}, 0
  br i1 %{name}.good{j}, label %{name}.in{j}, label %fault
{name}.in{j}:
  %{name}.at{j} = getelementptr i32, ptr %table, {v} {index}
  %{name}{j} = call {v} {gather}({p} %{name}.at{j}, i32 4, <16 x i1> %mask{j}, {v} zeroinitializer)
"""

    chunks = "".join(
        f"  %i{j} = add {v} <{starts[j]}>, %n.spread\n"
        f"  %mask{j} = icmp ult {v} %i{j}, %limits\n"
        + access(j, "a", f"%i{j}")
        + access(j, "b", f"%a{j}")
        + f"  %sum{j}.next = add {v} %sum{j}, %b{j}\n"
        for j in range(2)
    )
    spread = f"shufflevector {v} {{}}, {v} poison, <16 x i32> zeroinitializer"
    return f"""\
declare {v} {gather}({p}, i32, <16 x i1>, {v})
declare i32 @llvm.vector.reduce.add.v16i32({v})
define i32 @together(ptr %table, i32 %start, i32 %limit) #0 {{
entry:
  %stop = add i32 %start, {ITERATIONS}
  %limit.0 = insertelement {v} poison, i32 %limit, i32 0
  %limits = {spread.format("%limit.0")}
  br label %loop
loop:
  %n = phi i32 [ %start, %entry ], [ %n.next, %b.in1 ]
  %sum0 = phi {v} [ zeroinitializer, %entry ], [ %sum0.next, %b.in1 ]
  %sum1 = phi {v} [ zeroinitializer, %entry ], [ %sum1.next, %b.in1 ]
  %n.0 = insertelement {v} poison, i32 %n, i32 0
  %n.spread = {spread.format("%n.0")}
{chunks}  %n.next = add i32 %n, 1
  %more = icmp ult i32 %n.next, %stop
  br i1 %more, label %loop, label %done
done:
  %both = add {v} %sum0.next, %sum1.next
  %total = call i32 @llvm.vector.reduce.add.v16i32({v} %both)
  ret i32 %total
fault:
  ret i32 0
}}
"""


def _alone() -> str:
    """Return the loop for lane after lane."""
    return f"""\
define i32 @alone(ptr %table, i32 %start, i32 %limit) #0 {{
entry:
  br label %lane
lane:
  %l = phi i32 [ 0, %entry ], [ %l.next, %leave ]
  %before = phi i32 [ 0, %entry ], [ %sum.next, %leave ]
  %base = mul i32 %l, {TABLE // LANES}
  %first = add i32 %base, %start
  %stop = add i32 %first, {ITERATIONS}
  br label %loop
loop:
  %n = phi i32 [ %first, %lane ], [ %n.next, %b.in ]
  %sum = phi i32 [ %before, %lane ], [ %sum.next, %b.in ]
  %a.good = icmp ult i32 %n, %limit
  br i1 %a.good, label %a.in, label %fault
a.in:
  %a.n = zext i32 %n to i64
  %a.at = getelementptr i32, ptr %table, i64 %a.n
  %a = load i32, ptr %a.at
  %b.good = icmp ult i32 %a, %limit
  br i1 %b.good, label %b.in, label %fault
b.in:
  %b.n = zext i32 %a to i64
  %b.at = getelementptr i32, ptr %table, i64 %b.n
  %b = load i32, ptr %b.at
  %sum.next = add i32 %sum, %b
  %n.next = add i32 %n, 1
  %more = icmp ult i32 %n.next, %stop
  br i1 %more, label %loop, label %leave
leave:
  %l.next = add i32 %l, 1
  %others = icmp ult i32 %l.next, {LANES}
  br i1 %others, label %lane, label %done
done:
  ret i32 %sum.next
fault:
  ret i32 0
}}
"""

"""Whether neighbours that cross lines of the cache are best loaded, or shifted out of a row.

A stencil needs nearly the same elements several times. Each load that crosses a line takes two
accesses; a shift of two vectors takes a unit that computes. Which of them a host has to spare is
measured with a stencil of three points in a row.
"""

from __future__ import annotations

import ctypes
from functools import cache as remember

from ..llvm.toolchain import Level, compile_text, function_attributes, host_has
from .aligned import aligned_bytes
from .measured import kept, least_seconds

POINTS, VECTORS = 3, 2
"""Loads of a row, and vectors of a warp of 32 lanes."""

LINE = 64

START = 20
"""Where rows begin in a line: those of most widths begin anywhere."""

BYTES = 4096
"""What is loaded: it stays in a first-level cache."""

TIMES, ROUNDS = 20, 200

LEAST_GAIN = 1.15
"""How much sooner a row must be done by shifts."""


def shifts_fast() -> bool:
    """Return whether rows that loads share are better shifted. Measured once per host."""
    return bool(_measured())


@remember
def _measured() -> int:
    return kept("shifts", lambda: int(gain() >= LEAST_GAIN)) if host_has("avx512f") else 0


def gain() -> float:
    """Measure the time of a stencil by loads over that by shifts.

    Takes some milliseconds.
    """
    text = _stencil("loads", _loads()) + _stencil("shifts", _shifts())
    text += "declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)\n"
    text += f"attributes #0 = {{ {function_attributes()} }}\n"
    module = compile_text(text, ["loads", "shifts"], level=Level.QUICK)
    function = ctypes.CFUNCTYPE(ctypes.c_float, ctypes.c_void_p, ctypes.c_int64)
    cells = aligned_bytes(BYTES + 3 * LINE)
    given = cells.ctypes.data + LINE + START, TIMES
    stencils = [function(module[name]) for name in ("loads", "shifts")]
    loads, shifts = least_seconds([lambda _, run=s: run(*given) for s in stencils], ROUNDS)
    return loads / shifts


def _loads() -> str:
    """Return the loads of all points, %p0_0 and so on."""
    text = ""
    for j in range(VECTORS):
        for i in range(POINTS):
            text += _load(f"p{i}_{j}", 4 * (i - 1) + LINE * j)
    return text


def _shifts() -> str:
    """Return the same as vectors of the row and shifts of two of them."""
    text = "".join(_load(f"p0_{j}", LINE * j - 4) for j in range(VECTORS))
    last = VECTORS - 1
    text += _load(f"p{POINTS - 1}_{last}", 4 * (POINTS - 2) + LINE * last)
    for j in range(VECTORS):
        after = f"p0_{j + 1}" if j < last else f"p{POINTS - 1}_{last}"
        for i in range(1, POINTS if j < last else POINTS - 1):
            # The last vector ends where the last point's does.
            beyond = 0 if j < last else 16 - (POINTS - 1)
            lanes = (i + lane + (beyond if i + lane > 15 else 0) for lane in range(16))
            order = ", ".join(f"i32 {lane}" for lane in lanes)
            text += (
                f"  %p{i}_{j} = shufflevector {_V} %p0_{j}, {_V} %{after}, <16 x i32> <{order}>\n"
            )
    return text


_V = "<16 x float>"


def _load(name: str, offset: int) -> str:
    return (
        f"  %{name}.at = getelementptr i8, ptr %at, i64 {offset}\n"
        f"  %{name} = load {_V}, ptr %{name}.at, align 4\n"
    )


def _stencil(name: str, points: str) -> str:
    """Return a function that weighs the points of all cells, and adds up what it gets.

    It stores nothing: stores may wait for loads of other places that look alike.
    """
    sums = phis = ""
    for j in range(VECTORS):
        phis += f"  %a{j} = phi {_V} [ zeroinitializer, %row ], [ %b{j}, %loop ]\n"
        total = "zeroinitializer"
        for i in range(POINTS):
            factors = f"{_V} %p{i}_{j}, {_V} splat (float 0.5), {_V} {total}"
            sums += f"  %s{i}_{j} = call {_V} @llvm.fma.v16f32({factors})\n"
            total = f"%s{i}_{j}"
        sums += f"  %b{j} = fadd {_V} %a{j}, {total}\n"
    return f"""define float @{name}(ptr %cells, i64 %times) #0 {{
entry:
  br label %row
row:
  %r = phi i64 [ 0, %entry ], [ %r.next, %done ]
  br label %loop
loop:
  %n = phi i64 [ 0, %row ], [ %n.next, %loop ]
{phis}  %at = getelementptr i8, ptr %cells, i64 %n
{points}{sums}  %n.next = add i64 %n, {LINE * VECTORS}
  %more = icmp ult i64 %n.next, {BYTES}
  br i1 %more, label %loop, label %done
done:
  %r.next = add i64 %r, 1
  %again = icmp ult i64 %r.next, %times
  br i1 %again, label %row, label %end
end:
  %total = fadd {_V} %b0, %b1
  %first = extractelement {_V} %total, i32 0
  ret float %first
}}
"""

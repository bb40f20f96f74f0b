"""Whether neighbours that cross lines of the cache are best loaded, or shifted out of a row.

A stencil needs nearly the same elements several times. Each load that crosses a line takes two
accesses; a shift of two vectors takes a unit that computes. Which of them a host has to spare is
measured with a stencil of three points in a row: of words in warps of 32 lanes, and of bytes in
warps of 64, since some hosts shift bytes by several steps.
"""

from __future__ import annotations

import ctypes
from functools import cache as remember
from typing import NamedTuple

from ..llvm.toolchain import Level, compile_text, function_attributes, host_has
from .aligned import LINE, aligned_bytes
from .measured import Gain, compared, kept

POINTS = 3
"""Loads of a row."""

START = 20
"""Where rows begin in a line: those of most widths begin anywhere."""

TURNS = 4

LEAST_GAIN = 1.1
"""How much sooner a row must be done by shifts.

Kernels gain less than the stencil here, since they do more, and some lose a few percent: on Zen 5,
where the stencil gains 1.5, nine kernels gain 1.30 together, and one loses 3%. On a Xeon, where it
gains 1.3, thirteen gain 1.16, and two lose 5%. Where it gains 1.1, that makes 1.05.
"""


class Kind(NamedTuple):
    """What rows are made of."""

    element: str
    size: int
    """Bytes of an element."""
    vectors: int
    """Vectors of a warp."""
    weighed: str
    """The instruction from %p and a total to %s."""
    add: str
    feature: str
    """What a CPU needs to shift such elements."""
    loaded: int
    """What is loaded: grids of words come from a second-level cache, rows of bytes from the first.

    Where lines are not in the first level, loads that cross them wait for two.
    """
    times: int
    """How often that is loaded in a call, which takes some ten microseconds."""

    @property
    def lanes(self) -> int:
        """Elements of a vector."""
        return LINE // self.size

    @property
    def vector(self) -> str:
        """The type of a vector."""
        return f"<{self.lanes} x {self.element}>"


WORDS = Kind(
    "float",
    4,
    2,
    "call {v} @llvm.fma.v16f32({v} {p}, {v} splat (float 0.5), {v} {total})",
    "fadd",
    "avx512f",
    1 << 18,
    5,
)
SMALL = Kind("i8", 1, 1, "add {v} {p}, {total}", "add", "avx512vbmi", 4096, 300)


def shifts_fast(kind: Kind = WORDS) -> bool:
    """Return whether rows that loads share are better shifted. Measured, and kept."""
    return bool(_measured(kind))


@remember
def _measured(kind: Kind) -> int:
    if not host_has(kind.feature):
        return 0
    shifts = f"shifts of {kind.element}"
    return kept(shifts, lambda: gain(kind), lambda value: int(value >= LEAST_GAIN))


def gain(kind: Kind = WORDS) -> Gain:
    """Measure the time of a stencil by loads over that by shifts.

    Takes about 10 ms, most of it to compile the loops.
    """
    text = _stencil("loads", kind, _loads(kind)) + _stencil("shifts", kind, _shifts(kind))
    text += "declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)\n"
    text += f"attributes #0 = {{ {function_attributes()} }}\n"
    module = compile_text(text, ["loads", "shifts"], level=Level.QUICK, key=text)
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    cells, sums = aligned_bytes(kind.loaded + 3 * LINE), aligned_bytes(LINE)
    cells.fill(1)  # until they are written, all pages are one
    given = cells.ctypes.data + LINE + START, sums.ctypes.data, kind.times
    loads, shifts = (function(module[name]) for name in ("loads", "shifts"))
    return compared(
        lambda _: loads(*given), lambda _: shifts(*given), turns=TURNS, limits=[LEAST_GAIN]
    )


def _loads(kind: Kind) -> str:
    """Return the loads of all points, %p0_0 and so on."""
    return "".join(
        _load(kind, f"p{i}_{j}", kind.size * (i - 1) + LINE * j)
        for j in range(kind.vectors)
        for i in range(POINTS)
    )


def _shifts(kind: Kind) -> str:
    """Return the same as vectors of the row and shifts of two of them."""
    last, n = kind.vectors - 1, kind.lanes
    text = "".join(_load(kind, f"p0_{j}", LINE * j - kind.size) for j in range(kind.vectors))
    text += _load(kind, f"p{POINTS - 1}_{last}", kind.size * (POINTS - 2) + LINE * last)
    for j in range(kind.vectors):
        after = f"p0_{j + 1}" if j < last else f"p{POINTS - 1}_{last}"
        for i in range(1, POINTS if j < last else POINTS - 1):
            # The last vector ends where the last point's does.
            beyond = 0 if j < last else n - (POINTS - 1)
            lanes = (i + lane + (beyond if i + lane >= n else 0) for lane in range(n))
            order = ", ".join(f"i32 {lane}" for lane in lanes)
            pair = f"{kind.vector} %p0_{j}, {kind.vector} %{after}"
            text += f"  %p{i}_{j} = shufflevector {pair}, <{n} x i32> <{order}>\n"
    return text


def _load(kind: Kind, name: str, offset: int) -> str:
    return (
        f"  %{name}.at = getelementptr i8, ptr %at, i64 {offset}\n"
        f"  %{name} = load {kind.vector}, ptr %{name}.at, align {kind.size}\n"
    )


def _stencil(name: str, kind: Kind, points: str) -> str:
    """Return a function that weighs the points of all cells, and adds up what it gets.

    It stores nothing in its loop: stores may wait for loads of other places that look alike.
    """
    v = kind.vector
    sums = phis = stores = ""
    for j in range(kind.vectors):
        phis += f"  %a{j} = phi {v} [ zeroinitializer, %row ], [ %b{j}, %loop ]\n"
        total = "zeroinitializer"
        for i in range(POINTS):
            weighed = kind.weighed.format(v=v, p=f"%p{i}_{j}", total=total)
            sums += f"  %s{i}_{j} = {weighed}\n"
            total = f"%s{i}_{j}"
        sums += f"  %b{j} = {kind.add} {v} %a{j}, {total}\n"
        stores += f"  store volatile {v} %b{j}, ptr %sums, align {kind.size}\n"
    return f"""define void @{name}(ptr %cells, ptr %sums, i64 %times) #0 {{
entry:
  br label %row
row:
  %r = phi i64 [ 0, %entry ], [ %r.next, %done ]
  br label %loop
loop:
  %n = phi i64 [ 0, %row ], [ %n.next, %loop ]
{phis}  %at = getelementptr i8, ptr %cells, i64 %n
{points}{sums}  %n.next = add i64 %n, {LINE * kind.vectors}
  %more = icmp ult i64 %n.next, {kind.loaded}
  br i1 %more, label %loop, label %done
done:
{stores}  %r.next = add i64 %r, 1
  %again = icmp ult i64 %r.next, %times
  br i1 %again, label %row, label %end
end:
  ret void
}}
"""

"""How many lines of a row at a time the host loads best where rows are a page apart.

All rows of a matrix whose rows are pages begin in the same sets of a first-level cache. What the
host fetches beside the lines that are loaded is soon evicted again on some hosts, and not on
others. The former load wider pieces of such rows in less time, line by line.
"""

from __future__ import annotations

import ctypes
from functools import cache as remember

from ..llvm.toolchain import Level, compile_text, function_attributes, host_has
from .aligned import aligned_bytes, huge_bytes
from .measured import Gain, compared, kept

FEW, MANY = 4, 8
"""Lines of a row: of 64 lanes, and of 128."""

ROWS, PAGE = 1024, 4096
"""A matrix that the second-level cache of most hosts does not hold."""

TURNS = 3

LEAST_GAIN = 1.1
"""How much sooner all columns must be added up by many lines at a time.

It depends on the pages of the matrix: 1.24 or 1.6 on Zen 5, where three kernels gain 1.03 to 1.8.
"""


def takes_many_lines() -> bool:
    """Return whether many lines of a far row are loaded in less time than few twice.

    Measured, and kept.
    """
    return bool(_measured())


@remember
def _measured() -> int:
    if not host_has("avx512f"):
        return 0
    return kept("far rows", gain, lambda value: int(value >= LEAST_GAIN), default=0)


def gain() -> Gain:
    """Measure the time for all columns of a matrix by few lines over that by many.

    Takes about 10 ms.
    """
    text = _columns("few", FEW) + _columns("many", MANY)
    text += f"attributes #0 = {{ {function_attributes()} }}\n"
    module = compile_text(text, ["few", "many"], level=Level.QUICK, key=text)
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
    matrix, sums = huge_bytes(ROWS * PAGE), aligned_bytes(PAGE)
    matrix.fill(0)
    few, many = (function(module[name]) for name in ("few", "many"))
    given = matrix.ctypes.data, sums.ctypes.data
    return compared(lambda _: few(*given), lambda _: many(*given), turns=TURNS, limits=[LEAST_GAIN])


def _columns(name: str, lines: int) -> str:
    """Return a function that adds up all columns, some lines of each row at a time."""
    v = "<16 x float>"
    phis = steps = stores = ""
    for i in range(lines):
        phis += f"  %a{i} = phi {v} [ zeroinitializer, %column ], [ %b{i}, %row ]\n"
        steps += (
            f"  %p{i} = getelementptr i8, ptr %at, i64 {64 * i}\n"
            f"  %x{i} = load {v}, ptr %p{i}, align 4\n"
            f"  %b{i} = fadd {v} %a{i}, %x{i}\n"
        )
        stores += (
            f"  %q{i} = getelementptr i8, ptr %to, i64 {64 * i}\n"
            f"  store {v} %b{i}, ptr %q{i}, align 4\n"
        )
    return f"""define void @{name}(ptr %matrix, ptr %sums) #0 {{
entry:
  br label %column
column:
  %c = phi i64 [ 0, %entry ], [ %c.next, %done ]
  %first = getelementptr i8, ptr %matrix, i64 %c
  br label %row
row:
  %r = phi i64 [ 0, %column ], [ %r.next, %row ]
  %at = phi ptr [ %first, %column ], [ %at.next, %row ]
{phis}{steps}  %at.next = getelementptr i8, ptr %at, i64 {PAGE}
  %r.next = add i64 %r, 1
  %more = icmp ult i64 %r.next, {ROWS}
  br i1 %more, label %row, label %done
done:
  %to = getelementptr i8, ptr %sums, i64 %c
{stores}  %c.next = add i64 %c, {64 * lines}
  %again = icmp ult i64 %c.next, {PAGE}
  br i1 %again, label %column, label %end
end:
  ret void
}}
"""

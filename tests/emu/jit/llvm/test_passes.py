"""The passes of a level: what they do with loops, and what is left of unreachable code."""

from __future__ import annotations

import pytest

from simtlab.emu.jit.llvm.passes import LONG, LONGER, Level
from simtlab.emu.jit.llvm.text import UNROLLED, VECTORISED
from simtlab.emu.jit.llvm.toolchain import dump

LOOP = """\
define void @f(ptr noalias %from, ptr noalias %to, i64 %n) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %from, i64 %i
  %x = load i32, ptr %p
  %y = mul i32 %x, 3
  %q = getelementptr i32, ptr %to, i64 %i
  store i32 %y, ptr %q
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %over, !llvm.loop !1
over:
  ret void
}}
!1 = distinct !{{!1, !{{!{property}}}}}
"""

BRANCHES = """\
define internal i32 @inner(i32 %a) alwaysinline {
  %twice = mul i32 %a, 2
  ret i32 %twice
}
define i32 @f(i32 %a, i1 %c) {
entry:
  %cell = alloca i32
  store i32 7, ptr %cell
  br i1 false, label %never, label %usual
never:
  store i32 9, ptr %cell
  br label %usual
usual:
  %x = load i32, ptr %cell
  %y = call i32 @inner(i32 %x)
  %z = add i32 %y, %a
  ret i32 %z
}
"""


LENGTHS = (Level.KERNEL, LONG), (Level.KERNEL, LONGER)
"""Lines of a module with which its level has other passes."""


@pytest.mark.parametrize(("level", "lines"), [(Level.FULL, 0), (Level.KERNEL, 0), *LENGTHS])
def test_loops_are_unrolled_where_they_say_so(level: Level, lines: int) -> None:
    text = ";\n" * lines + LOOP
    plain = dump(text.format(property='"llvm.loop.unroll.disable"'), "llvm", level)
    unrolled = dump(text.format(property=f"{UNROLLED}, i32 4"), "llvm", level)
    assert plain.count(" load i32") == 1
    assert unrolled.count(" load i32") >= 4


@pytest.mark.parametrize("level", [Level.FULL, Level.KERNEL])
def test_loops_are_vectorised_where_they_say_so(level: Level) -> None:
    text = dump(LOOP.format(property=f"{VECTORISED}, i1 true"), "llvm", level)
    assert "mul <" in text
    plain = dump(LOOP.format(property='"llvm.loop.unroll.disable"'), "llvm", level)
    assert "mul <" not in plain


@pytest.mark.parametrize(("level", "lines"), [*((level, 0) for level in Level), *LENGTHS])
def test_every_level_inlines_and_drops_unreachable_code(level: Level, lines: int) -> None:
    text = dump(";\n" * lines + BRANCHES, "llvm", level)
    assert "alloca" not in text
    assert "call" not in text
    assert "@inner" not in text
    assert ("add i32 %a, 14" in text) == (level is not Level.BARE)

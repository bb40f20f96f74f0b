"""Fills of memory by whole vectors, which generated code calls in place of the C library's.

That of glibc writes 2 KiB or more by one instruction (`rep stosb`). On a Zen 5 it takes 1.6 times
as long as stores of vectors where private memory of a warp has 16 KiB, 3 times where it has 32 KiB,
and nothing runs beside it.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..llvm.toolchain import Compiled, compile_text, function_attributes, host_has
from .once import Once

_TEXT = """\
define ptr @memset(ptr %to, i32 %byte, i64 %size) #0 {{
entry:
  %narrow = trunc i32 %byte to i8
  %one = insertelement <64 x i8> poison, i8 %narrow, i64 0
  %vector = shufflevector <64 x i8> %one, <64 x i8> poison, <64 x i32> zeroinitializer
  %blocks = and i64 %size, -256
  %whole = and i64 %size, -64
  br label %head
head:
  %at = phi i64 [ 0, %entry ], [ %next, %block ]
  %more = icmp ult i64 %at, %blocks
  br i1 %more, label %block, label %rest
block:
  %p0 = getelementptr i8, ptr %to, i64 %at
  %p1 = getelementptr i8, ptr %p0, i64 64
  %p2 = getelementptr i8, ptr %p0, i64 128
  %p3 = getelementptr i8, ptr %p0, i64 192
  store <64 x i8> %vector, ptr %p0, align 1
  store <64 x i8> %vector, ptr %p1, align 1
  store <64 x i8> %vector, ptr %p2, align 1
  store <64 x i8> %vector, ptr %p3, align 1
  %next = add i64 %at, 256
  br label %head
rest:
  %from = phi i64 [ %blocks, %head ], [ %after, %single ]
  %many = icmp ult i64 %from, %whole
  br i1 %many, label %single, label %tail
single:
  %q = getelementptr i8, ptr %to, i64 %from
  store <64 x i8> %vector, ptr %q, align 1
  %after = add i64 %from, 64
  br label %rest
tail:
  %left = and i64 %size, 63
  %bit = shl i64 1, %left
  %bits = sub i64 %bit, 1
  %mask = bitcast i64 %bits to <64 x i1>
  %r = getelementptr i8, ptr %to, i64 %whole
  call void @llvm.masked.store.v64i8.p0(<64 x i8> %vector, ptr %r, i32 1, <64 x i1> %mask)
  ret ptr %to
}}
declare void @llvm.masked.store.v64i8.p0(<64 x i8>, ptr, i32, <64 x i1>)
attributes #0 = {{ {attributes} }}
"""
"""LLVM makes no call of `memset` of loops in a function of that name."""


@Once
def _compiled() -> Compiled:
    text = _TEXT.format(attributes=function_attributes())
    return compile_text(text, ["memset"], key=text)


def fills() -> Mapping[str, int]:
    """Return the addresses of what fills memory, by the name that generated code calls."""
    return _compiled().addresses if host_has("avx512bw") else {}

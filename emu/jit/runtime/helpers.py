"""Functions that generated code calls: written in IR, compiled once per process.

`helpers.ll` has the cold side of loads and stores; atomics are generated here, one function for
each operation and type, because the IR has no operation that is chosen at run time. Each is a
module of its own, which only kernels with this atomic need: all of them take four times as long to
compile as the rest.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ....isa.table import BY_NAME, Row
from ..llvm.toolchain import Compiled, compile_text
from .once import Once

ATTRIBUTES = 'nounwind "no_caller_saved_registers"'
"""Attributes of helpers, in their definitions as well as where they are declared."""

_OPERATIONS = {
    "add": "add",
    "sub": "sub",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "exch": "xchg",
}

WIDE_ATOMIC = "simtlab_atomic_wide"
"""The helper that calls another one, an atomic, for each word of a mask."""


BEGIN_ATOMICS, END_ATOMICS = "simtlab_begin_atomics", "simtlab_end_atomics"
"""The helpers around a call of native code that has atomics of global memory."""

RESET_ATOMICS = "simtlab_reset_atomics"


def atomic_name(row: Row) -> str:
    """Return the helper of an atomic, in whatever segment: `simtlab_atomic_add_u32`."""
    assert row.type is not None
    return f"simtlab_{row.stem}_{row.type.name}"


def _atomic_text(row: Row) -> str:
    """Return the IR of the helper of one atomic, which takes the lanes in ascending order.

    If `%known` is 1, `%addresses` are host addresses that the caller has checked; otherwise they
    are simulated and looked up. Old values go to `%old`. All cells have 64 bits a lane.
    """
    assert row.type is not None
    bits, operation = row.type.bits, row.stem.removeprefix("atomic_")
    t = f"i{bits}"
    if operation == "cas":
        act = f"""\
  %pair = cmpxchg ptr %host, {t} %a, {t} %b seq_cst seq_cst
  %was = extractvalue {{ {t}, i1 }} %pair, 0"""
    else:
        verb = _OPERATIONS.get(operation) or (operation if row.type.is_signed else f"u{operation}")
        act = f"  %was = atomicrmw {verb} ptr %host, {t} %a seq_cst"
    return f"""\
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @simtlab_find(ptr, i64, i64, i32) #0
define i32 @{atomic_name(row)}(ptr %ctx, i64 %mask, ptr %addresses, ptr %as, ptr %bs, ptr %old,
    i32 %known) #0 {{
entry:
  br label %loop
loop:
  %m = phi i64 [ %mask, %entry ], [ %m.next, %go ]
  %none = icmp eq i64 %m, 0
  br i1 %none, label %done, label %body
done:
  ret i32 0
body:
  %lane = call i64 @llvm.cttz.i64(i64 %m, i1 false)
  %p.address = getelementptr i64, ptr %addresses, i64 %lane
  %address = load i64, ptr %p.address
  %is.known = icmp ne i32 %known, 0
  br i1 %is.known, label %go, label %search
search:
  %found = call i64 @simtlab_find(ptr %ctx, i64 %address, i64 {bits // 8}, i32 2)
  %ok = icmp ne i64 %found, 0
  br i1 %ok, label %go, label %fault
fault:
  %lane.32 = trunc i64 %lane to i32
  %result = add i32 %lane.32, 1
  ret i32 %result
go:
  %host.i = phi i64 [ %address, %body ], [ %found, %search ]
  %host = inttoptr i64 %host.i to ptr
  %p.a = getelementptr i64, ptr %as, i64 %lane
  %a = load {t}, ptr %p.a
  %p.b = getelementptr i64, ptr %bs, i64 %lane
  %b = load {t}, ptr %p.b
{act}
  %p.old = getelementptr i64, ptr %old, i64 %lane
  store {t} %was, ptr %p.old
  %m.less = sub i64 %m, 1
  %m.next = and i64 %m, %m.less
  br label %loop
}}
{_DEFINED}"""


_DEFINED = f"attributes #0 = {{ {ATTRIBUTES} }}\n"


def text() -> str:
    """Return the IR of the helpers of all kernels.

    They must do without vectors: of these registers LLVM preserves a part only.
    """
    written = Path(__file__).with_name("helpers.ll").read_text(encoding="utf-8")
    # Elsewhere LLVM may not know what names a thread.
    knows_threads = sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64")
    written += Path(__file__).with_name("atomics.ll").read_text(encoding="utf-8")
    written += f"@simtlab_knows_threads = internal constant i1 {str(knows_threads).lower()}\n"
    return written + _DEFINED


@Once
def _compiled() -> Compiled:
    ir = text()
    functions = ["simtlab_find", "simtlab_local_fault", "simtlab_move", "simtlab_move_one"]
    functions += [f"{name}_wide" for name in ("simtlab_local_fault", "simtlab_move")]
    functions += [BEGIN_ATOMICS, END_ATOMICS, RESET_ATOMICS]
    functions += [WIDE_ATOMIC, "simtlab_charge", "simtlab_charge_wide"]
    return compile_text(ir, functions, key=ir)


@Once
def _atomic(name: str) -> Compiled:
    """Return the helper of the atomics with one name."""
    ir = _atomic_text(_ATOMICS[name])
    return compile_text(ir, [name], key=ir, symbols=symbols())


_ATOMICS = {atomic_name(row): row for row in BY_NAME.values() if row.is_atomic}


@Once
def _reset() -> Callable[[], int]:
    return ctypes.CFUNCTYPE(ctypes.c_int32)(_compiled()[RESET_ATOMICS])


def forget_threads() -> None:
    """Let the next thread that asks be the one whose atomics may be plain; no native code runs."""
    if _compiled.is_made:
        _reset()()


def symbols(rows: Iterable[Row] = ()) -> Mapping[str, int]:
    """Return the addresses of helpers, for the linker: those of all kernels, and of atomics."""
    atomics = {atomic_name(row) for row in rows if row.is_atomic}
    return {**_compiled().addresses, **{name: _atomic(name)[name] for name in atomics}}


if hasattr(os, "register_at_fork"):
    # The threads of the parent are not in the child, where it seems that they are still running.
    os.register_at_fork(after_in_child=forget_threads)

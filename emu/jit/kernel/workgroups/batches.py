"""Calls that take their workgroups in the interpreter's batches.

Before a batch, the content of some buffers is copied. Its loads find that content, whatever the
work-items of the batch have stored meanwhile (analysis/counting/loads_first.py).
"""

from __future__ import annotations

from math import prod

from ....analysis.facts import Facts
from ...llvm.function_text import FunctionText, definition
from ...runtime.context import (
    BASE,
    DELTA,
    GROUPS,
    SIZE,
    Slot,
    TrapCode,
    owners_slot,
    param_slot,
)
from ..context_code import load_slot, store_slot
from ..counting.batch_rounds import begin_batch, end_batch
from ..memory.kernel_memory import KernelMemory


def in_batches(entry: FunctionText, facts: Facts, memory: KernelMemory, head: str) -> str:
    """Return the function of a kernel, which calls `groups` for the batches of a range.

    `head` is how it begins. After a batch that may have stored too early, a launch ends as by a
    trap.
    """
    code, relied = entry.elsewhere(), memory.relied
    assert relied is not None
    batch = load_slot(code, Slot.BATCH)
    code.jump("batch")
    code.block("batch")
    code.phi("i64", ("%first", "entry"), ("%end", "next"), name="%begin")
    code.branch(code.let("icmp ult i64 %begin, %last"), "check", "done")
    code.block("check")
    done = code.let(f"urem i64 %begin, {batch}")
    code.branch(code.let(f"icmp eq i64 {done}, 0"), "copy", "run")
    code.block("copy")
    for position in sorted(relied.before):
        _copy(code, facts, memory, position, batch)
    if relied.loop is not None:
        begin_batch(code)
    code.jump("run")
    code.block("run")
    end = code.let(f"add i64 %begin, {code.let(f'sub i64 {batch}, {done}')}")
    code.let(f"call i64 @llvm.umin.i64(i64 {end}, i64 %last)", "%end")
    trapped = code.let("call i32 @groups(ptr %ctx, i64 %begin, i64 %end)")
    code.branch(code.let(f"icmp eq i32 {trapped}, 0"), "over", "trapped")
    code.block("over")
    if relied.loop is None:
        code.jump("next")
    else:
        groups = "1"
        for slot in GROUPS:
            groups = code.let(f"mul i64 {groups}, {load_slot(code, slot)}")
        whole = code.let(f"icmp eq i64 {code.let(f'urem i64 %end, {batch}')}, 0")
        is_last = code.let(f"icmp eq i64 %end, {groups}")
        code.branch(code.let(f"or i1 {whole}, {is_last}"), "test", "next")
        code.block("test")
        code.branch(end_batch(code, relied.loop), "next", "refused")
        code.block("refused")
        store_slot(code, Slot.TRAP_KIND, str(int(TrapCode.READ_ONLY)))
        store_slot(code, Slot.TRAP_PC, str(relied.loop.store))
        code.jump("trapped")
    code.block("next")
    code.jump("batch")
    code.block("done")
    code.ret("i32", 0)
    code.block("trapped")
    code.ret("i32", 1)
    return definition(f"{head}(ptr %ctx, i64 %first, i64 %last)", code)


def _copy(
    code: FunctionText, facts: Facts, memory: KernelMemory, position: int, batch: str
) -> None:
    """Copy the content of a parameter's buffer, or what the batch before may have changed of it."""
    relied, params = memory.relied, memory.params
    assert relied is not None
    base, size, delta = (
        load_slot(code, param_slot(position, which)) for which in (BASE, SIZE, DELTA)
    )
    source = code.let(f"add i64 {base}, {delta}")
    place = load_slot(code, owners_slot(len(params), position))
    begin, end = "0", size
    if position in relied.own:
        block = code.let(f"inttoptr i64 {load_slot(code, Slot.KERNARG)} to ptr")
        argument = code.let(f"getelementptr i8, ptr {block}, i64 {params[position].offset}")
        before = code.let(f"sub i64 {code.let(f'load i64, ptr {argument}')}, {base}")
        each = prod(facts.group_size) * relied.own[position]
        is_first = code.let("icmp eq i64 %begin, 0")
        others = []
        for group in (code.let(f"sub i64 %begin, {batch}"), "%begin"):
            at = code.let(f"add i64 {before}, {code.let(f'mul i64 {group}, {each}')}")
            at = code.intrinsic("llvm.smax", "i64", f"i64 {at}", "i64 0")
            others.append(code.intrinsic("llvm.smin", "i64", f"i64 {at}", f"i64 {size}"))
        begin, end = (
            code.let(f"select i1 {is_first}, i64 {all_}, i64 {other}")
            for all_, other in zip((begin, end), others, strict=True)
        )
    target, origin = (
        code.let(f"inttoptr i64 {code.let(f'add i64 {at}, {begin}')} to ptr")
        for at in (place, source)
    )
    count = code.let(f"sub i64 {end}, {begin}")
    given = f"ptr {target}", f"ptr {origin}", f"i64 {count}", "i1 false"
    code.call_void("llvm.memcpy.p0.p0.i64", *given)

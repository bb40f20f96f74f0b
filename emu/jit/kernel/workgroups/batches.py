"""Calls that take their workgroups in the interpreter's batches.

Before a batch, the content of some buffers is copied. Its loads find that content, whatever the
work-items of the batch have stored meanwhile (analysis/counting/loads_first.py).
"""

from __future__ import annotations

from ....analysis.counting.loads_first import LoopRounds
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
from ..batch_rounds import begin_batch, end_batch
from ..context_code import load_slot, store_slot


def in_batches(
    entry: FunctionText, before: frozenset[int], params: int, loop: LoopRounds | None, head: str
) -> str:
    """Return the function of a kernel, which calls `groups` for the batches of a range.

    Buffers of the parameters `before`, of `params`, are copied. If there is a `loop`, the launch
    ends as by a trap after a batch that may have stored too early. `head` is how the function begins.
    """
    code = entry.elsewhere()
    batch = load_slot(code, Slot.BATCH)
    code.jump("batch")
    code.block("batch")
    code.phi("i64", ("%first", "entry"), ("%end", "next"), name="%begin")
    code.branch(code.let("icmp ult i64 %begin, %last"), "check", "done")
    code.block("check")
    done = code.let(f"urem i64 %begin, {batch}")
    code.branch(code.let(f"icmp eq i64 {done}, 0"), "copy", "run")
    code.block("copy")
    for position in sorted(before):
        base, size, delta = (
            load_slot(code, param_slot(position, which)) for which in (BASE, SIZE, DELTA)
        )
        source = code.let(f"inttoptr i64 {code.let(f'add i64 {base}, {delta}')} to ptr")
        place = code.let(f"inttoptr i64 {load_slot(code, owners_slot(params, position))} to ptr")
        given = f"ptr {place}", f"ptr {source}", f"i64 {size}", "i1 false"
        code.call_void("llvm.memcpy.p0.p0.i64", *given)
    if loop is not None:
        begin_batch(code)
    code.jump("run")
    code.block("run")
    left = code.let(f"sub i64 {batch}, {done}")
    end = code.let(f"add i64 %begin, {left}")
    code.let(f"call i64 @llvm.umin.i64(i64 {end}, i64 %last)", "%end")
    trapped = code.let("call i32 @groups(ptr %ctx, i64 %begin, i64 %end)")
    code.branch(code.let(f"icmp eq i32 {trapped}, 0"), "over", "trapped")
    code.block("over")
    if loop is None:
        code.jump("next")
    else:
        groups = "1"
        for slot in GROUPS:
            groups = code.let(f"mul i64 {groups}, {load_slot(code, slot)}")
        whole = code.let(f"icmp eq i64 {code.let(f'urem i64 %end, {batch}')}, 0")
        is_last = code.let(f"icmp eq i64 %end, {groups}")
        code.branch(code.let(f"or i1 {whole}, {is_last}"), "test", "next")
        code.block("test")
        code.branch(end_batch(code, loop), "next", "refused")
        code.block("refused")
        store_slot(code, Slot.TRAP_KIND, str(int(TrapCode.READ_ONLY)))
        store_slot(code, Slot.TRAP_PC, str(loop.store))
        code.jump("trapped")
    code.block("next")
    code.jump("batch")
    code.block("done")
    code.ret("i32", 0)
    code.block("trapped")
    code.ret("i32", 1)
    return definition(f"{head}(ptr %ctx, i64 %first, i64 %last)", code)

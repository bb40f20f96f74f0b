"""The report of an access outside of a block of memory: one function for all accesses of a kernel.

It gets the lanes' offsets and masks as they are, and puts them into cells for a helper. Written at
each access, that was up to a fourth of a kernel's text.
"""

from __future__ import annotations

from ....llvm.function_text import FunctionText, definition
from ....llvm.text import ModuleText, integer
from ....llvm.vectors import VectorCode
from ....runtime.helpers import ATTRIBUTES

HELPER = "simtlab_local_fault"

WORD_BITS = 64


def outside(module: ModuleText, n: int, k: int) -> str:
    """Return the name of the function for `k` vectors of `n` lanes.

    Its arguments are the context block, the vectors of offsets (i32), those of the mask as integers
    of as many bits, and three i64: what is added to the offsets, the block's size, and the
    access's. It returns the number of the first lane that is outside, plus one, an i32.
    """
    name = f"outside.{k}x{n}"
    if module.has(name):
        return name
    code = FunctionText(module)
    vectors = VectorCode(code, n, k)
    offsets, masks = ([f"%{which}{j}" for j in range(k)] for which in ("offset", "mask"))
    cells = code.let(f"alloca [{n * k} x i64], align 64")
    added, wide = vectors.chunk_of(64, "%added"), integer(64, n)
    for place, offset in zip(vectors.chunk_places(cells, 64), offsets, strict=True):
        number = code.let(f"zext {integer(32, n)} {offset} to {wide}")
        code.line(f"store {wide} {code.let(f'add {wide} {number}, {added}')}, ptr {place}, align 8")
    given = f"ptr {cells}, i64 %total, i64 %size"
    if n * k <= WORD_BITS:
        running, helper, types = "", HELPER, "i64"
        for at, mask in enumerate(masks):
            part = mask if n == WORD_BITS else code.let(f"zext i{n} {mask} to i64")
            part = code.let(f"shl i64 {part}, {at * n}") if at else part
            running = code.let(f"or i64 {running}, {part}") if at else part
        running = f"i64 {running}"
    else:
        helper, types = f"{HELPER}_wide", "ptr, i64"
        words = -(-n * k // WORD_BITS)
        bits = code.let(f"alloca [{words} x i64], align 64")
        code.zero(bits, 8 * words)
        for at, mask in enumerate(masks):
            place = code.let(f"getelementptr i{n}, ptr {bits}, i64 {at}")
            code.line(f"store i{n} {mask}, ptr {place}")
        running = f"ptr {bits}, i64 {words}"
    module.declare(helper, f"declare i32 @{helper}(ptr, {types}, ptr, i64, i64) cold {ATTRIBUTES}")
    code.ret("i32", code.let(f"call i32 @{helper}(ptr %ctx, {running}, {given})"))
    chunks = [
        f"{t} {argument}"
        for t, arguments in ((integer(32, n), offsets), (f"i{n}", masks))
        for argument in arguments
    ]
    parameters = ", ".join(["ptr %ctx", *chunks, "i64 %added, i64 %total, i64 %size"])
    head = f"define internal i32 @{name}({parameters}) cold noinline"
    module.define(name, definition(head, code))
    return name

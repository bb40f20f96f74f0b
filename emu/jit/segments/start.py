"""Code that the segments of all kernels share: the cold side, and the start of a workgroup."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ....isa.table import BY_NAME, Row
from ..arithmetic import emit as alu
from ..llvm.text import ModuleText
from ..llvm.toolchain import Compiled, Level, compile_text, function_attributes
from ..llvm.vectors import Chunks
from ..runtime.aligned import LINE
from ..runtime.context import GROUP_SIZE, ITEMS, Slot
from ..runtime.helpers import symbols
from ..runtime.once import Once
from .warp_block import HEADER_BYTES, Header
from .warp_code import WarpCode

_COLD = ("simtlab_buffer", "simtlab_resolve", "simtlab_refuse", "simtlab_trap")


@Once
def _cold() -> Compiled:
    text = Path(__file__).with_name("cold.ll").read_text(encoding="utf-8")
    return compile_text(text, _COLD, key=text, symbols=symbols())


def cold_symbols(rows: Iterable[Row]) -> Mapping[str, int]:
    """Return the addresses of helpers for code with some rows, for the linker."""
    return {**symbols(rows), **_cold().addresses}


START = "ptr %warp, i64 %group, i64 %index, i64 %total, i64 %ids, i64 %private, i64 %shared"
"""Parameters of `start`: block, flat workgroup, number of the warp in it, bytes of the block,
offset of the rows of workitemid, bytes of the warp's private and the group's memory."""


@Once
def start(width: int, dimensions: int) -> Compiled:
    """Return `start` for warps of a width: it begins a workgroup in a block, returns its lanes.

    There are so many rows of workitemid, or none.
    """
    text = _start_text(width, dimensions)
    return compile_text(text, ["start"], level=Level.QUICK, key=text)


def _start_text(width: int, dimensions: int) -> str:
    module = ModuleText(function_attributes())
    warp = WarpCode(module, width)
    code = warp.code
    gx, gy = (warp.slot(s) for s in (Slot.GROUPS_X, Slot.GROUPS_Y))
    rest = code.let(f"udiv i64 %group, {gx}")
    position = (
        code.let(f"urem i64 %group, {gx}"),
        code.let(f"urem i64 {rest}, {gy}"),
        code.let(f"udiv i64 {rest}, {gy}"),
    )
    sizes = []
    for dim, here in enumerate(position):
        nominal, items = warp.slot(GROUP_SIZE[dim]), warp.slot(ITEMS[dim])
        left = code.let(f"sub i64 {items}, {code.let(f'mul i64 {here}, {nominal}')}")
        sizes.append(code.intrinsic("llvm.umin", "i64", f"i64 {left}", f"i64 {nominal}"))
        warp.set_header(Header(Header.GROUP_X + dim), here)
        warp.set_header(Header(Header.SIZE_X + dim), sizes[dim])
    warp.set_header(Header.GROUP, "%group")
    warp.set_header(Header.WARP, "%index")
    warp.set_header(Header.CLOCK, "0")
    code.zero(warp.place("%warp", HEADER_BYTES), code.let(f"sub i64 %total, {HEADER_BYTES}"))
    code.zero(warp.pointer(warp.header(Header.PRIVATE_MEMORY)), "%private")
    code.branch(code.let("icmp eq i64 %index, 0"), "first", "others")
    code.block("first")
    code.zero(warp.pointer(warp.header(Header.GROUP_MEMORY)), "%shared")
    code.jump("others")
    code.block("others")
    lanes = _lanes(warp, sizes)
    if dimensions:
        _local_ids(warp, sizes, dimensions)
    code.ret("i64", lanes)
    module.define("start", warp.text(f"define i64 @start({START})"))
    return str(module)


def _lanes(warp: WarpCode, sizes: list[str]) -> str:
    """Return the lanes of the warp that are work-items."""
    code = warp.code
    items = code.let(f"mul i64 {code.let(f'mul i64 {sizes[0]}, {sizes[1]}')}, {sizes[2]}")
    first = code.let(f"mul i64 %index, {warp.width}")
    left = code.intrinsic("llvm.usub.sat", "i64", f"i64 {items}", f"i64 {first}")
    count = code.intrinsic("llvm.umin", "i64", f"i64 {left}", f"i64 {warp.width}")
    # A shift by 64 is undefined, and its result is not used.
    ones = code.let(f"lshr i64 -1, {code.let(f'sub i64 64, {count}')}")
    return code.let(f"select i1 {code.let(f'icmp eq i64 {count}, 0')}, i64 0, i64 {ones}")


def _local_ids(warp: WarpCode, sizes: list[str], dimensions: int) -> None:
    """Fill in the rows of workitemid, without a division where the warp lies in the first row."""
    code = warp.code

    def over(row: Row, a: Chunks, b: Chunks) -> Chunks:
        return [alu.emit(code, row, (), pair, warp.n) for pair in zip(a, b, strict=True)]

    def store(ids: Sequence[Chunks]) -> None:
        row_bytes = max(LINE, 4 * warp.n * warp.k)
        for dim, chunks in enumerate(ids[:dimensions]):
            warp.store_row(warp.place(at, dim * row_bytes), 32, chunks)

    at = warp.place("%warp", "%ids")
    first = code.let(f"mul i64 %index, {warp.width}")
    flat = warp.each("add", 32, warp.spread(32, warp.narrow(first)), warp.steps(32))
    in_row = code.let(f"icmp ule i64 {code.let(f'add i64 {first}, {warp.width}')}, {sizes[0]}")
    code.branch(in_row, "row", "rows")
    code.block("row")
    zeros = warp.spread(32, "0")
    store((flat, zeros, zeros))
    code.jump("done")
    code.block("rows")
    x, y = (warp.spread(32, warp.narrow(s)) for s in sizes[:2])
    divide, remainder = BY_NAME["div_u32"], BY_NAME["rem_u32"]
    rows = over(divide, flat, x)
    store((over(remainder, flat, x), over(remainder, rows, y), over(divide, rows, y)))
    code.jump("done")
    code.block("done")

"""Cross-lane instructions in segments: among the lanes of the mask, which issue together."""

from __future__ import annotations

from collections.abc import Callable

from ....isa.table import Row
from ..llvm.text import integer
from ..llvm.vectors import Chunks
from .warp_code import WarpCode


def _rank(warp: WarpCode, row: Row, sources: list[Chunks]) -> Chunks:
    """Return the number of running lanes below each lane."""
    code, wide = warp.code, integer(64, warp.n)
    found = []
    for j, running in enumerate(warp.spread(64, "%mask")):
        lanes = range(j * warp.n, (j + 1) * warp.n)
        below = ", ".join(f"i64 {(1 << lane) - 1}" for lane in lanes)
        lower = code.let(f"and {wide} {running}, <{below}>")
        count = code.intrinsic("llvm.ctpop", wide, f"{wide} {lower}")
        found.append(code.let(f"trunc {wide} {count} to {integer(32, warp.n)}"))
    return found


def _ballot(warp: WarpCode, sources: list[Chunks]) -> str:
    """Return the running lanes where the source is true, i64."""
    return warp.code.let(f"and i64 {warp.word(sources[0])}, %mask")


def _count(warp: WarpCode, row: Row, sources: list[Chunks]) -> Chunks:
    count = warp.code.intrinsic("llvm.ctpop", "i64", f"i64 {_ballot(warp, sources)}")
    return warp.spread(32, warp.narrow(count))


def _mask(warp: WarpCode, row: Row, sources: list[Chunks]) -> Chunks:
    return warp.spread(64, _ballot(warp, sources))


def _any(warp: WarpCode, row: Row, sources: list[Chunks]) -> Chunks:
    return warp.spread(1, warp.code.let(f"icmp ne i64 {_ballot(warp, sources)}, 0"))


def _all(warp: WarpCode, row: Row, sources: list[Chunks]) -> Chunks:
    return warp.spread(1, warp.code.let(f"icmp eq i64 {_ballot(warp, sources)}, %mask"))


def _permute(warp: WarpCode, row: Row, sources: list[Chunks]) -> Chunks:
    """Return another lane's value through memory, where lanes that do not run have 0."""
    code, n = warp.code, warp.n
    assert row.type is not None
    bits = row.type.reg.bits
    t, index_type, flag = integer(bits, n), integer(32, n), integer(1, n)
    values, indices = sources
    cells = warp.cells(bits)
    shown = [
        code.let(f"select {flag} {mask}, {t} {value}, {t} zeroinitializer")
        for mask, value in zip(warp.mask, values, strict=True)
    ]
    warp.store_row(cells, bits, shown)
    found = []
    for index in indices:
        lane = code.let(f"urem {index_type} {index}, splat (i32 {warp.width})")
        places = code.let(f"getelementptr i{bits}, ptr {cells}, {index_type} {lane}")
        found.append(warp.gather(bits, places, "splat (i1 true)", "poison"))
    return found


CROSS_LANE: dict[str, Callable[[WarpCode, Row, list[Chunks]], Chunks]] = {
    "activelaneid": _rank,
    "activelanecount": _count,
    "activelanemask": _mask,
    "activelaneany": _any,
    "activelaneall": _all,
    "activelanepermute": _permute,
}
"""By stem: what the lanes get, from the operands of the sources."""

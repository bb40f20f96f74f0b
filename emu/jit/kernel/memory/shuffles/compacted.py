"""Stores of lanes whose places are side by side, if other lanes do not run (AVX-512).

The data of the lanes that run are put next to each other in a register and stored as one part of a
vector. The store that does both in one takes hundreds of cycles on some CPUs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....llvm.text import integer
from ....llvm.toolchain import host_has
from ...lane_code import LaneCode
from ..moves import Moves
from ..site import Site

_NEEDS = {8: "avx512vbmi2", 16: "avx512vbmi2", 32: "avx512f"}
"""What packs elements of some bits."""


def packs(bits: int, n: int) -> bool:
    """Return whether the host packs n elements of some bits in a register."""
    if bits not in _NEEDS or not all(map(host_has, (_NEEDS[bits], "avx512f", "avx512bw"))):
        return False
    return n == 16 or (n == 8 and bits > 8 and host_has("avx512vl"))


class Compacted:
    """Emits stores to places that mostly follow each other from running lane to running lane."""

    def __init__(self, lanes: LaneCode, moves: Moves) -> None:
        self.lanes = lanes
        self.moves = moves

    def store(
        self,
        site: Site,
        data: Sequence[str],
        host: str,
        indices: Sequence[str],
        outside: Sequence[str],
        others: Callable[[], object],
    ) -> None:
        """Store elements at 32-bit indices from a ptr on; `others` stores them to any places.

        It also does so if running lanes are `outside` of the buffer.
        """
        lanes, code, bits = self.lanes, self.lanes.code, site.type.bits
        v, masks, firsts, wrong = integer(32, lanes.n), [], [], []
        steps = lanes.steps(32)[0]
        for index, running in zip(indices, lanes.mask, strict=True):
            packed = self._packed(32, index, running)
            first = code.let(f"extractelement {v} {packed}, i32 0")
            following = code.let(f"add {v} {lanes.chunk_of(32, first)}, {steps}")
            mask = self._first_lanes(running)
            differs = code.let(f"icmp ne {v} {packed}, {following}")
            wrong.append(code.let(f"and {lanes.mask_type} {differs}, {mask}"))
            firsts.append(first)
            masks.append(mask)
        if not site.is_inside:
            wrong += lanes.combine("and", outside, lanes.mask)
        apart, together, after = (code.fresh_label("k") for _ in range(3))
        code.branch(lanes.any(wrong), apart, together)
        known = dict(lanes.local)
        code.block(together)
        for chunk, running, first, mask in zip(data, lanes.mask, firsts, masks, strict=True):
            place = code.let(f"getelementptr i{bits}, ptr {host}, i32 {first}")
            packed = self._packed(bits, chunk, running)
            self.moves.store_masked(lanes, site.type, packed, place, mask)
        code.jump(after)
        code.block(apart)
        others()
        code.jump(after)
        code.block(after)
        lanes.local = known

    def _packed(self, bits: int, chunk: str, running: str) -> str:
        """Return the elements of running lanes side by side, and zeros after them."""
        lanes, t = self.lanes, integer(bits, self.lanes.n)
        name = f"llvm.x86.avx512.mask.compress.v{lanes.n}i{bits}"
        given = f"{t} {chunk}", f"{t} zeroinitializer", f"{lanes.mask_type} {running}"
        return lanes.code.call(t, name, *given)

    def _first_lanes(self, running: str) -> str:
        """Return a mask of as many lanes as run, the first ones."""
        lanes, code, n = self.lanes, self.lanes.code, self.lanes.n
        bits = code.let(f"bitcast {lanes.mask_type} {running} to i{n}")
        wide = code.let(f"zext i{n} {bits} to i32")
        count = code.call("i32", "llvm.ctpop.i32", f"i32 {wide}")
        above = code.let(f"shl i32 -1, {count}")
        first = code.let(f"trunc i32 {code.let(f'xor i32 {above}, -1')} to i{n}")
        return code.let(f"bitcast i{n} {first} to {lanes.mask_type}")

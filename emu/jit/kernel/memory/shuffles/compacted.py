"""Stores of lanes whose places are side by side, if other lanes do not run (AVX-512).

The data of the lanes that run are put next to each other in a register and stored as one part of a
vector. The store that does both in one takes hundreds of cycles on some CPUs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .....analysis.group_memory.forwarded import Rank as FlagRank
from .....analysis.lanes.compaction import Rank
from .....analysis.values.ssa import Const, Op, Value
from ....llvm.parts import mask_of_bits
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


@dataclass(frozen=True)
class Places:
    """Places that may be side by side."""

    firsts: Sequence[str]
    """The index of the first running lane of each vector, an i32."""
    good: str
    """Whether all are, and inside, an i1."""


class Compacted:
    """Emits stores to places that mostly follow each other from running lane to running lane."""

    def __init__(self, lanes: LaneCode, moves: Moves) -> None:
        self.lanes = lanes
        self.moves = moves

    def places(self, indices: Sequence[str], outside: Sequence[str]) -> Places:
        """Return where the vectors of 32-bit indices begin, and whether they are side by side.

        They do not count as such if running lanes are `outside` of the buffer.
        """
        lanes, code = self.lanes, self.lanes.code
        v, steps = integer(32, lanes.n), lanes.steps(32)[0]
        firsts, wrong = [], lanes.combine("and", outside, lanes.mask[: len(outside)])
        for index, running in zip(indices, lanes.mask, strict=True):
            packed = self._packed(32, index, running)
            first = code.let(f"extractelement {v} {packed}, i32 0")
            following = code.let(f"add {v} {lanes.chunk_of(32, first)}, {steps}")
            differs = code.let(f"icmp ne {v} {packed}, {following}")
            mask = self._first_lanes(running)
            wrong.append(code.let(f"and {lanes.mask_type} {differs}, {mask}"))
            firsts.append(first)
        return Places(firsts, code.let(f"xor i1 {lanes.any(wrong)}, true"))

    def counted(self, rank: Rank, count: str) -> Places:
        """Return the same for indices that count lanes, of which `count` (an i64) are inside.

        They are side by side if the lanes that are counted are those that run.
        """
        lanes, code = self.lanes, self.lanes.code
        start, word, t = lanes.scalar(rank.start), lanes.word(lanes.mask), lanes.word_type
        firsts = [start]
        for chunk in range(1, lanes.k):
            below = code.let(f"and {t} {word}, {(1 << lanes.n * chunk) - 1}")
            number = code.intrinsic("llvm.ctpop", t, f"{t} {below}")
            firsts.append(code.let(f"add i32 {start}, {code.let(f'trunc {t} {number} to i32')}"))
        total = code.intrinsic("llvm.ctpop", t, f"{t} {word}")
        end = code.let(f"add i64 {code.let(f'zext i32 {start} to i64')}, {total}")
        good = code.let(f"icmp ule i64 {end}, {count}")
        if rank.ballot is not None:
            same = code.let(f"icmp eq {t} {lanes.scalar(rank.ballot)}, {word}")
            good = code.let(f"and i1 {good}, {same}")
        return Places(firsts, good)

    def counts_flags(self, index: Value, store: Op) -> bool:
        """Return whether an index is a uniform sum and a count of flags."""
        lanes = self.lanes
        return _ranked(index, store, lanes.ranks.found, lanes.shapes.is_uniform) is not None

    def by_flags(self, index: Value, store: Op, count: str) -> Places | None:
        """Return the same for an index that is a uniform sum and a count of flags; None if not one.

        Other nodes need not keep what the index is calculated from.
        """
        lanes, code = self.lanes, self.lanes.code
        found = _ranked(index, store, lanes.ranks.found, lanes.shapes.is_uniform)
        if found is None:
            return None
        rank, terms = found
        start = str(int(rank.inclusive))
        for stem, value in terms:
            start = code.let(f"{stem} i32 {start}, {lanes.scalar(value)}")
        flags = lanes.ranks.lanes(rank, lanes.k)
        *firsts, total = lanes.ranks.counts(flags)
        differ = [
            code.let(f"xor {lanes.mask_type} {a}, {b}")
            for a, b in zip(flags, lanes.mask, strict=True)
        ]
        end = f"{code.let(f'zext i32 {start} to i64')}, {code.let(f'zext i32 {total} to i64')}"
        inside = code.let(f"icmp ule i64 {code.let(f'add i64 {end}')}, {count}")
        same = code.let(f"xor i1 {lanes.any(differ)}, true")
        firsts = [code.let(f"add i32 {start}, {first}") for first in firsts]
        return Places(firsts, code.let(f"and i1 {inside}, {same}"))

    def store(
        self,
        site: Site,
        data: Sequence[str],
        host: str,
        places: Places,
        others: Callable[[], object],
    ) -> None:
        """Store elements at places from a ptr on; `others` stores them to any places."""
        lanes, code, bits = self.lanes, self.lanes.code, site.type.bits
        apart, together, after = (code.fresh_label("k") for _ in range(3))
        code.branch(places.good, together, apart)
        known = dict(lanes.local)
        code.block(together)
        for chunk, running, first in zip(data, lanes.mask, places.firsts, strict=True):
            place = code.let(f"getelementptr i{bits}, ptr {host}, i32 {first}")
            packed = self._packed(bits, chunk, running)
            mask = self._first_lanes(running)
            self.moves.store_masked(lanes, site.type, packed, place, mask)
        code.jump(after)
        lanes.local = dict(known)
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
        return mask_of_bits(code, n, first)


def _ranked(
    index: Value,
    store: Op,
    ranks: Mapping[Value, FlagRank],
    is_uniform: Callable[[Value], bool],
) -> tuple[FlagRank, list[tuple[str, Value]]] | None:
    """Return the rank that is a term of an index, and the others, which are added or subtracted."""
    found: FlagRank | None = None
    terms: list[tuple[str, Value]] = []
    work = [("add", index)]
    while work:
        stem, value = work.pop()
        if isinstance(value, Const) or is_uniform(value):
            terms.append((stem, value))
        elif value in ranks and found is None and stem == "add":
            found = ranks[value]
        elif (
            isinstance(value, Op)
            and value.node == store.node
            and value.ins.row.name in ("add_u32", "add_s32", "sub_u32", "sub_s32")
        ):
            a, b = value.args
            opposite = {"add": "sub", "sub": "add"}[stem]
            work += [(stem, a), (stem if value.ins.row.stem == "add" else opposite, b)]
        else:
            return None
    return None if found is None else (found, terms)

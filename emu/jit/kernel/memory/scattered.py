"""Gathers and scatters of global memory: a place for each lane.

The fast side is taken where the places of all running lanes are inside the buffer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ....analysis.lanes.compaction import compactions, rank_in
from ....analysis.values.ssa import Op, Value
from ...arithmetic.widths import element_number
from ...llvm.text import integer
from ..lane_code import LaneCode
from .addressing.addresses import Addresses
from .addressing.forms import Form
from .cold import Cold, Targets
from .moves import WORD, Moves
from .shuffles.compacted import Compacted, packs
from .site import Site

LARGEST_TABLE = 1 << 20
"""The highest index of a range that is compared with a buffer's size before the lanes' are."""


@dataclass(frozen=True)
class Spots:
    """Places of all lanes in a buffer."""

    outside: list[str]
    """Which lanes' places are not inside, masks."""
    chunks: list[str]
    """Numbers of `bits` that count `unit` bytes from `host` on."""
    bits: int
    unit: int
    host: Callable[[], str]


class Scattered:
    """Emits accesses whose places differ from lane to lane in no known way."""

    def __init__(self, lanes: LaneCode, moves: Moves, cold: Cold, addresses: Addresses) -> None:
        self.lanes = lanes
        self.moves = moves
        self.cold = cold
        self.addresses = addresses
        self._compacted = Compacted(lanes, moves)
        self._compactions: frozenset[Op] | None = None

    def indexed(
        self,
        site: Site,
        form: Form,
        offset: str,
        count: str | None = None,
        more: Value | None = None,
        highest: int | None = None,
        before: int = 0,
        running: Callable[[str], list[str]] | None = None,
    ) -> list[str]:
        """Access by 32-bit indices; `count` of them (an i64, if known) from `before` on are inside.

        `more` is added to each; a sum that wraps around is outside. No index is above a `highest`
        one: if that is inside, the lanes are not tested. `running` accesses what running lanes
        have, all of which is inside, by the host address of index 0, if not by each lane's place.
        """
        lanes, code = self.lanes, self.lanes.code
        assert form.index is not None
        v, chunks = integer(32, lanes.n), lanes.vector_again(form.index)
        takes_words = self._takes_words(site, form)
        if count is None or takes_words:
            count = self.addresses.count_inside(
                offset, site.size, form.scale, site.window, before=before, in_words=takes_words
            )
        terms = [chunks] if more is None else [chunks, lanes.vector(more)]
        if more is not None:
            pairs = zip(*terms, strict=True)
            chunks = [code.let(f"add {v} {a}, {b}") for a, b in pairs]
        outside = self.addresses.outside(chunks, count, before)
        if more is not None:
            wrapped = [
                code.let(f"icmp ult {v} {c}, {a}") for c, a in zip(chunks, terms[0], strict=True)
            ]
            outside = lanes.combine("or", outside, wrapped)

        def places(indices: Sequence[str]) -> list[str]:
            host = self.addresses.host(site.window, offset)
            return self.addresses.hosts(host, form, indices)

        def cold() -> Targets:
            base = site.address(code, offset)
            if more is None:
                return Targets(base, form.scale, chunks, 32, form.signed)
            wide = integer(64, lanes.n)
            a, b = ([code.let(f"zext {v} {c} to {wide}") for c in term] for term in terms)
            sums = [code.let(f"add {wide} {x}, {y}") for x, y in zip(a, b, strict=True)]
            return Targets(base, form.scale, sums, 64)

        surely = None
        if highest is not None and highest < LARGEST_TABLE and not (site.is_inside or before):
            surely = code.let(f"icmp ugt i64 {count}, {highest}")
        if running is not None:
            here, fast = self.addresses.host(site.window, offset), running
            return self._either(site, outside, lambda: fast(here), cold, surely=surely)
        if not takes_words:

            def each() -> list[str]:
                return self._either(
                    site,
                    outside,
                    lambda: self.moves.access_each(site.op, site.type, places(chunks)),
                    cold,
                    surely=surely,
                )

            if more is not None or not self.is_compaction(site, form):
                return each()
            host = self.addresses.host(site.window, offset)
            data = self.moves.store_data(site.op, site.type)
            rank = rank_in(form.index, site.op, lanes.shapes.is_uniform)
            flags = None if before else self._compacted.by_flags(form.index, site.op, count)
            if flags is not None:
                found = flags
            elif rank is not None and not before and lanes.word_type == "i64":
                found = self._compacted.counted(rank, count)
            elif not lanes.facts.slow_gathers:
                return each()
            else:
                found = self._compacted.places(chunks, [] if site.is_inside else outside)
            self._compacted.store(site, data, host, found, each)
            return []

        def words() -> list[str]:
            host = self.addresses.host(site.window, offset)
            return self._words(site, host, chunks, 32, site.size)

        return self._either(site, outside, words, cold, surely)

    def spots(self, site: Site, form: Form | None) -> Spots:
        """Return the places of an access, by 32-bit indices if its address has one."""
        lanes, op = self.lanes, site.op
        if form is None or form.index is None or not steps_by_elements(form, site.size):
            offsets, outside = self._offsets(site)
            return Spots(outside, offsets, 64, 1, lambda: site.window.host)
        form = form.plus_constant(op.address.offset)
        offset, before = self.addresses.distance(form, site.window), self.addresses.before(form)
        count = self.addresses.count_inside(
            offset, site.size, form.scale, site.window, before=before
        )
        assert form.index is not None
        chunks = lanes.vector(form.index)
        outside = self.addresses.outside(chunks, count, before)
        return Spots(
            outside, chunks, 32, form.scale, lambda: self.addresses.host(site.window, offset)
        )

    def ahead(
        self, site: Site, form: Form | None, elements: int
    ) -> tuple[str, Callable[[], list[str]]]:
        """Return whether so many elements from each running lane's place on are inside, an i1.

        The other result loads the words that begin with them.
        """
        lanes, addresses = self.lanes, self.addresses
        if form is None:
            offsets, outside = self._offsets(site, elements=elements)
            chunks, bits, unit, offset = offsets, 64, 1, "0"
        else:
            assert form.index is not None
            offset, before = addresses.distance(form, site.window), addresses.before(form)
            count = addresses.count_inside(
                offset, site.size, form.scale, site.window, elements, before
            )
            chunks, bits, unit = lanes.vector(form.index), 32, form.scale
            outside = addresses.outside(chunks, count, before)

        def words() -> list[str]:
            host = addresses.host(site.window, offset)
            places = lanes.places(host, unit, chunks, bits)
            return [
                lanes.gather(WORD, place, mask, "zeroinitializer", site.size)
                for place, mask in zip(places, lanes.mask, strict=True)
            ]

        return self._all_inside(outside), words

    def _offsets(
        self, site: Site, *, in_words: bool = False, elements: int = 1
    ) -> tuple[list[str], list[str]]:
        """Return the offsets of 64-bit addresses into the buffer, and which are not inside.

        All of `elements` must be so. With `in_words`, elements whose words are not in the buffer's
        pages count as outside.
        """
        lanes, code = self.lanes, self.lanes.code
        assert site.op.base is not None
        step, v = site.op.address.offset, integer(64, lanes.n)
        start = lanes.chunk_of(64, code.let(f"sub i64 {site.window.base}, {step}"))
        bytes_ = site.size * elements
        total = self.addresses.places(site.window, bytes_, site.size, in_words=in_words)
        limit = lanes.chunk_of(64, total)
        offsets = [code.let(f"sub {v} {a}, {start}") for a in lanes.vector(site.op.base)]
        outside = []
        for offset in offsets:
            number = element_number(code, offset, site.size, lanes.n)
            outside.append(code.let(f"icmp uge {v} {number}, {limit}"))
        return offsets, outside

    def pointers(self, site: Site) -> list[str]:
        """Access a 64-bit address per lane: gather or scatter."""
        lanes, code = self.lanes, self.lanes.code
        assert site.op.base is not None
        step, v = site.op.address.offset, integer(64, lanes.n)
        pointers = lanes.vector(site.op.base)
        takes_words = self._takes_words(site)
        offsets, outside = self._offsets(site, in_words=takes_words)

        def places(offsets: Sequence[str]) -> list[str]:
            host = site.window.host
            return [code.let(f"getelementptr i8, ptr {host}, {v} {o}") for o in offsets]

        def cold() -> Targets:
            return Targets(str(step), 1, pointers, 64)

        if not takes_words:
            return self._either(
                site,
                outside,
                lambda: self.moves.access_each(site.op, site.type, places(offsets)),
                cold,
            )

        def words() -> list[str]:
            return self._words(site, site.window.host, offsets, 64, 1)

        return self._either(site, outside, words, cold)

    # --- small elements out of words

    def _takes_words(self, site: Site, form: Form | None = None) -> bool:
        """Return whether a load gathers the words in which its elements are.

        By the index of a `form`, it does where that counts elements.
        """
        steps = form is None or form.scale == site.size
        is_load = site.is_load and not site.is_inside
        return is_load and steps and self.moves.gathers_words(site.type)

    def _words(
        self, site: Site, host: str, places: Sequence[str], bits: int, unit: int
    ) -> list[str]:
        """Load the words that elements are in, and return the elements as registers.

        Places from `host` on are integers of some `bits` that count units of some bytes.
        """
        lanes, code = self.lanes, self.lanes.code
        found = site.window.words_of(lanes.entry, site.size)
        start = code.let(f"getelementptr i8, ptr {host}, i64 {found.start}")
        shift = lanes.chunk_of(WORD, found.shift)
        return self.moves.load_words(
            site.type, lanes.places(start, unit, places, bits), [shift] * len(places)
        )

    # --- both sides

    def is_compaction(self, site: Site, form: Form) -> bool:
        """Return whether a store puts what some lanes have found side by side."""
        if (
            site.is_load
            or form.index is None
            or form.scale != site.size
            or not packs(site.type.bits, self.lanes.n)
        ):
            return False
        if self._compactions is None:
            self._compactions = compactions(self.lanes.ssa)
        return site.op in self._compactions and (
            self.lanes.facts.slow_gathers
            or rank_in(form.index, site.op, self.lanes.shapes.is_uniform) is not None
            or self._compacted.counts_flags(form.index, site.op)
        )

    def _either(
        self,
        site: Site,
        outside: Sequence[str],
        fast: Callable[[], list[str]],
        targets: Callable[[], Targets],
        surely: str | None = None,
    ) -> list[str]:
        """Take the fast way unless a running lane is outside; return what was loaded.

        Where `surely` (an i1) holds, no lane is outside.
        """
        lanes, moves, code = self.lanes, self.moves, self.lanes.code
        if site.is_inside:
            return fast()
        if surely is None:
            inside = self._all_inside(outside)
        else:
            before, test, tested = code.current_block, code.fresh_label("t"), code.fresh_label("t")
            code.branch(surely, tested, test)
            code.block(test)
            inside, after = self._all_inside(outside), code.current_block
            code.jump(tested)
            code.block(tested)
            inside = code.phi("i1", ("true", before), (inside, after))
        return moves.either(
            inside,
            fast,
            lambda: self.cold.move(site.op, site.type, targets()),
            site.op.cls,
            lanes.n,
        )

    def _all_inside(self, outside: Sequence[str]) -> str:
        """Return whether no running lane is outside, an i1."""
        lanes = self.lanes
        beyond = lanes.any(lanes.combine("and", outside, lanes.mask))
        return lanes.code.let(f"xor i1 {beyond}, true")


def steps_by_elements(form: Form, size: int) -> bool:
    """Return whether an index counts some number of elements.

    A number of bytes is a power of two: their places may need all of 32 bits.
    """
    return form.scale > 0 and form.scale % size == 0 and (size > 1 or form.scale.bit_count() == 1)

"""Accesses of global memory by an index or pointer of each lane: near each other, or anywhere.

What lies near each other at run time, or in a small table, takes wide accesses and permutations;
all else is gathered or scattered.
"""

from __future__ import annotations

from collections.abc import Callable

from ....analysis.ranges.offset_ranges import Ranges
from ....analysis.values.ssa import Value
from ...llvm.text import integer
from ..lane_code import LaneCode
from ..row_quotients import Rows, is_row_number
from .addressing.addresses import Addresses
from .addressing.forms import Form
from .addressing.near import (
    LIMITS,
    TABLE,
    has_permutes,
    is_computed,
    is_sampled,
    is_shuffled,
    near_of,
    permuted,
)
from .addressing.two_indices import of_two_indices
from .cold import Cold
from .moves import WORD, Moves
from .scattered import Scattered, steps_by_elements
from .shuffles import tables
from .shuffles.stepped import LARGEST, Stepped, stepped_of
from .site import Site


class ByIndex:
    """Emits the accesses of lanes that each have a place of their own."""

    def __init__(
        self,
        lanes: LaneCode,
        moves: Moves,
        cold: Cold,
        addresses: Addresses,
        ranges: Ranges,
        wide: Callable[[Site, str], list[str]],
    ) -> None:
        """`wide` makes a wide access at a host address, a ptr."""
        self.lanes = lanes
        self.moves = moves
        self.addresses = addresses
        self._scattered = Scattered(lanes, moves, cold, addresses)
        self._ranges = ranges
        self._wide = wide

    def any_place(self, site: Site) -> list[str]:
        """Access by an address that is not a sum with one index: by two of them, or as it is."""
        addresses, op = self.addresses, site.op
        assert op.base is not None
        assert op.ins.address is not None
        found = None if site.is_inside else of_two_indices(addresses, op.base)
        if found is None or not steps_by_elements(found[0], site.size):
            return self._scattered.pointers(site)
        form = found[0].plus_constant(op.ins.address.offset)
        if form.constant < 0:
            return self._scattered.pointers(site)  # indices count from inside the buffer
        offset = addresses.distance(form, site.window)
        return self._scattered.indexed(site, form, offset, more=found[1])

    def ahead(
        self, site: Site, form: Form | None, elements: int
    ) -> tuple[str, Callable[[], list[str]]]:
        """Return whether so many elements from each place on are inside, and what loads words."""
        return self._scattered.ahead(site, form, elements)

    def one_by_one(
        self, site: Site, form: Form | None, running: Callable[[str], list[str]] | None = None
    ) -> list[str]:
        """Gather or scatter, whatever the addresses.

        `running` accesses what running lanes have by the host address of index 0, if that is known.
        """
        if form is None or form.index is None or not steps_by_elements(form, site.size):
            return self._scattered.pointers(site)
        addresses = self.addresses
        offset, before = addresses.distance(form, site.window), addresses.before(form)
        return self._scattered.indexed(site, form, offset, before=before, running=running)

    def indexed(self, site: Site, form: Form) -> list[str]:
        """Access by any index: wide if those of the lanes are near each other, else one by one."""
        lanes, code, addresses = self.lanes, self.lanes.code, self.addresses
        index = form.index
        assert index is not None
        if not steps_by_elements(form, site.size):
            return self._scattered.pointers(site)
        offset, before = addresses.distance(form, site.window), addresses.before(form)
        count = addresses.count_inside(offset, site.size, form.scale, site.window, before=before)

        def each() -> list[str]:
            return self._scattered.indexed(
                site, form, offset, count, highest=highest, before=before
            )

        highest = self._ranges.of(index, site.op.node).high
        if form.scale == site.size and site.is_load and not before:
            elements = tables.elements_for(highest, site.size)
            if elements is not None:

                def table() -> list[str]:
                    host = addresses.host(site.window, offset)
                    return tables.load(lanes, site.type, host, elements, lanes.vector(index))

                has_all = code.let(f"icmp uge i64 {count}, {elements}")
                return self._either(site, has_all, table, each)
        refills = lanes.facts.refills  # lanes have any work-items, and are hardly ever neighbours
        if form.scale != site.size or refills or not is_computed(index, lanes.shapes):
            return each()
        if self._scattered.is_compaction(site, form):
            return each()
        stepped = None if before else stepped_of(lanes, index, site.size)
        if stepped is not None:
            return self._stepped(site, form, (offset, count), stepped, each)
        near = near_of(lanes, index)

        def host() -> str:
            start = addresses.plus_scaled(offset, near.first, form.scale)
            return addresses.host(site.window, start)

        def fits(elements: int | str) -> str:
            if isinstance(elements, str):
                end = code.let(f"add i64 {near.first}, {elements}")
            else:
                end = code.let(f"add i64 {near.first}, {elements - before}")
            inside = code.let(f"icmp ule i64 {end}, {count}")
            if not before:
                return inside
            begins = code.let(f"icmp uge i64 {near.first}, {before}")
            return code.let(f"and i1 {begins}, {inside}")

        def others() -> list[str]:
            if not self._may_be_near(site, index):
                return each()
            good = code.let(f"and i1 {near.within(lanes, TABLE)}, {fits(TABLE)}")

            def picked() -> list[str]:
                if site.size < WORD // 8:
                    return tables.load(lanes, site.type, host(), TABLE, near.distances)
                return permuted(lanes, host(), near)

            return self._either(site, good, picked, each)

        if site.is_load and not before and is_row_number(near.core, lanes, site.op.node):
            rows = Rows(lanes, near.core)
            has_second = code.let(f"icmp ult i32 {rows.left}, {lanes.width}")
            more = code.let(f"zext i1 {has_second} to i64")
            good = code.let(f"and i1 {rows.are_long}, {fits(code.let(f'add i64 {more}, 1'))}")
            return self._either(site, good, lambda: self._of_rows(site, rows, host(), more), each)
        good = code.let(f"and i1 {near.neighbours(lanes)}, {fits(lanes.count)}")
        return self._either(site, good, lambda: self._wide(site, host()), others)

    def _may_be_near(self, site: Site, index: Value) -> bool:
        """Return whether a load picks elements by a permutation where indices are near.

        Small elements may have an index with a limit, but no rows of their own.
        """
        shapes, size = self.lanes.shapes, site.size
        if not site.is_load:
            return False
        if size >= WORD // 8:
            has = has_permutes(size, self.lanes.n)
            shuffled = is_shuffled(index, shapes, clamps=LIMITS)
            return has and (shuffled or is_sampled(index, shapes))
        if tables.elements_for(TABLE - 1, size) is None:
            return False
        if is_shuffled(index, shapes, clamps=LIMITS):
            return True
        return is_sampled(index, shapes, one_row=True)

    def _stepped(
        self,
        site: Site,
        form: Form,
        buffer: tuple[str, str],
        stepped: Stepped,
        each: Callable[[], list[str]],
    ) -> list[str]:
        """Access words at a step that a run shows: neighbours, near each other, or anywhere.

        `buffer` has the offset of the first index, and how many indices are inside.
        """
        lanes, code, (offset, count) = self.lanes, self.lanes.code, buffer
        inside = code.let(f"icmp ult i64 {stepped.last()}, {count}")

        def host() -> str:
            start = self.addresses.plus_scaled(offset, stepped.first, form.scale)
            return self.addresses.host(site.window, start)

        def apart() -> list[str]:
            if site.is_load:
                return stepped.load(host())
            stepped.store(self.moves.store_data(site.op, site.type), host())
            return []

        def others() -> list[str]:
            good = code.let(f"and i1 {stepped.is_step(2, LARGEST)}, {inside}")
            if not site.is_load:
                absent = lanes.combine("xor", lanes.mask, ["splat (i1 true)"] * lanes.k)
                all_run = code.let(f"xor i1 {lanes.any(absent)}, true")
                good = code.let(f"and i1 {good}, {all_run}")
            return self._either(site, good, apart, each)

        good = code.let(f"and i1 {stepped.is_step(1, 1)}, {inside}")
        return self._either(site, good, lambda: self._wide(site, host()), others)

    def _of_rows(self, site: Site, rows: Rows, host: str, more: str) -> list[str]:
        """Load what the first row has at a host address, and the second, if there are `more`."""
        lanes, code, bits = self.lanes, self.lanes.code, site.op.cls.bits
        v = integer(bits, lanes.n)
        first = lanes.chunk_of(bits, self.moves.load(site.type, host))

        def both() -> list[str]:
            offset = code.let(f"mul i64 {more}, {site.size}")
            last = code.let(f"getelementptr i8, ptr {host}, i64 {offset}")
            second = lanes.chunk_of(bits, self.moves.load(site.type, last))
            return [
                code.let(f"select {lanes.mask_type} {which}, {v} {second}, {v} {first}")
                for which in rows.following()
            ]

        def one() -> list[str]:
            return [first] * lanes.k

        return self.moves.either_way(rows.are_in_one, one, both, site.op.cls, lanes.n)

    def _either(
        self, site: Site, good: str, fast: Callable[[], list[str]], slow: Callable[[], list[str]]
    ) -> list[str]:
        return self.moves.either(good, fast, slow, site.op.cls, self.lanes.n)

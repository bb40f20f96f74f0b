"""Gathers and scatters of global memory: a place for each lane.

The fast side is taken where the places of all running lanes are inside the buffer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...arithmetic.widths import element_number
from ...llvm.text import integer
from ..lane_code import LaneCode
from .addresses import Addresses
from .cold import Cold, Targets
from .forms import Form
from .moves import Moves
from .site import Site


class Scattered:
    """Emits accesses whose places differ from lane to lane in no known way."""

    def __init__(self, lanes: LaneCode, moves: Moves, cold: Cold, addresses: Addresses) -> None:
        self.lanes = lanes
        self.moves = moves
        self.cold = cold
        self.addresses = addresses

    def indexed(self, site: Site, form: Form, offset: str, count: str) -> list[str]:
        """Access by 32-bit indices of which `count` (an i64) from 0 on are inside."""
        lanes, code = self.lanes, self.lanes.code
        assert form.index is not None
        v, chunks = integer(32, lanes.n), lanes.vector(form.index)
        limit = lanes.chunk_of(32, code.let(f"trunc i64 {count} to i32"))
        outside = [code.let(f"icmp uge {v} {c}, {limit}") for c in chunks]
        cell = f"[{form.scale} x i8]"

        def places() -> list[str]:
            host = self.addresses.host(site.window, offset)
            return [code.let(f"getelementptr {cell}, ptr {host}, {v} {c}") for c in chunks]

        return self._either(
            site,
            outside,
            places,
            lambda: Targets(site.address(code, offset), form.scale, chunks, 32, form.signed),
        )

    def pointers(self, site: Site) -> list[str]:
        """Access a 64-bit address per lane: gather or scatter."""
        lanes, code = self.lanes, self.lanes.code
        assert site.op.base is not None
        assert site.op.ins.address is not None
        step, v = site.op.ins.address.offset, integer(64, lanes.n)
        pointers = lanes.vector(site.op.base)
        start = lanes.chunk_of(64, code.let(f"sub i64 {site.window.base}, {step}"))
        places = self.addresses.places(site.window, site.size, site.size)
        limit = lanes.chunk_of(64, places)
        offsets = [code.let(f"sub {v} {a}, {start}") for a in pointers]
        outside = []
        for offset in offsets:
            number = element_number(code, offset, site.size, lanes.n)
            outside.append(code.let(f"icmp uge {v} {number}, {limit}"))

        def hosts() -> list[str]:
            host = site.window.host
            return [code.let(f"getelementptr i8, ptr {host}, {v} {o}") for o in offsets]

        return self._either(site, outside, hosts, lambda: Targets(str(step), 1, pointers, 64))

    def _either(
        self,
        site: Site,
        outside: Sequence[str],
        places: Callable[[], list[str]],
        targets: Callable[[], Targets],
    ) -> list[str]:
        """Gather or scatter unless a running lane is outside; return what was loaded."""
        lanes, moves = self.lanes, self.moves

        def fast() -> list[str]:
            if site.is_load:
                return moves.load_each(site.type, places())
            moves.store_each(site.type, moves.store_data(site.op, site.type), places())
            return []

        if site.is_inside:
            return fast()
        beyond = lanes.any(lanes.combine("and", outside, lanes.mask))
        inside = lanes.code.let(f"xor i1 {beyond}, true")
        return moves.either(
            inside,
            fast,
            lambda: self.cold.move(site.op, site.type, targets()),
            site.op.cls,
            lanes.n,
        )

"""Accesses of global memory by pieces of warps: each of neighbours, or of one place."""

from __future__ import annotations

from ....analysis.ranges.offset_ranges import Ranges
from .addressing.addresses import Addresses
from .addressing.forms import Form
from .ahead import Ahead
from .by_index import ByIndex
from .moves import WORD, Moves
from .pieces.accesses import Pieces
from .pieces.places import piece_places
from .site import Site


class ByPieces:
    """Emits the accesses of pieces, and the choice between their sides."""

    def __init__(
        self,
        pieces: Pieces,
        moves: Moves,
        addresses: Addresses,
        by_index: ByIndex,
        ranges: Ranges,
    ) -> None:
        self._pieces = pieces
        self._moves = moves
        self._addresses = addresses
        self._by_index = by_index
        self._ahead = Ahead(pieces.lanes, ranges)

    def op(self, site: Site, form: Form | None, *, certain: bool, leaves: bool) -> bool:
        """Access one place or neighbours for each piece of the warp, if the address is so.

        `certain`: a test before a loop has shown that all is inside. `leaves`: the last lanes of
        the loop may be at the end of an array.
        """
        op, lanes, pieces, addresses = site.op, self._pieces.lanes, self._pieces, self._addresses
        places = piece_places(pieces, addresses, site, form, apart=certain)
        if places is None:
            return False
        offsets, step, whole = places.offsets, places.step, places.whole
        good = places.inside(pieces, addresses, site)

        def hosts() -> list[str]:
            return [addresses.host(site.window, offset) for offset in offsets]

        def fast() -> list[str]:
            begins = hosts()
            if step:
                self._ahead.fetch(op, begins, site.size * lanes.pieces.n)
            if site.is_load:
                return pieces.load(site.type, begins, step, whole)
            pieces.store(op, site.type, begins, step, whole)
            return []

        def running(host: str) -> list[str]:
            assert form is not None
            assert form.index is not None
            return pieces.access_running(op, site.type, host, form.index)

        def slow() -> list[str]:
            may_end = step and site.type.bits >= WORD and leaves
            return self._by_index.one_by_one(site, form, running if may_end else None)

        is_certain = site.is_inside or certain
        if lanes.is_pieced(op) and site.is_load:

            def scalars() -> list[str]:
                return pieces.load_scalars(site.type, hosts())

            def firsts() -> list[str]:
                return pieces.firsts_of(op.cls.bits, slow())

            found = (
                scalars() if is_certain else self._moves.either(good, scalars, firsts, op.cls, 0)
            )
            pieces.define_scalars(op, site.type, found)
            return True
        loaded = fast() if is_certain else self._moves.either(good, fast, slow, op.cls, lanes.n)
        if site.is_load:
            lanes.define(op, "value", loaded)
        return True

"""Where the pieces of a warp access global memory, if each is of neighbours or of one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....arithmetic.widths import element_number
from ..addressing.addresses import Addresses
from ..addressing.forms import Form
from ..site import Site
from .accesses import Pieces
from .rows import piece_rows, whole_chunks


@dataclass(frozen=True)
class PiecePlaces:
    """The places of an access."""

    step: int
    """Bytes from lane to lane within a piece; 0 for one place."""
    offsets: Sequence[str]
    """Where in the buffer each piece begins, as i64."""
    tested: Sequence[str]
    """Offsets such that all are inside if these are."""
    fits: Sequence[str]
    """Whether indices do not wrap around within pieces, as i1."""
    whole: frozenset[int] = frozenset()
    """The chunks whose pieces are neighbours of each other."""

    def inside(self, pieces: Pieces, addresses: Addresses, site: Site) -> str:
        """Return whether all that is accessed lies in the buffer, an i1."""
        lanes, code, size = pieces.lanes, pieces.lanes.code, site.size
        bytes_ = size * (lanes.pieces.n if self.step else 1)
        places = addresses.places(site.window, bytes_, size)
        inside = [
            code.let(f"icmp ult i64 {element_number(code, offset, size, 0)}, {places}")
            for offset in self.tested
        ]
        return code.all_of(*inside, *self.fits)


def piece_places(
    pieces: Pieces, addresses: Addresses, site: Site, form: Form | None, *, apart: bool
) -> PiecePlaces | None:
    """Return the places of an access; None if it is not of neighbours or one place in each piece.

    `apart`: the pieces are tested one by one, before a loop.
    """
    if form is not None and form.index is not None:
        return _by_index(pieces, addresses, site, form, apart=apart)
    op, code = site.op, pieces.lanes.code
    assert op.base is not None
    step = pieces.step(op, op.base)
    if step is None:
        return None
    moved = code.let(f"sub i64 {op.address.offset}, {site.window.base}")
    offsets = [code.let(f"add i64 {first}, {moved}") for first in pieces.lanes.firsts(op.base)]
    return PiecePlaces(step, offsets, offsets, ())


def _by_index(
    pieces: Pieces, addresses: Addresses, site: Site, form: Form, *, apart: bool
) -> PiecePlaces | None:
    lanes, code, index = pieces.lanes, pieces.lanes.code, form.index
    assert index is not None
    step = pieces.step(site.op, index, form.scale)
    if step is None:
        return None
    stride = lanes.shapes.piece_stride(index) or 0
    distance = addresses.distance(form, site.window)
    more = stride * (lanes.pieces.n - 1)
    rows = None
    if not apart:
        rows = piece_rows(lanes, index, form.scale, site.size, signed=form.signed)
    if rows is not None:
        offsets = rows.offsets(distance, form.scale)
        ends = (rows.lowest, rows.highest)
        tested = [addresses.plus_scaled(distance, n, form.scale) for n in ends]
        fits = rows.fits(signed=form.signed, more=more)
        return PiecePlaces(step, offsets, tested, fits, whole_chunks(lanes, index, stride))
    how = "sext" if form.signed else "zext"
    numbers = [code.let(f"{how} i32 {first} to i64") for first in lanes.firsts(index)]
    known = {n: addresses.plus_scaled(distance, n, form.scale) for n in numbers}
    offsets = [known[n] for n in numbers]
    fits = []
    if step:
        last = (1 << (31 if form.signed else 32)) - 1 - more
        fits = [code.let(f"icmp sle i64 {number}, {last}") for number in numbers]
    return PiecePlaces(step, offsets, offsets, fits)

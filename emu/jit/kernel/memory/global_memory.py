"""Loads and stores of global memory.

The fast side of an access is one wide load or store, a scalar one, or a gather or scatter, after
one test that all its bytes lie in the buffer of the pointer parameter that the address is made of.
An access that fails the test takes the cold side: pointers that leave their buffer for another one
are legal, and faults are reported exactly. Only that side computes all addresses of a warp; the
fast one has a scalar, and 32-bit indices where lanes diverge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ....analysis.values.ssa import Op
from ...arithmetic.widths import extended
from ...llvm.text import integer
from ..lane_code import LaneCode
from .addressing.addresses import Addresses
from .addressing.forms import Form
from .addressing.windows import Place
from .ahead import FarStores
from .by_index import ByIndex
from .by_pieces import ByPieces
from .cold import Cold, Targets
from .idle_lanes import Fall, in_running_lanes, is_shared_by_rows
from .kernel_memory import KernelMemory
from .moves import Moves
from .one_lane import conditional
from .pieces.accesses import Pieces
from .records.access import RecordAccess
from .records.row_accesses import RowAccesses
from .records.row_words import RowWords
from .repeated import NOTHING, Repeated
from .shuffles.columns import ColumnAccess, Columns, columns_of
from .shuffles.shared_rows import SharedRows
from .site import Site
from .tiles.runs import Runs

if TYPE_CHECKING:
    from ..loops.carried import Carried


class GlobalMemory:
    """Emits the loads and stores of global memory of one kernel."""

    def __init__(
        self, lanes: LaneCode, moves: Moves, cold: Cold, pieces: Pieces, memory: KernelMemory
    ) -> None:
        self.lanes = lanes
        self.moves = moves
        self.cold = cold
        self.pieces = pieces
        self.addresses = Addresses(lanes, memory.params, memory.before)
        self.rows = RowAccesses(lanes, moves, cold, pieces)
        self._for_running, self._signed = memory.for_running, memory.signed
        self.runs = Runs(lanes, memory)
        self._far_stores = FarStores(lanes)
        self._shared = SharedRows(lanes, self.addresses)
        self._words = RowWords(lanes, moves)
        self._by_index = ByIndex(lanes, moves, cold, self.addresses, memory.ranges, self._wide)
        self._by_pieces = ByPieces(pieces, moves, self.addresses, self._by_index, memory.ranges)
        self._records = RecordAccess(lanes, moves, self.addresses, self._access)
        self.certain: frozenset[Op] = frozenset()
        """Accesses of one place, or of neighbours, that a test before a loop shows to be inside."""
        self.carried: Mapping[Op, Carried] = {}
        """Stores whose value stays in registers until the next iteration loads it."""
        self.condition: str | None = None
        """Whether stores of one lane are made, an i1; None: they are."""
        self.inside: frozenset[Op] = frozenset()
        """Accesses that are inside in an interior warp: in all lanes, or see `for_running`."""
        self.leaving: frozenset[int] = frozenset()
        """Nodes of loops whose last lanes may be at the end of an array."""
        self.repeated = NOTHING
        """Gathers that loops repeat, of what nothing in an interior warp stores to."""

    def pin(self, repeated: Repeated) -> None:
        """Rely on gathers that loops repeat, in the warp that begins here."""
        self.repeated = repeated
        self.addresses.pinned = {
            position: self.lanes.code.pinned(self.addresses.param_window(position, False).host)
            for position in sorted(repeated.read)
        }

    def rely_as(self, other: GlobalMemory) -> None:
        """Rely on what the code of the same warp relies on where values have other shapes."""
        self.inside, self.repeated = other.inside, other.repeated
        self.addresses.pinned = other.addresses.pinned

    def op(self, op: Op) -> None:
        """Emit one load or store."""
        self._op(op)
        self._words.end(op)

    def _op(self, op: Op) -> None:
        if self.rows.has(op):
            self.rows.op(op)
            return
        if any(op is carried.load for carried in self.carried.values()):
            self.pieces.define(op, self.lanes.variables.load(*self.variable_of(op)))
            return
        carried = self.carried.get(op)
        if carried is not None and carried.is_late:
            is_number, type_ = carried.is_number, carried.type
            data = self.lanes.vector(op.args[0]) if is_number else self.moves.store_data(op, type_)
            self._carry(carried, data)
            return
        in_record = self._records.has(op) and op not in self._for_running
        since = len(self.lanes.code.lines)
        loaded = self._records.op(op, self.inside) if in_record else self._access(op)
        if op in self.repeated.loads:
            self.lanes.code.read_unchanging(since)
        if loaded is not None:
            self.pieces.define(op, loaded)

    def _access(self, op: Op) -> list[str] | None:
        """Emit one load or store by itself; return what a load gives unless that is defined."""
        type_, address, base = op.ins.row.type, op.ins.address, op.base
        assert type_ is not None
        assert address is not None
        assert base is not None
        lanes, addresses = self.lanes, self.addresses
        form = addresses.form(base)
        window = addresses.window(base, form, not op.ins.row.is_load)
        if window is None:
            self.cold.access(op, type_)
            return None
        site = Site(op, type_, window, is_inside=op in self.inside)
        if form is not None:
            form = form.plus_constant(address.offset)
        strided = lanes.shapes.stride(base) == type_.size
        for_running = op in self._for_running
        if not for_running and self._by_pieces.op(
            site, form, certain=op in self.certain, leaves=op.node in self.leaving
        ):
            return None
        if form is not None:
            columns = columns_of(lanes, form, op, type_.size)
            if columns is not None:
                loaded = self._in_columns(site, form, columns)
                return loaded if site.is_load else None
        if form is not None and lanes.shapes.is_uniform(base):
            loaded = self._uniform(site, form)
        elif for_running:
            loaded = self._of_running(site, form, strided=strided)
        elif form is not None and strided and site.is_inside:
            loaded = self._wide_inside(site, form)
        elif form is not None and strided:
            place = self._place(site, form)
            loaded = self._run(site, place, lambda: self._neighbours(site, place))
        elif form is not None:
            loaded = self._sum(site, form)
        elif strided:
            start = lanes.code.let(f"add i64 {lanes.lane0(base)}, {address.offset}")
            first = lanes.code.let(f"sub i64 {start}, {window.base}")
            place = addresses.place_at(first, window, type_.size * lanes.count, type_.size)
            loaded = self._run(site, place, lambda: self._neighbours(site, place))
        else:
            loaded = self._anywhere(site, None, lambda: self._by_index.any_place(site))
        return loaded if site.is_load else None

    def _anywhere(
        self, site: Site, form: Form | None, gather: Callable[[], list[str]]
    ) -> list[str]:
        """Access by places that differ from lane to lane, out of words that are kept if it can."""
        if site.is_inside or not self._words.walks(site.op, form):
            return gather()
        return self._words.load(
            site.op, site.type, lambda count: self._by_index.ahead(site, form, count), gather
        )

    def has_own_way(self, op: Op) -> bool:
        """Return whether an access is made with others, or for some lanes at a time."""
        type_, form = op.ins.row.type, None if op.base is None else self.addresses.form(op.base)
        assert type_ is not None
        if self._records.has(op) or form is None:
            return self._records.has(op)
        if form.index is not None and self.pieces.step(op, form.index, form.scale) is not None:
            return False
        return columns_of(self.lanes, form, op, type_.size) is not None

    def variable_of(self, load: Op) -> tuple[object, list[str]]:
        """Return the key and types of the variable that has what a load would find."""
        type_ = load.ins.row.type
        assert type_ is not None
        return ("carried", load), [integer(type_.bits, self.lanes.n)] * self.lanes.k

    def _place(self, site: Site, form: Form) -> Place:
        """Return where a wide access by an index with a stride begins."""
        bytes_ = site.size * self.lanes.count
        return self.addresses.place(form, site.window, bytes_, site.size)

    def _neighbours(self, site: Site, place: Place) -> Targets:
        return Targets(site.address(self.lanes.code, place.offset()), site.size)

    # --- one place

    def _uniform(self, site: Site, form: Form) -> list[str]:
        """Access one place for all lanes."""
        lanes, code = self.lanes, self.lanes.code
        moves, cold = self.moves, self.cold
        op, type_ = site.op, site.type
        is_tested = op not in self.certain and not site.is_inside
        in_vectors = is_tested and lanes.notes_failures
        place = self.addresses.place(form, site.window, site.size, site.size, in_vectors=in_vectors)

        def fast() -> list[str]:
            host = place.host()
            if site.is_load:
                return [moves.load(type_, host)]
            if self.condition is not None:
                host = code.chosen(self.condition, "ptr", host, moves.nowhere())
            if lanes.shapes.is_uniform(op.args[0]):
                data = moves.store_scalar(op, type_)
            else:
                data = cold.of_highest(op, type_)
            code.line(f"store i{type_.bits} {data}, ptr {host}")
            return []

        def slow() -> list[str]:
            cold.move(op, type_, Targets(site.address(self.lanes.code, place.offset()), 0))
            return cold.first(type_) if site.is_load else []

        if not is_tested:
            return fast()
        floats = type_.bits if site.is_load and type_.is_float and type_.bits >= 32 else 0
        side = conditional.side(code, self.condition, slow)
        return moves.either(place.inside, fast, side, op.cls, 0, floats)

    # --- neighbours

    def _run(
        self,
        site: Site,
        place: Place,
        targets: Callable[[], Targets],
        also: str | None = None,
        fall: Fall | None = None,
    ) -> list[str]:
        """Access neighbouring elements: one wide access if all is inside and `also` holds.

        With a `fall` the last lane has the first element.
        """
        backwards = fall is not None
        if site.op in self.certain or site.is_inside:
            return self._wide(site, place.host(), backwards=backwards)
        good = place.inside
        if also is not None:
            good = self.lanes.code.let(f"and i1 {good}, {also}")

        def slow() -> list[str]:
            return self.cold.move(site.op, site.type, targets())

        def running() -> list[str]:
            inside = in_running_lanes(self.addresses, site, place, also, fall)

            def load() -> list[str]:
                return self.moves.load_running(site.type, place.host(), backwards=backwards)

            return self._either(site, inside, load, slow)

        # An index that falls begins below zero in lanes that mostly do not run.
        may_end = site.is_load and (backwards or site.op.node in self.leaving)
        may_end = may_end or is_shared_by_rows(self.lanes, site.op)
        return self._either(
            site,
            good,
            lambda: self._wide(site, place.host(), backwards=backwards),
            running if may_end else slow,
        )

    def _wide_inside(self, site: Site, form: Form) -> list[str]:
        """Access neighbours that are inside in all lanes; loads may share them with others."""
        addresses = self.addresses
        shared = self._shared.of(site.op, self._may_share) if site.is_load else None
        loaded = None
        if shared is not None:
            loaded = self._shared.load(
                shared, site.op, lambda: addresses.host_inside(form, site.window)
            )
        return loaded or self._wide(site, addresses.host_inside(form, site.window))

    def shares_row(self, op: Op) -> bool:
        """Return whether a load shares a row of vectors with others."""
        is_load = op.ins.row.is_load and op in self.inside
        return is_load and self._shared.of(op, self._may_share) is not None

    def _may_share(self, op: Op) -> bool:
        """Return whether a load in an interior warp is of neighbours, and by itself."""
        if op not in self.inside or op in self._for_running or op in self.repeated.loads:
            return False
        if self.rows.has(op) or self._records.has(op) or self.lanes.facts.piece:
            return False
        type_, form = op.ins.row.type, None if op.base is None else self.addresses.form(op.base)
        if type_ is None or form is None or form.index is None or self.has_own_way(op):
            return False
        step = self.lanes.shapes.stride(form.index)
        return step is not None and step * form.scale == type_.size

    def _wide(self, site: Site, host: str, *, backwards: bool = False) -> list[str]:
        if site.is_load:
            return self.moves.load_wide(site.type, host, backwards=backwards)
        self._far_stores.fetch(site.op, host, site.size * self.lanes.count)
        data = self.moves.store_data(site.op, site.type)
        self.moves.store_wide(site.type, data, host, backwards=backwards)
        if site.op in self.carried:
            self._carry(self.carried[site.op], data)
        return []

    def _carry(self, carried: Carried, data: list[str]) -> None:
        """Keep what a store has for the load of the next iteration."""
        self.lanes.variables.store(*self.variable_of(carried.load), data)

    # --- columns

    def _in_columns(self, site: Site, form: Form, columns: Columns) -> list[str]:
        """Access rows of memory by lanes that go down columns, if all are inside."""
        # Lanes that do not run may be outside where those that do are inside.
        surely = site.is_inside and site.op not in self._for_running
        access = ColumnAccess(
            self.lanes, self.addresses, replace(site, is_inside=surely), form, columns
        )
        return self._either(
            site,
            access.is_possible(),
            lambda: access.fast(self.moves),
            lambda: self._by_index.one_by_one(site, form),
        )

    # --- an index

    def _sum(self, site: Site, form: Form) -> list[str]:
        """Access by an address with a 32-bit index."""
        lanes, code, addresses = self.lanes, self.lanes.code, self.addresses
        index, scale, size = form.index, form.scale, site.size
        assert index is not None
        step = lanes.shapes.stride(index)

        def targets() -> Targets:
            base = site.address(self.lanes.code, addresses.distance(form, site.window))
            return Targets(base, scale, lanes.vector(index), signed=form.signed)

        if step is not None and step * scale == -size:
            # The last lane has the first place.
            place = self._place(site, form.plus_constant(step * (lanes.count - 1) * scale))
            fall = Fall.of(addresses, form, -step)
            return self._run(site, place, targets, fall.fits(lanes), fall)
        if step is None or step * scale != size:
            if site.is_load and site.is_inside:
                loaded = self._in_runs(site, form)
                if loaded:
                    return loaded
            return self._anywhere(site, form, lambda: self._by_index.indexed(site, form))
        if site.is_inside:
            return self._wide_inside(site, form)
        place = self._place(site, form)
        params = [v for v, factor in form.uniform if factor == 1 and addresses.pointers.is_param(v)]
        is_plain = len(params) == len(form.uniform) == 1 and not form.signed
        if is_plain and abs(form.constant) < 1 << 20:
            return self._run(site, place, targets)
        # With other terms in the base, the index itself might wrap around inside the buffer.
        last = (1 << (31 if form.signed else 32)) - 1 - step * (lanes.count - 1)
        number = addresses.first(form)
        return self._run(site, place, targets, code.let(f"icmp sle i64 {number}, {last}"))

    def _of_running(self, site: Site, form: Form | None, *, strided: bool) -> list[str]:
        """Access what is inside in all lanes that run."""
        loaded: list[str] = []
        index = None if form is None else form.index
        if form is not None and index is not None:
            step = self.lanes.shapes.stride(index)
            strided |= step is not None and step * form.scale == site.size
        if form is not None and strided:
            if site.op in self._signed:
                form = replace(form, signed=True)
            host = self.addresses.host_inside(form, site.window)
            if site.is_load:
                return self.moves.load_running(site.type, host)
            return self._wide(site, host)
        if site.is_load and form is not None and form.index is not None:
            loaded = self._in_runs(site, form)
        return loaded or self._by_index.one_by_one(site, form)

    def _in_runs(self, site: Site, form: Form) -> list[str]:
        """Load what is all inside by runs of neighbours; no vectors if these are not known."""
        index = form.index
        assert index is not None
        host = self.addresses.host(site.window, self.addresses.distance(form, site.window))
        loaded = self.runs.load(site.op, index, host, form.scale, signed=form.signed)
        return [extended(self.lanes.code, c, site.type, self.lanes.n) for c in loaded]

    # --- both sides

    def _either(
        self, site: Site, good: str, fast: Callable[[], list[str]], slow: Callable[[], list[str]]
    ) -> list[str]:
        """Access on the fast or the slow side; return what was loaded, in chunks."""
        return self.moves.either(good, fast, slow, site.op.cls, self.lanes.n)

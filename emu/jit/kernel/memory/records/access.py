"""Accesses of fields of records: by wide accesses, by pairs, or one by one.

All loads of a record are emitted at the first one, all stores at the last one, if a test shows that
all places are inside the buffer. Otherwise each is accessed at its own instruction, as if it were
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from .....analysis.values.ssa import Op
from ....arithmetic.widths import extended
from ....llvm.vectors import CHUNK
from ...lane_code import LaneCode
from ..addressing.addresses import Addresses
from ..addressing.near import is_computed, near_of
from ..addressing.windows import Window
from ..moves import Moves
from . import pairs, quads
from .fields import Fields, Records

ALWAYS = "true"
"""In place of a test: nothing needs to be tested."""


class RecordAccess:
    """Emits the accesses of records of one kernel; `alone` emits one access by itself."""

    def __init__(
        self,
        lanes: LaneCode,
        moves: Moves,
        addresses: Addresses,
        alone: Callable[[Op], list[str] | None],
    ) -> None:
        self.lanes = lanes
        self._moves = moves
        self._addresses = addresses
        self._alone = alone
        self._records = Records(lanes, moves, addresses)
        self._loaded: dict[Op, tuple[str, list[str]]] = {}
        """What was loaded with the first field of records, and whether it was, an i1."""

    def has(self, op: Op) -> bool:
        """Return whether an access is one of a field that this class emits."""
        return self._records.of(op) is not None

    def op(self, op: Op, inside: Collection[Op]) -> list[str] | None:
        """Emit one access, of which those in `inside` are; return what a load gives."""
        fields = self._records.of(op)
        assert fields is not None
        certain = all(field in inside for field in fields.ops)
        if not op.ins.row.is_load:
            if op is fields.ops[-1]:
                self._store(fields, certain=certain)
            return None
        if op is fields.ops[0]:
            self._load(fields, certain=certain)
        held, found = self._loaded.pop(op)
        if held == ALWAYS or op is fields.ops[0]:
            return found
        return self._moves.either(
            held, lambda: found, lambda: self._alone(op) or [], op.cls, self.lanes.n
        )

    def _load(self, fields: Fields, *, certain: bool) -> None:
        """Load all fields if all are inside; else the first one."""
        lanes, ops, cls = self.lanes, fields.ops, fields.ops[0].cls
        found: list[str] = []
        in_quads = lanes.facts.slow_gathers and lanes.n == CHUNK
        # A word after all fields is not known to be inside.
        in_quads = in_quads and not (certain and _reads_on(fields))

        def registers(loaded: list[list[str]]) -> list[str]:
            return [
                extended(lanes.code, chunk, op.element, lanes.n)
                for op, chunks in zip(ops, loaded, strict=True)
                for chunk in chunks
            ]

        def wide() -> list[str]:
            return registers(self._records.load(fields, self._host(fields)))

        def alone() -> list[str]:
            others = ["zeroinitializer"] * (lanes.k * (len(ops) - 1))
            return [*(self._alone(ops[0]) or ()), *others]

        def in_pairs() -> list[str]:
            hosts = self._hosts(fields)
            low = min(fields.places)
            return registers(pairs.load(lanes, fields.places, hosts, low, in_quads=in_quads))

        if fields.are_near and certain:
            held, found = ALWAYS, wide()
        else:
            apart = None
            if fields.are_paired:
                apart = self._apart(fields, certain=certain, reads_on=in_quads)

            def others() -> list[str]:
                if apart is None:
                    return alone()
                return self._moves.either(apart, in_pairs, alone, cls, lanes.n)

            together = self._together(fields, certain=certain)
            if together is None:
                found = others()
            else:
                found = self._moves.either(together, wide, others, cls, lanes.n)
            held = " ".join(t for t in (together, apart) if t is not None)
            if " " in held:
                held = lanes.code.let(f"or i1 {together}, {apart}")
        parts = [found[at : at + lanes.k] for at in range(0, len(found), lanes.k)]
        self._loaded |= {op: (held, part) for op, part in zip(ops, parts, strict=True)}

    def _store(self, fields: Fields, *, certain: bool) -> None:
        """Store all fields, together if all are inside."""
        lanes, moves = self.lanes, self._moves
        n, cls = lanes.n, fields.ops[0].cls

        def data() -> list[list[str]]:
            return [moves.store_data(op, op.element) for op in fields.ops]

        def wide() -> list[str]:
            self._records.store(fields, data(), self._host(fields))
            return []

        def alone() -> list[str]:
            for op in fields.ops:
                self._alone(op)
            return []

        def in_pairs() -> list[str]:
            hosts = self._hosts(fields)
            in_quads = lanes.facts.slow_gathers and lanes.n == CHUNK
            low = min(fields.places)
            pairs.store(lanes, fields.places, data(), hosts, low, in_quads=in_quads)
            return []

        def others() -> list[str]:
            if not fields.are_paired:
                return alone()
            return moves.either(self._apart(fields, certain=certain), in_pairs, alone, cls, n)

        together = self._together(fields, certain=certain)
        if together is None:
            others()
        else:
            moves.either(together, wide, others, cls, n)

    # --- tests

    def _together(self, fields: Fields, *, certain: bool) -> str | None:
        """Return whether wide accesses are possible, an i1; None if they are not worth a test."""
        if fields.kind == "apart":
            return None
        lanes, code = self.lanes, self.lanes.code
        tests = []
        if not fields.are_near or not fields.ops[0].ins.row.is_load:
            off = [code.let(f"xor {lanes.mask_type} {m}, splat (i1 true)") for m in lanes.mask]
            tests.append(code.let(f"xor i1 {lanes.any(off)}, true"))
        if not (certain and fields.are_near):
            first, window = self._records.first(fields), self._window(fields)
            offset = self._records.offset(fields, window, first)
            bytes_ = fields.extent(lanes.count) * fields.size
            place = self._addresses.place_at(offset, window, bytes_, fields.size)
            tests += [place.inside, *self._records.counts_on(fields, first)]
        if not fields.are_near:
            assert fields.form is not None
            assert fields.form.index is not None
            tests.append(near_of(lanes, fields.form.index).neighbours(lanes))
        return code.all_of(*tests)

    def _apart(self, fields: Fields, *, certain: bool, reads_on: bool = False) -> str:
        """Return whether the fields of each running lane are inside, and are not neighbours'.

        `reads_on`: what is loaded with them is inside as well.
        """
        lanes, code, form = self.lanes, self.lanes.code, fields.form
        assert form is not None
        assert form.index is not None
        good = ALWAYS
        if not certain:
            elements = max(fields.places) - min(fields.places) + 1
            if reads_on:
                elements = quads.elements(fields.places)
            window, before = self._window(fields), self._addresses.before(fields.lowest_form())
            count = self._addresses.count_inside(
                self._low(fields, window), fields.size, form.scale, window, elements, before
            )
            outside = self._addresses.outside(lanes.vector(form.index), count, before)
            beyond = lanes.any(lanes.combine("and", outside, lanes.mask))
            good = code.let(f"xor i1 {beyond}, true")
        if form.scale == fields.size and is_computed(form.index, lanes.shapes):
            # Then each field is a wide access.
            near = near_of(lanes, form.index).neighbours(lanes)
            good = code.let(f"and i1 {good}, {code.let(f'xor i1 {near}, true')}")
        return good

    # --- places

    def _window(self, fields: Fields) -> Window:
        op = fields.ops[0]
        assert op.base is not None
        form = self._addresses.form(op.base)
        window = self._addresses.window(op.base, form, not op.ins.row.is_load)
        assert window is not None
        return window

    def _host(self, fields: Fields) -> str:
        """Return the host address of lane 0's lowest field, a ptr."""
        window = self._window(fields)
        offset = self._records.offset(fields, window, self._records.first(fields))
        return self._addresses.host(window, offset)

    def _low(self, fields: Fields, window: Window) -> str:
        """Return the offset into a buffer of the lowest field of index 0, an i64."""
        assert fields.form is not None
        return self._addresses.distance(fields.lowest_form(), window)

    def _hosts(self, fields: Fields) -> list[str]:
        """Return the host addresses of all lanes' lowest fields, as chunks of pointers."""
        window, form = self._window(fields), fields.lowest_form()
        assert form.index is not None
        host = self._addresses.host(window, self._low(fields, window))
        indices = self.lanes.vector(form.index)
        return self._addresses.hosts(host, form, indices)


def _reads_on(fields: Fields) -> bool:
    """Return whether loads of four words read beyond the last field."""
    return quads.elements(fields.places) > max(fields.places) - min(fields.places) + 1

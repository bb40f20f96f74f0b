"""Fields of records: accesses of global memory whose lanes are several elements apart.

Pixels of three bytes, complex numbers, particles: lane after lane has its record, and a kernel
accesses its fields one after the other. Wide accesses of all that the records have, and shuffles
between these and the lanes, take the place of a gather or scatter for each field. How far the lanes
are apart is a constant, so all of it is planned before any code is written (`routes.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ......isa.table import Unit
from ......isa.types import Segment, sign_extend
from .....analysis.values.ssa import Op
from ....llvm.text import integer
from ....llvm.toolchain import host_has
from ....llvm.vectors import CHUNK, VectorCode
from ...lane_code import LaneCode
from ..addressing.addresses import Addresses
from ..addressing.forms import Form
from ..addressing.near import is_computed, is_shuffled
from ..addressing.windows import Window
from ..moves import Moves
from ..shuffles.routed import follow, shuffle
from ..shuffles.routes import Labels, Route, route
from . import few_words, pairs
from .index_names import IndexNames, core_of

LARGEST = 16
"""Elements of a record, at most: wide accesses take those between its fields, too."""

LARGEST_ROW = 1 << 20
"""Elements from a lane's record to the next one's, at most, if words of them are gathered."""

MOST_COST = 20
"""Wide accesses and shuffles that take as long as one gather or scatter of 16 lanes."""

MOST_FIELDS = 16
"""Fields that are accessed together."""

VECTOR_BITS = 512


@dataclass(frozen=True)
class Fields:
    """Accesses of fields of one record a lane, in the order of their instructions.

    Field f of lane l is `places[f]` - `places[0]` + l * `apart` elements from the first field of
    lane 0, which is where `form` or `base` says.
    """

    ops: tuple[Op, ...]
    places: tuple[int, ...]
    apart: int
    size: int
    """Bytes of an element."""
    form: Form | None
    indices: tuple[int, int] = (0, 0)
    """How far below and above the first field's index those of the others are."""
    kind: str = "known"
    """Whether the lanes' indices are known to count on; may be so ("near"); or need not be."""

    @property
    def are_near(self) -> bool:
        """Whether it is known that the lanes' indices count on."""
        return self.kind == "known"

    @property
    def are_paired(self) -> bool:
        """Whether gathers and scatters of pairs are worth trying."""
        form = self.form
        return (
            self.kind != "known"
            and self.size == pairs.WORD
            and not self.indices[0]
            and form is not None
            and any(len(pair) == 2 for pair in pairs.paired(self.places))
        )

    @property
    def are_gathered(self) -> bool:
        """Return whether words that have several elements are gathered: lanes are far apart."""
        return self.kind == "known" and self.apart > LARGEST

    @property
    def before(self) -> int:
        """The bytes from the lowest field to the first one."""
        return (self.places[0] - min(self.places)) * self.size

    def lowest_form(self) -> Form:
        """Return the address of the lowest field as a sum."""
        assert self.form is not None
        return replace(self.form, constant=sign_extend(self.form.constant - self.before, 64))

    def extent(self, lanes: int) -> int:
        """Return the elements from the first lane's lowest field to the last lane's highest one."""
        return self.apart * (lanes - 1) + max(self.places) - min(self.places) + 1


@dataclass(frozen=True)
class Plan:
    """How the fields of as many lanes as a vector has are accessed: wide, and a route.

    `starts` are the first elements of wide accesses, counted from the lowest field of the first
    lane; `masks` say which elements a store writes.
    """

    starts: tuple[int, ...]
    route: Route
    masks: tuple[tuple[bool, ...], ...] = ()

    @property
    def cost(self) -> int:
        """The number of accesses and shuffles."""
        return len(self.starts) + len(self.route.shuffles)


@lru_cache(1000)
def load_plan(apart: int, places: tuple[int, ...], n: int) -> Plan:
    """Return how fields at `places` are loaded for n lanes."""
    low = min(places)
    wanted = [[apart * lane + place - low for lane in range(n)] for place in places]
    extent = apart * (n - 1) + max(places) - low + 1
    needed = {element for labels in wanted for element in labels}
    starts = [
        start
        for start in (min(s, extent - n) for s in range(0, extent, n))
        if not needed.isdisjoint(range(start, start + n))
    ]
    given: list[Labels] = [range(start, start + n) for start in starts]
    return Plan(tuple(starts), route(given, wanted))


@lru_cache(1000)
def store_plan(apart: int, places: tuple[int, ...], n: int) -> Plan:
    """Return how fields at `places` are stored by n lanes."""
    low = min(places)
    source = {
        apart * lane + place - low: field * n + lane
        for field, place in enumerate(places)
        for lane in range(n)
    }
    wanted: list[Labels] = []
    starts: list[int] = []
    for start in range(0, max(source) + 1, n):
        labels = [source.get(start + i) for i in range(n)]
        if any(label is not None for label in labels):
            starts.append(start)
            wanted.append(labels)
    given = [range(field * n, (field + 1) * n) for field in range(len(places))]
    masks = tuple(tuple(label is not None for label in labels) for labels in wanted)
    return Plan(tuple(starts), route(given, wanted), masks)


class Records:
    """Finds and emits the accesses of records of one kernel."""

    def __init__(self, lanes: LaneCode, moves: Moves, addresses: Addresses) -> None:
        self.lanes = lanes
        self._moves = moves
        self._addresses = addresses
        self._found: dict[Op, Fields | None] = {}
        self._names = IndexNames(lanes.ssa)

    def of(self, op: Op) -> Fields | None:
        """Return the fields that an access is one of; None if it is not worth wide accesses."""
        if op not in self._found:
            fields = self._together(op)
            if fields is not None and not self._is_cheap(fields):
                fields = None
            for each in (op,) if fields is None else fields.ops:
                self._found[each] = fields
        return self._found[op]

    # --- which accesses are fields

    def _together(self, op: Op) -> Fields | None:
        """Return the access with those after it that are of the same records."""
        first = self._field(op)
        if first is None:
            return None
        key, start, added, apart = first
        row, size = op.ins.row, op.element.size
        ops, places, indices = [op], [start], [added]
        reach = max(2 * apart, 4) if row.is_load else apart
        most = MOST_FIELDS * (few_words.WORD // size if apart > LARGEST else 1)
        for other in self._following(op):
            if self._found.get(other) is not None:
                continue
            field = self._field(other) if other.ins.row.is_memory else None
            if field is None or field[0] != key or other.element.size != size:
                if not row.is_load and other.ins.row.is_memory:
                    break
                continue
            place = field[1]
            now = [*places, place]
            if max(now) - min(now) >= reach or (place in places and not row.is_load):
                break
            ops.append(other)
            places.append(place)
            indices.append(field[2])
            if len(ops) == most:
                break
        assert op.base is not None
        form = self._addresses.form(op.base)
        if form is not None:
            form = form.plus_constant(op.address.offset)
        around = added - min(indices), max(indices) - added
        return Fields(tuple(ops), tuple(places), apart, size, form, around, str(key[0]))

    def _following(self, op: Op) -> Iterator[Op]:
        """Yield the accesses after one in its node, up to what it must not change places with."""
        ops = self.lanes.ssa.ops.get(op.node, ())
        for other in ops[ops.index(op) + 1 :]:
            row = other.ins.row
            is_access = row.is_memory and row.segment is not Segment.KERNARG
            if is_access and (row.is_atomic or row.is_load != op.ins.row.is_load):
                return
            divides = row.stem in ("div", "rem") and row.type is not None and not row.type.is_float
            traps = divides or (is_access and row.segment is not Segment.GLOBAL)
            if (traps and not op.ins.row.is_load) or row.unit is Unit.SYNC:
                return
            if is_access and row.segment is Segment.GLOBAL:
                yield other

    def _field(self, op: Op) -> tuple[tuple[object, ...], int, int, int] | None:
        """Return (record, place, what is added to its index, elements from lane to lane)."""
        row, base, lanes = op.ins.row, op.base, self.lanes
        if row.segment is not Segment.GLOBAL or row.is_atomic or base is None or row.type is None:
            return None
        form, size, constant = self._addresses.form(base), row.type.size, op.address.offset
        if self._addresses.window(base, form, not row.is_load) is None:
            return None
        more = 0
        if form is None:
            step = lanes.shapes.stride(base)
            key: tuple[object, ...] = ("known", base)
        elif form.index is None:
            return None
        else:
            index, more = core_of(form.index)
            step = lanes.shapes.stride(index)
            if lanes.shapes.stride(form.index) != step:
                return None
            name, more = self._names.of(index, more)
            kind = "known"
            if step is None:
                if lanes.facts.piece or (is_shuffled(index, lanes.shapes) and form.scale == size):
                    return None
                kind = "near" if is_computed(index, lanes.shapes) and form.scale > size else "apart"
                step = 1
            step *= form.scale
            constant = sign_extend(constant + form.constant, 64) + more * form.scale
            key = (kind, form.uniform, name, form.scale, form.signed)
            if kind == "apart" and step == size and constant % size == 0:
                return key, constant // size, more, 1
        if step is None or step % size or constant % size or abs(constant) >= 1 << 20:
            return None
        apart = step // size
        if apart > LARGEST and not (key[0] == "known" and row.is_load and size < few_words.WORD):
            return None
        return (key, constant // size, more, apart) if 2 <= apart <= LARGEST_ROW else None

    def _is_cheap(self, fields: Fields) -> bool:
        """Return whether wide accesses and shuffles cost less than gathers or scatters."""
        if fields.are_paired:
            return self.lanes.n == CHUNK and host_has("avx512f")
        if fields.kind == "apart":
            return False
        if fields.are_gathered:
            has_gathers = self.lanes.n == CHUNK and host_has("avx512f")
            return has_gathers and few_words.save_gathers(fields.places, fields.size)
        features = {1: "avx512vbmi", 2: "avx512bw"}
        n, lanes = self._vector(fields), self.lanes.n
        if not host_has(features.get(fields.size, "avx512f")) or lanes & (lanes - 1):
            return False
        return self._plan(fields).cost * CHUNK <= MOST_COST * n * len(fields.ops)

    def _vector(self, fields: Fields) -> int:
        """Return the elements of a vector."""
        return min(VECTOR_BITS // 8 // max(fields.size, 4), self.lanes.n)

    def _plan(self, fields: Fields) -> Plan:
        make = load_plan if fields.ops[0].ins.row.is_load else store_plan
        return make(fields.apart, fields.places, self._vector(fields))

    # --- their code

    def first(self, fields: Fields) -> str | None:
        """Return the index of the first field in lane 0, an i64; None without one."""
        form = fields.form
        if form is None or form.index is None:
            return None
        if fields.are_near:
            return self._addresses.first(form)
        how = "sext" if form.signed else "zext"
        return self.lanes.code.let(f"{how} i32 {self.lanes.extracted0(form.index)} to i64")

    def offset(self, fields: Fields, window: Window, first: str | None) -> str:
        """Return the offset of lane 0's lowest field into a buffer, an i64."""
        lanes, code, form, op = self.lanes, self.lanes.code, fields.form, fields.ops[0]
        if form is None:
            assert op.base is not None
            distance = op.address.offset - fields.before
            start = code.let(f"add i64 {lanes.lane0(op.base)}, {distance}")
            return code.let(f"sub i64 {start}, {window.base}")
        way = code.let(f"mul i64 {first}, {form.scale}")
        return code.let(f"add i64 {self._addresses.distance(fields.lowest_form(), window)}, {way}")

    def counts_on(self, fields: Fields, first: str | None) -> list[str]:
        """Return tests, as i1, that no index of a field in a lane wraps around.

        In a sum of a pointer parameter and an index alone, one that counts past its end would be
        beyond any buffer.
        """
        form, code = fields.form, self.lanes.code
        if form is None:
            return []
        tests, (below, above) = [], fields.indices
        if below:
            least = -(1 << 31) if form.signed else 0
            tests.append(code.let(f"icmp sge i64 {first}, {least + below}"))
        params = [
            v for v, factor in form.uniform if factor == 1 and self._addresses.pointers.is_param(v)
        ]
        if not (len(params) == len(form.uniform) == 1 and not form.signed):
            steps = fields.apart * fields.size * self.lanes.count
            last = (1 << (31 if form.signed else 32)) - 1 - steps - above
            tests.append(code.let(f"icmp sle i64 {first}, {last}"))
        return tests

    def load(self, fields: Fields, host: str) -> list[list[str]]:
        """Load all fields of all lanes, given the host address of lane 0's lowest one.

        Returns chunks of integers of the elements' size for each field.
        """
        if fields.are_gathered:
            return few_words.load(self.lanes, fields.places, fields.apart, fields.size, host)
        lanes, code, plan = self.lanes, self.lanes.code, self._plan(fields)
        n, bits = self._vector(fields), 8 * fields.size
        found: list[list[str]] = [[] for _ in fields.ops]
        for at in range(0, lanes.count, n):
            given = []
            for start in plan.starts:
                byte = (at * fields.apart + start) * fields.size
                place = code.let(f"getelementptr i8, ptr {host}, i64 {byte}")
                given.append(code.let(f"load {integer(bits, n)}, ptr {place}, align {fields.size}"))
            for field, vector in zip(found, follow(lanes, given, plan.route, n, bits), strict=True):
                field.append(vector)
        return [self._joined(vectors, n, bits) for vectors in found]

    def _joined(self, vectors: list[str], n: int, bits: int) -> list[str]:
        """Return vectors of n elements put together to chunks."""
        while n < self.lanes.n:
            pairs = zip(vectors[::2], vectors[1::2], strict=True)
            vectors = [shuffle(self.lanes, a, b, n, range(2 * n), bits) for a, b in pairs]
            n *= 2
        return vectors

    def store(self, fields: Fields, data: Sequence[Sequence[str]], host: str) -> None:
        """Store the fields of all lanes, given their chunks and the address of the lowest one."""
        lanes, code, plan = self.lanes, self.lanes.code, self._plan(fields)
        n, size = self._vector(fields), fields.size
        bits = 8 * size
        t, vectors = integer(bits, n), VectorCode(code, n, 1)
        columns = [self._parts(chunks, n, bits) for chunks in data]
        for number, given in enumerate(zip(*columns, strict=True)):
            wanted = follow(lanes, given, plan.route, n, bits)
            for start, vector, mask in zip(plan.starts, wanted, plan.masks, strict=True):
                byte = (number * n * fields.apart + start) * size
                place = code.let(f"getelementptr i8, ptr {host}, i64 {byte}")
                if all(mask):
                    code.line(f"store {t} {vector}, ptr {place}, align {size}")
                    continue
                on = ", ".join(f"i1 {'true' if here else 'false'}" for here in mask)
                (hidden,) = self._moves.without_truncation(t, [vector])
                vectors.store_masked(bits, hidden, place, f"<{on}>")

    def _parts(self, chunks: Sequence[str], n: int, bits: int) -> list[str]:
        """Return chunks as vectors of n elements."""
        if n == self.lanes.n:
            return list(chunks)
        return [
            shuffle(self.lanes, chunk, "poison", self.lanes.n, range(at, at + n), bits)
            for chunk in chunks
            for at in range(0, self.lanes.n, n)
        ]

"""The memory instructions of a kernel, and the parameters that their addresses are made of."""

from __future__ import annotations

from collections.abc import Collection

from ....isa.program import Kernel
from ....isa.types import Segment
from ..values.numbering import numbering_of
from ..values.ssa import Const, Op, Ssa, Value, arguments_of


class Accesses:
    """The memory instructions of a kernel, and the parameters that their addresses are made of."""

    def __init__(self, ssa: Ssa, kernel: Kernel) -> None:
        self._ssa = ssa
        self.ops = [op for ops in ssa.ops.values() for op in ops if op.ins.row.is_memory]
        self._positions = {p.offset: i for i, p in enumerate(kernel.params) if p.is_pointer}
        written = [op for op in self.ops if op.ins.row.is_store or op.ins.row.is_atomic]
        self._segments = {op.ins.row.segment for op in written}
        stored = [self.param(op) for op in written if op.ins.row.segment is Segment.GLOBAL]
        self.any_is_stored = None in stored
        """Whether some store may be to any buffer."""
        self.stored_params = frozenset(p for p in stored if p is not None)
        counts = [op for op in written if op.ins.row.is_atomic]
        self.counts_in_group = any(op.ins.row.segment is Segment.GROUP for op in counts)
        self.counted_params = frozenset(
            self.param(op) for op in counts if op.ins.row.segment is Segment.GLOBAL
        )
        """The parameters of atomics."""

    def of(self, segment: Segment) -> frozenset[Op]:
        """Return the instructions that access a segment."""
        return frozenset(op for op in self.ops if op.ins.row.segment is segment)

    def loads_of(self, segment: Segment) -> frozenset[Op]:
        """Return the loads from a segment."""
        return frozenset(op for op in self.of(segment) if op.ins.row.is_load)

    def stores_to(self, segment: Segment) -> bool:
        """Return whether something is stored to a segment."""
        return segment in self._segments

    def params_of_stores(self) -> dict[int, int]:
        """Return pc of each store and atomic of global memory -> its parameter, if it has one."""
        stores = (op for op in self.of(Segment.GLOBAL) if not op.ins.row.is_load)
        return {op.pc: param for op in stores if (param := self.param(op)) is not None}

    def params_of_loads(self, params: Collection[int]) -> dict[int, int]:
        """Return pc of each load by some parameters -> its parameter."""
        loads = self.loads_by_param()
        return {op.pc: param for param in params for op in loads.get(param, ())}

    def stored_values(
        self, segment: Segment, param: int | None = None, *, but_slots_of: Collection[Op] = ()
    ) -> set[Value]:
        """Return what is stored to a segment, or by a parameter's pointer, and at which places.

        Places that some stores have are left out.
        """
        return {
            value
            for op in self.of(segment)
            if not op.ins.row.is_load and (param is None or self.param(op) == param)
            for value in (op.args[:-1] if op in but_slots_of else op.args)
        }

    def numbered_by(self, params: Collection[int]) -> list[Op]:
        """Return the numbers from which the places of each work-item in buffers follow.

        There are none if places in one of the buffers may not be its own.
        """
        if self.any_is_stored:
            return []
        found = [self._numbered_by(param) for param in params]
        return [op for op in found if op is not None] if None not in found else []

    def _numbered_by(self, param: int) -> Op | None:
        ops = [op for op in self.of(Segment.GLOBAL) if self.param(op) == param]
        shared = numbering_of(self._ssa)
        bases = {op.base and shared[op.base] for op in ops}
        offsets = [op.ins.address.offset for op in ops if op.ins.address is not None]
        identity, step = _step(ops[0].base if len(bases) == 1 else None)
        largest = max(op.ins.row.type.size for op in ops if op.ins.row.type is not None)
        return identity if max(offsets) + largest - min(offsets) <= step else None

    def own_step(self, op: Op) -> int:
        """Return the bytes from one work-item's own element to the next, if an access is at it.

        Else 0.
        """
        _, step = _step(op.base)
        type_, address = op.ins.row.type, op.ins.address
        assert type_ is not None
        assert address is not None
        return step if 0 <= address.offset and address.offset + type_.size <= step else 0

    def unsafe(self) -> frozenset[Op]:
        """Return the atomics, and the loads by any pointer if something is stored."""
        stored = Segment.GLOBAL in self._segments
        return frozenset(
            op
            for op in self.ops
            if op.ins.row.is_atomic
            or (stored and op in self.loads_of(Segment.GLOBAL) and self.param(op) is None)
        )

    def loads_by_param(self) -> dict[int, frozenset[Op]]:
        """Return the loads of global memory by the parameter of their address."""
        found: dict[int, set[Op]] = {}
        for op in self.ops:
            if op.ins.row.is_load and op.ins.row.segment is Segment.GLOBAL:
                param = self.param(op)
                if param is not None:
                    found.setdefault(param, set()).add(op)
        return {param: frozenset(ops) for param, ops in found.items()}

    def param(self, op: Op) -> int | None:
        """Return the only pointer parameter that an address is computed from, None if not one."""
        found = {p for load in arguments_of(op) if (p := self._param_at(load)) is not None}
        return found.pop() if len(found) == 1 else None

    def _param_at(self, load: Op) -> int | None:
        address = load.ins.address
        return self._positions.get(address.offset) if address is not None else None


def _step(address: Value | None) -> tuple[Op | None, int]:
    """Return the number of work-items that an address counts by, and the bytes of each; 0 if none.

    It is the flat number, or that in the first dimension.
    """
    if not isinstance(address, Op) or address.ins.row.name != "mad_u64":
        return None, 0
    number, step, begin = address.args
    if not isinstance(number, Op) or number.ins.row.name != "cvt_u64_u32":
        return None, 0
    (identity,) = number.args
    if not isinstance(identity, Op) or not isinstance(step, Const):
        return None, 0
    stem, literals = identity.ins.row.stem, identity.ins.literals
    is_own = stem == "workitemflatabsid" or (stem == "workitemabsid" and literals[0] == 0)
    is_argument = isinstance(begin, Op) and begin.ins.row.segment is Segment.KERNARG
    is_up = step.bits < 1 << 31  # numbers of 32 bits do not come back to a place then
    return (identity, step.bits) if is_own and is_argument and is_up else (None, 0)

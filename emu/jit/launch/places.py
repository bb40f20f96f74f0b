"""Places in the grid that a kernel calculates itself: `workgroupid * workgroupsize + workitemid`.

Where work-items use identities in the workgroup for nothing else, the kernel does the same in
workgroups of any shape. It is rewritten instruction by instruction, so that each keeps its pc: the
sum becomes `workitemabsid`, and what only the sum has used becomes a `mov`.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ....isa.encoding import encode
from ....isa.instruction import Imm, Instruction
from ....isa.program import Kernel
from ....isa.table import BY_NAME
from ....isa.types import RegClass
from ...analysis.analysis import analyse
from ...analysis.facts import ABSOLUTE
from ...analysis.values.ssa import Const, Op, Ssa, Value, made_of, roots
from ...recent import Recent

Size = tuple[int, int, int]

_FOUND: Recent[tuple[object, ...], Kernel] = Recent()


def by_absolute_ids(kernel: Kernel, group_size: Size, *, keeps_items: bool = False) -> Kernel:
    """Return the same kernel with places in the grid by `workitemabsid`.

    `group_size` is that of its launches. Returns `kernel` if it has other uses for identities in
    the workgroup. With `keeps_items` it may have them for a work-item's index in the workgroup.
    """
    stems = {ins.row.stem for ins in kernel.instructions if ins.row.is_identity}
    if "workgroupid" not in stems or not stems <= _REPLACEABLE:
        return kernel
    key = kernel.key, kernel.params, group_size, keeps_items
    found = _FOUND.find(key)
    return found or _FOUND.keep(key, _rewritten(kernel, group_size, keeps_items=keeps_items))


_OF_ITEMS = frozenset({"workitemid", "workitemflatid"})

_REPLACEABLE = ABSOLUTE | _OF_ITEMS | {"workgroupid", "workgroupsize"}


def _rewritten(kernel: Kernel, group_size: Size, *, keeps_items: bool) -> Kernel:
    places = _Places(analyse(kernel).ssa, group_size)
    new = {
        op.pc: Instruction(BY_NAME["workitemabsid_u32"], op.ins.dst, literals=(dimension,))
        for op, dimension in places.found.items()
    }
    if keeps_items:
        new |= places.parts()
    used = places.used()
    for pc, ins in enumerate(kernel.instructions):
        if not ins.row.is_identity or ins.row.stem in ABSOLUTE or pc in new:
            continue
        number = places.constants.get(pc)
        if number is None:
            if pc in used and keeps_items and ins.row.stem in _OF_ITEMS:
                continue
            if pc in used:
                return kernel
            number = 0
        new[pc] = Instruction(BY_NAME["mov_u32"], ins.dst, (Imm(number),))
    words = list(kernel.words)
    for pc, ins in new.items():
        words[pc] = encode(ins, pc)
    return replace(kernel, words=tuple(words))


class _Places:
    """The values of a kernel that are places in the grid."""

    def __init__(self, ssa: Ssa, group_size: Size) -> None:
        self._ssa = ssa
        self._size = group_size
        self.constants: dict[int, int] = {}
        """Identities that are a constant, by pc."""
        self.found: dict[Op, int] = {}
        """Ops that are a work-item's place in the grid -> its dimension."""
        ops = [op for ops in ssa.ops.values() for op in ops]
        for op in ops:
            self._constant(op)
        for op in ops:
            dimension = self._place(op)
            if dimension is not None:
                self.found[op] = dimension

    def used(self) -> set[int]:
        """Return the pcs of ops that are still used if the places are ops without sources."""
        used = made_of(roots(self._ssa), self.found.__contains__)
        return {value.pc for value in used if isinstance(value, Op)}

    def parts(self) -> dict[int, Instruction]:
        """Return instructions by pc for `workgroupid * n + workitemid / m`, with n * m the size.

        That is a place in the grid divided by m, a power of two: the place is in the register of
        `workgroupid`, if nothing else uses that.
        """
        found: dict[int, Instruction] = {}
        ops = [op for ops in self._ssa.ops.values() for op in ops]
        for group in ops:
            if group.ins.row.stem != "workgroupid" or group.ins.literals != (0,):
                continue
            new = {
                group.pc: Instruction(BY_NAME["workitemabsid_u32"], group.ins.dst, literals=(0,))
            }
            users = self._users(group)
            if users and all(self._is_divided(op, group, new) for op in users):
                found |= new
        return found

    def _users(self, value: Op) -> list[Op] | None:
        """Return the ops that use a value, without places; None if phis or branches do."""
        ssa = self._ssa
        others = [a for phis in ssa.phis.values() for phi in phis for a in phi.args.values()]
        if value in (*others, *ssa.conditions.values()):
            return None
        ops = (op for ops in ssa.ops.values() for op in ops)
        return [op for op in ops if value in op.args and op not in self.found]

    def _is_divided(self, op: Op, group: Op, new: dict[int, Instruction]) -> bool:
        """Return whether an op is a place of `group` divided; set what is executed instead."""
        row, args = op.ins.row, op.args
        if row.name == "mad_u32" and group in args[:2] and group is not args[2]:
            at = args.index(group)
            shift = self._shift(args[2], self._number(args[1 - at]))
            divided, rest = op, None
        elif row.name in ("mul_u32", "shl_u32") and group in args[:1]:
            users = self._users(op) or []
            if len(users) != 1 or users[0].ins.row.name not in ("add_u32", "or_u32"):
                return False
            at, divided, rest = 0, op, users[0]
            number = self._number(args[1])
            if row.stem == "shl" and number is not None:
                number = 1 << (number & 31)
            local = rest.args[1 - rest.args.index(op)]
            # Bits of a sum are those of its parts if the multiples of a power of two are one.
            is_sum = rest.ins.row.stem == "add" or (number or 0).bit_count() == 1
            shift = self._shift(local, number) if is_sum else None
        else:
            return False
        if shift is None:
            return False
        sources = op.ins.srcs[at], Imm(shift)
        new[divided.pc] = Instruction(BY_NAME["shr_u32"], divided.ins.dst, sources)
        if rest is not None:
            source = rest.ins.srcs[rest.args.index(op)]
            new[rest.pc] = Instruction(BY_NAME["mov_u32"], rest.ins.dst, (source,))
        return True

    def _shift(self, local: Value, parts: int | None) -> int | None:
        """Return by how much an index in the workgroup is shifted, if that leaves `parts`."""
        if not isinstance(local, Op) or local.ins.row.name != "shr_u32":
            return None
        item, shift = local.args
        if not (isinstance(shift, Const) and self._is_local(item, 0)) or parts is None:
            return None
        whole = self._size[1:] == (1, 1) and parts << (shift.bits & 31) == self._size[0]
        return shift.bits & 31 if whole else None

    def _constant(self, op: Op) -> None:
        match op.ins.row.stem:
            case "workgroupsize":
                self.constants[op.pc] = self._size[op.ins.literals[0]]
            case "workitemid" if self._size[op.ins.literals[0]] == 1:
                self.constants[op.pc] = 0
            case "workitemflatid" if prod(self._size) == 1:
                self.constants[op.pc] = 0

    def _place(self, op: Op) -> int | None:
        """Return the dimension if an op is a place in the grid."""
        row, args = op.ins.row, op.args
        if op.cls is not RegClass.S:
            return None
        if row.stem == "workgroupid":
            return op.ins.literals[0] if self._size[op.ins.literals[0]] == 1 else None
        if row.type is None or row.type.is_float:
            return None
        if row.stem == "mad":
            first, local = self._first(args[0], args[1]), args[2]
            return first if first is not None and self._is_local(local, first) else None
        if row.stem in ("add", "or"):
            for start, local in (args, args[::-1]):
                first = self._start(start, shifted=row.stem == "or")
                if first is not None and self._is_local(local, first):
                    return first
        return None

    def _start(self, value: Value, *, shifted: bool) -> int | None:
        """Return the dimension of which a value is the place of a workgroup's first work-item.

        It has zeros where the index in the workgroup has bits, if `shifted`.
        """
        if not isinstance(value, Op) or value.ins.row.type is None or value.ins.row.type.is_float:
            return None
        a, b = (*value.args, None, None)[:2]
        if a is None or b is None:
            return None
        match value.ins.row.stem:
            case "mul":
                first = self._first(a, b)
                if first is None or (shifted and self._size[first].bit_count() != 1):
                    return None
                return first
            case "shl" if isinstance(b, Const):
                return self._first(a, Const(b.cls, 1 << (b.bits & 31)))
        return None

    def _first(self, a: Value, b: Value) -> int | None:
        """Return the dimension if two factors are a workgroup's index and size in it."""
        for group, size in ((a, b), (b, a)):
            if not isinstance(group, Op) or group.ins.row.stem != "workgroupid":
                continue
            dimension = group.ins.literals[0]
            if self._number(size) == self._size[dimension]:
                return dimension
        return None

    def _number(self, value: Value) -> int | None:
        if isinstance(value, Const):
            return value.bits & 0xFFFFFFFF
        return self.constants.get(value.pc) if isinstance(value, Op) else None

    def _is_local(self, value: Value, dimension: int) -> bool:
        """Return whether a value is the index in the workgroup, in a dimension."""
        if self._size[dimension] == 1 and self._number(value) == 0:
            return True
        if not isinstance(value, Op):
            return False
        if value.ins.row.stem == "workitemflatid":
            return dimension == 0 and self._size[1:] == (1, 1)
        return value.ins.row.stem == "workitemid" and value.ins.literals[0] == dimension

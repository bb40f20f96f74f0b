"""The resident lanes of a launch: registers, identity and on-chip memory of several workgroups.

The interpreter runs a batch of workgroups at a time. Lanes are numbered flat: workgroup slot, warp,
lane. Every register is one array over all of them, so that one NumPy call serves every warp at the
same pc.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...isa.types import Type
from ..engine import Work
from .alu import dtype_of

Array = np.ndarray


class Registers:
    """The registers of one class: one array of shape (registers, lanes), and views of it."""

    def __init__(self, count: int, lanes: int, dtype: str) -> None:
        self.bits = np.zeros((count, lanes), dtype)
        self._views: dict[np.dtype, Array] = {self.bits.dtype: self.bits}

    def view(self, dtype: np.dtype) -> Array:
        """Return the same bits read as another type of the same width."""
        found = self._views.get(dtype)
        if found is None:
            found = self._views[dtype] = self.bits.view(dtype)
        return found


@dataclass(slots=True)
class Group:
    """The lanes that issue one instruction together in the interpreter: some warps at one pc.

    `index` selects the running lanes of a flat array: a slice where they are contiguous (then
    operands are views), else an index array. `warps` are the rows, `count` the number of lanes.
    """

    index: slice | Array
    warps: Array
    count: int
    lanes: Array | None = None

    def flat(self, numbers: Array) -> Array:
        """Return the flat lane numbers; `numbers` is arange over all lanes."""
        if self.lanes is None:
            self.lanes = numbers[self.index] if isinstance(self.index, slice) else self.index
        return self.lanes


class Resident:
    """State of up to `slots` workgroups at once; `load` fills it with a range of workgroups."""

    def __init__(self, work: Work, slots: int) -> None:
        geometry, kernel = work.geometry, work.kernel
        self.work = work
        self.width = geometry.width
        self.slots = slots
        self.warps_per_group = -(-geometry.largest_group // self.width)
        self.lanes_per_group = self.warps_per_group * self.width
        self.n_warps = slots * self.warps_per_group
        self.n_lanes = self.n_warps * self.width
        used = kernel.registers
        self.registers = {
            "s": Registers(used["s"], self.n_lanes, "uint32"),
            "d": Registers(used["d"], self.n_lanes, "uint64"),
            "c": Registers(used["c"], self.n_lanes, "bool"),
        }
        self.group_memory = np.zeros(slots * kernel.group_size, np.uint8)
        self.private_memory = np.zeros(self.n_lanes * kernel.private_size, np.uint8)
        self.numbers = np.arange(self.n_lanes)
        self.first_group = 0
        self.started = np.zeros((self.n_warps, self.width), bool)
        self._identity: dict[tuple[str, int], Array] = {}
        self.watched_writes: int | None = None
        """Stores that changed memory, counted while the hang detector watches; else None."""

    def note_write(self, elements: Array, index: Array, values: Array) -> None:
        """Count a store that changes memory, while the hang detector watches."""
        if self.watched_writes is not None and (elements[index] != values).any():
            self.watched_writes += 1

    def load(self, first: int, count: int) -> None:
        """Start `count` workgroups from flat number `first` on, with everything zero."""
        for registers in self.registers.values():
            registers.bits[:] = 0
        self.group_memory[:] = 0
        self.private_memory[:] = 0
        self.first_group = first
        self.n_groups = count
        self._identity.clear()
        for name in ("_local", "_group_ids", "_sizes"):
            self.__dict__.pop(name, None)
        local = self.numbers % self.lanes_per_group
        size = np.prod(self._sizes, axis=1)
        slot = self.numbers // self.lanes_per_group
        live = (slot < count) & (local < size[np.minimum(slot, count - 1)])
        self.started = live.reshape(self.n_warps, self.width)

    def register(self, name: str, index: int, type_: Type) -> Array:
        """Return one register over all lanes, read as `type_`."""
        return self.registers[name].view(dtype_of(type_))[index]

    def place(self, lane: int) -> tuple[int, int]:
        """Return (flat workgroup, flat local id) of a flat lane number."""
        return self.first_group + lane // self.lanes_per_group, lane % self.lanes_per_group

    @cached_property
    def _group_ids(self) -> Array:
        """workgroupid of each resident workgroup, shape (groups, 3)."""
        flat = self.first_group + np.arange(self.n_groups)
        gx, gy, _ = self.work.geometry.groups
        return np.stack([flat % gx, flat // gx % gy, flat // (gx * gy)], axis=1)

    @cached_property
    def _sizes(self) -> Array:
        """currentworkgroupsize of each resident workgroup, shape (groups, 3)."""
        geometry = self.work.geometry
        nominal = np.array(geometry.group_size)
        return np.minimum(nominal, np.array(geometry.items) - self._group_ids * nominal)

    @cached_property
    def _local(self) -> Array:
        """workitemid of every lane, shape (lanes, 3); lanes that never start have any value."""
        slot = np.minimum(self.numbers // self.lanes_per_group, self.n_groups - 1)
        flat = self.numbers % self.lanes_per_group
        sx, sy = self._sizes[slot, 0], self._sizes[slot, 1]
        return np.stack([flat % sx, flat // sx % sy, flat // (sx * sy)], axis=1)

    def identity(self, stem: str, dimension: int) -> Array:
        """Return the value of an identity instruction for every lane, uint32."""
        found = self._identity.get((stem, dimension))
        if found is None:
            value = np.asarray(self._compute_identity(stem, dimension))
            found = np.broadcast_to(value.astype(np.uint32), (self.n_lanes,))
            self._identity[stem, dimension] = found
        return found

    def _compute_identity(self, stem: str, dim: int) -> Array | int:
        geometry = self.work.geometry
        slot = np.minimum(self.numbers // self.lanes_per_group, self.n_groups - 1)
        flat = self.numbers % self.lanes_per_group
        match stem:
            case "workitemid":
                return self._local[:, dim]
            case "workgroupid":
                return self._group_ids[slot, dim]
            case "workgroupsize":
                return geometry.group_size[dim]
            case "currentworkgroupsize":
                return self._sizes[slot, dim]
            case "gridsize":
                return geometry.items[dim]
            case "gridgroups":
                return geometry.groups[dim]
            case "workitemabsid":
                return self._group_ids[slot, dim] * geometry.group_size[dim] + self._local[:, dim]
            case "workitemflatid":
                return flat
            case "workitemflatabsid":
                x, y, z = (self.identity("workitemabsid", d).astype(np.int64) for d in range(3))
                return x + geometry.items[0] * (y + geometry.items[1] * z)
            case "laneid":
                return flat % self.width
            case "waveid":
                return flat // self.width
            case "wavesize":
                return self.width
        raise KeyError(stem)

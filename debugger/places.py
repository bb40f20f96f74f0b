"""What names mean: registers, buffers, parameters and arrays, for one lane at one position."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..isa.errors import UsageError, did_you_mean
from ..isa.types import TYPES, Type
from .expressions import Element, Name, Node, Register, evaluate
from .machine import Machine
from .timeline import Timeline
from .values import Value, decode, register_size, shown_value, type_of

Array = np.ndarray

MOMENT = ("t", "pc", "line", "lane", "warp", "item", "workgroup", "local", "launch", "mask")
"""Names that an expression may use, besides registers, memory and parameters."""

RAW = "mem"
"""`mem[address]` is global memory by its address."""


@dataclass(frozen=True)
class Place:
    """A register of a flat lane, or bytes of memory.

    `where` is "$s3", or a segment. `place` is a flat lane (registers, private memory), a
    workgroup (group memory) or 0; `address` an address or an offset.
    """

    where: str
    place: int
    address: int
    type: Type
    fmt: str
    text: str

    @property
    def size(self) -> int:
        """Bytes."""
        return register_size(self.where) if self.where.startswith("$") else self.type.size

    def read(self, machine: Machine) -> Value:
        """Return the value now. Raises UsageError."""
        return decode(self.bits(machine), self.type)

    def bits(self, machine: Machine) -> int:
        """Return the bits now."""
        if self.where.startswith("$"):
            return int(machine.register_bits(self.where, self.place))
        if self.where == "global":
            content = machine.global_bytes(self.address, self.size)
        else:
            whole = machine.segment_bytes(self.where, self.place)
            content = whole[self.address : self.address + self.size]
        if content is None or len(content) < self.size:
            raise UsageError(f"there is no memory at {self.text}", code="SIM532")
        return int.from_bytes(content.tobytes(), "little")

    def shown(self, value: Value) -> str:
        """Return a value of the place as text."""
        return shown_value(value, self.fmt, self.size)


class LaneNames:
    """Names for one lane of a warp at a machine's position; `expressions.Names`."""

    def __init__(self, machine: Machine, timeline: Timeline, warp: int, lane: int) -> None:
        self.machine, self.timeline = machine, timeline
        self.warp, self.lane = warp, lane
        self.position = machine.position
        self.launch = timeline.launch_at(self.position)
        self._facts = timeline.recording.facts

    @cached_property
    def first_lane(self) -> int:
        """The flat number of the warp's lane 0."""
        t = self.timeline.moment(self.warp, self.position)
        found = self.machine.first_lane(self.warp, t)
        if found < 0:
            name = self._facts["warps"][self.warp]
            raise UsageError(f"{name} is empty at {self._facts['unit']} {t}", code="SIM532")
        return found

    @property
    def _kernel(self) -> dict[str, Any]:
        return self.timeline.kernel(self.launch)

    def flat_lane(self, lane: Value | None = None) -> int:
        """Return the flat number of a lane of the warp. Raises UsageError where it is empty."""
        number = self.lane if lane is None else lane
        width = self.timeline.recording.width
        if number != int(number) or not 0 <= number < width:
            raise UsageError(
                f"there is no lane {number}: a warp has lanes 0 to {width - 1}", code="SIM532"
            )
        flat = self.first_lane + int(number)
        if not self.machine.has_started(flat):
            name = self._facts["warps"][self.warp]
            raise UsageError(f"lane {int(number)} of {name} has no work-item", code="SIM532")
        return flat

    # --- places

    def place(self, node: Node) -> Place:
        """Return the place that an expression names. Raises UsageError for another expression."""
        match node:
            case Register(name, lane, fmt):
                return self._register(
                    name, None if lane is None else evaluate(lane, self), fmt
                )  # fmt: skip
            case Element(array, index, fmt):
                return self._element(array, evaluate(index, self), fmt)
            case Name(name):
                raise UsageError(
                    f"{name} is not a register and not an element of memory",
                    code="SIM532",
                    hint="name one of them, as `$s3`, `$s3[5]` or `y[12]`",
                )
        raise UsageError(
            "this is a value, not a register or an element of memory",
            code="SIM532",
            hint="name one of them, as `$s3`, `$s3[5]` or `y[12]`",
        )

    def _register(self, name: str, lane: Value | None, fmt: str) -> Place:
        used = self._kernel["registers"]
        cls, number = name[1], int(name[2:])
        if number >= used[cls]:
            last = f"up to ${cls}{used[cls] - 1}" if used[cls] else f"without ${cls} registers"
            raise UsageError(
                f"kernel {self._kernel['name']} has no register {name}: it is {last}",
                code="SIM532",
            )
        shown_lane = self.lane if lane is None else lane
        flat = self.flat_lane(lane)
        type_ = type_of(fmt, register_size(name)) if fmt else self.register_type(name)
        if type_.size != register_size(name):
            raise UsageError(
                f"{name} has {8 * register_size(name)} bits, and {type_} has {type_.bits}",
                code="SIM532",
            )
        return Place(name, flat, 0, type_, fmt, f"{name}[lane {int(shown_lane)}]")

    def register_type(self, name: str) -> Type:
        """Return the type that a kernel's instructions write to a register, if they agree."""
        return register_type(self._kernel, name)

    def _element(self, array: str, index: Value, fmt: str) -> Place:
        if isinstance(index, float) and not index.is_integer():
            raise UsageError(f"{index} is not an index", code="SIM532")
        at = int(index)
        if array == RAW:
            type_ = self._memory_type(fmt, "u32")
            if self.machine.global_bytes(at, type_.size) is None:
                raise UsageError(
                    f"no buffer holds {type_.size} bytes at 0x{at:x}",
                    code="SIM532",
                    hint="`memory` lists the buffers",
                )
            return Place("global", 0, at, type_, fmt, f"mem[0x{at:x}]")
        found = self.arrays().get(array)
        if found is None:
            known = (*self.arrays(), RAW)
            raise UsageError(
                f"there is no array {array}; there are {', '.join(known)}",
                code="SIM532",
                hint=did_you_mean(array, known),
            )
        type_ = self._memory_type(fmt, found.type)
        count = found.size // type_.size
        if not 0 <= at < count:
            raise UsageError(
                f"{array}[{at}] does not exist: {array} has {count} elements of {type_}",
                code="SIM532",
            )
        place = 0
        if found.segment == "group":
            place = self.machine.place(self.flat_lane())[0]
        elif found.segment == "private":
            place = self.flat_lane()
        address = found.start + at * type_.size
        return Place(found.segment, place, address, type_, fmt, f"{array}[{at}]")

    @staticmethod
    def _memory_type(fmt: str, usual: str) -> Type:
        if fmt in ("", "u", "s", "f", "x", "b"):
            size = TYPES[usual].size
            return TYPES[usual] if not fmt else type_of(fmt, size)
        return type_of(fmt, TYPES[fmt].size if fmt in TYPES else 4)

    def arrays(self) -> dict[str, Memory]:
        """Return every array by name: `%x` through the parameter, `x` by the buffer's own name."""
        return {m.name: m for m in memories(self.timeline, self.launch)}

    # --- expressions.Names

    def register(self, name: str, lane: Value | None, fmt: str) -> Value:
        return self._register(name, lane, fmt).read(self.machine)

    def element(self, array: str, index: Value, fmt: str) -> Value:
        return self._element(array, index, fmt).read(self.machine)

    def name(self, name: str) -> Value:
        next_own = self.timeline.next_of(self.warp, self.position)
        match name:
            case "t":
                return self.timeline.time(self.position)
            case "lane":
                return self.lane
            case "warp":
                return self.warp
            case "launch":
                return self.launch
            case "item":
                return self.machine.item(self.flat_lane())
            case "workgroup":
                return self.machine.place(self.flat_lane())[0]
            case "local":
                return self.machine.place(self.flat_lane())[1]
            case "mask":
                return int(self.timeline.mask[next_own]) if next_own is not None else 0
            case "pc" | "line":
                own = self.timeline.next_by_lane(self.warp, self.position)[self.lane]
                if own is None:
                    raise UsageError(f"lane {self.lane} executes nothing more", code="SIM532")
                pc = int(self.timeline.pc[own])
                return pc if name == "pc" else self._kernel["instructions"][pc]["line"] or 0
        plain = name.removeprefix("%")
        arguments = self._facts["launches"][self.launch]["arguments"]
        for argument in arguments:
            if argument["name"] == plain and (name != plain or not argument["pointer"]):
                value = argument["value"]
                return float(value) if isinstance(value, str) else value
        scalars = [a["name"] for a in arguments if not a["pointer"]]
        known = [*MOMENT, *scalars]
        if name in self.arrays():
            raise UsageError(
                f"{name} is an array; name an element, as {name}[0]",
                code="SIM532",
                hint=f"%{name} is its address, where a parameter points to it",
            )
        raise UsageError(
            f"unknown name {name}; there are {', '.join(known)}, registers and arrays",
            code="SIM532",
            hint=did_you_mean(name, known),
        )


@dataclass(frozen=True)
class Memory:
    """An array of memory: `size` bytes from address or offset `start` of a segment on."""

    name: str
    segment: str
    start: int
    size: int
    type: str


def memories(timeline: Timeline, launch: int) -> list[Memory]:
    """Return the buffers, the buffers through parameters, and the arrays of a launch's kernel."""
    facts = timeline.recording.facts
    found: list[Memory] = []
    seen: dict[str, int] = {}
    for b in facts["buffers"]:
        seen[b["name"]] = count = seen.get(b["name"], 0) + 1
        name = b["name"] if count == 1 else f"{b['name']}_{count}"
        found.append(Memory(name, "global", b["address"], b["size"], b["type"]))
    for argument in facts["launches"][launch]["arguments"] if facts["launches"] else ():
        for b in facts["buffers"] if argument["pointer"] else ():
            offset = argument["value"] - b["address"]
            if 0 <= offset < b["size"]:
                found.append(
                    Memory(f"%{argument['name']}", "global", argument["value"],
                           b["size"] - offset, argument["type"])
                )  # fmt: skip
    for array in timeline.kernel(launch)["arrays"] if facts["launches"] else ():
        size = array["count"] * TYPES[array["type"]].size
        found.append(Memory(array["name"], array["segment"], array["offset"], size, array["type"]))
    return found


def register_type(kernel: dict[str, Any], name: str) -> Type:
    """Return the type that a kernel's instructions write to a register; unsigned if they differ."""
    if name[1] == "c":
        return TYPES["b1"]
    size = register_size(name)
    types = {
        ins["type"] for ins in kernel["instructions"] if ins["dst"] == name and ins["type"] in TYPES
    }
    fitting = {TYPES[t] for t in types if t is not None}
    if len(fitting) == 1:
        (only,) = fitting
        if only.size == size:
            return only
        if only.is_signed and not only.is_float:
            return type_of("s", size)
    return type_of("u", size)

"""What the oracle keeps of a launch: work-items, workgroups, and the memory that is not global."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from ...isa.types import Segment
from ..geometry import Dim3, Geometry
from ..traps import TrapKind


class State(Enum):
    """What a work-item is doing."""

    RUNNING = auto()
    WAITING = auto()
    """At a barrier; `pc` is the barrier's."""
    RETURNED = auto()
    TRAPPED = auto()


@dataclass(eq=False, slots=True)
class Workgroup:
    """A workgroup that runs: its group memory, and those of its work-items that still take turns.

    `number` is its flat number, `size` its actual size (currentworkgroupsize).
    """

    geometry: Geometry
    number: int
    id: Dim3
    size: Dim3
    memory: bytearray
    items: list[WorkItem] = field(default_factory=list)
    running: list[WorkItem] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class WorkItem:
    """One work-item.

    `slots` holds its registers as bit patterns, and after them the constants of the code (see
    code.py). `local` is the flat local id; `executed` counts instructions; `trace` collects the
    pc of each if a trace was requested.
    """

    group: Workgroup
    local: int
    slots: list[int]
    private: bytearray
    trace: list[int] | None
    pc: int = 0
    executed: int = 0
    state: State = State.RUNNING


class Trapped(Exception):
    """The instruction that a work-item is at traps; pc and work-item are its own."""

    def __init__(
        self,
        kind: TrapKind,
        segment: Segment | None = None,
        address: int | None = None,
        size: int = 0,
        store: bool = False,
        code: int = 0,
        detail: str = "",
    ) -> None:
        self.kind = kind
        self.segment = segment
        self.address = address
        self.size = size
        self.store = store
        self.code = code
        self.detail = detail
        super().__init__(kind)

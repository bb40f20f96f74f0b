"""Variables as the protocol has them: numbers that stand for scopes, registers and arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...isa.errors import UsageError
from ...isa.types import TYPES
from .. import views
from ..places import Memory, memories, register_type
from ..session import Session
from ..values import decode, elements, readings, register_size, shown_element, shown_value

Row = dict[str, Any]

MOST_ROWS = 1 << 12
"""Elements that one request returns."""

CLASSES = {"s": "Registers $s", "d": "Registers $d", "c": "Registers $c"}


@dataclass(frozen=True)
class Container:
    """Something with variables in it. `rows(start, count)` returns them, paged.

    `place(name)` returns the expression of one of them, to be changed or watched, or "" for none.
    """

    rows: Callable[[int, int], list[Row]]
    place: Callable[[str], str]


class Variables:
    """The containers of one stop, by their number; `forget` when the session moves."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._containers: list[Container] = []

    def forget(self) -> None:
        """Forget all numbers: they hold for one stop only."""
        self._containers.clear()

    def __getitem__(self, reference: int) -> Container:
        if not 1 <= reference <= len(self._containers):
            raise UsageError(f"variablesReference {reference} is not of this stop", code="SIM531")
        return self._containers[reference - 1]

    def _add(self, rows: Callable[[int, int], list[Row]], place: Callable[[str], str]) -> int:
        self._containers.append(Container(rows, place))
        return len(self._containers)

    # --- scopes

    def scopes(self, lane: int) -> list[Row]:
        """Return the scopes of a lane of the warp in focus."""
        used = self.session.kernel["registers"]
        found = [
            _scope(title, self._registers(cls, lane), count, "registers")
            for cls, title in CLASSES.items()
            if (count := used[cls])
        ]
        found.append(_scope("Focus", self._add(self._focus, lambda name: ""), 5))
        found.append(_scope("All lanes", self._all_lanes(), sum(used.values())))
        arrays = memories(self.session.timeline, self.session.launch)
        found.append(_scope("Memory", self._memory(arrays), len(arrays)))
        return found

    def _registers(self, cls: str, lane: int) -> int:
        session = self.session

        def rows(start: int, count: int) -> list[Row]:
            now = session.registers()
            names = [name for name in now if name[1] == cls][start : start + count]
            return [self._register(name, int(now[name][lane]), lane) for name in names]

        return self._add(rows, lambda name: f"{name}[{lane}]")

    def _register(self, name: str, bits: int, lane: int) -> Row:
        session = self.session
        type_ = register_type(session.kernel, name)
        size = register_size(name)
        value = shown_value(decode(bits, type_), size=size) if name[1] != "c" else (
            "true" if bits else "false"
        )  # fmt: skip
        changed = session.changed.get(name)
        mark = "  (changed)" if changed is not None and changed[lane] else ""
        more = "" if name[1] == "c" else f"  {readings(bits, name)[0]}"
        return {
            "name": name, "value": value + more + mark, "type": str(type_),
            "evaluateName": f"{name}[{lane}]", "variablesReference": 0,
        }  # fmt: skip

    def _focus(self, start: int, count: int) -> list[Row]:
        session = self.session
        rows = [
            ("warp", str(session.warp)),
            ("lane", str(session.lane)),
            (session.recording.facts["unit"], str(session.t)),
            ("mask", views.mask_text(session, session.next_mask)),
            ("edited", "yes" if session.is_edited else "no"),
        ]
        return [
            {"name": name, "value": value, "variablesReference": 0}
            for name, value in rows[start : start + count]
        ]

    def _all_lanes(self) -> int:
        session = self.session

        def rows(start: int, count: int) -> list[Row]:
            names = list(session.registers())[start : start + count]
            return [
                {"name": name, "value": f"{session.recording.width} lanes",
                 "type": str(register_type(session.kernel, name)),
                 "variablesReference": self._lanes(name),
                 "indexedVariables": session.recording.width}
                for name in names
            ]  # fmt: skip

        return self._add(rows, lambda name: "")

    def _lanes(self, register: str) -> int:
        session = self.session

        def rows(start: int, count: int) -> list[Row]:
            bits = session.registers()[register]
            found = []
            for lane in range(start, min(start + count, len(bits))):
                row = self._register(register, int(bits[lane]), lane)
                found.append({**row, "name": f"[{lane}]"})
            return found

        return self._add(rows, lambda name: register + name)

    # --- memory

    def _memory(self, arrays: list[Memory]) -> int:
        def rows(start: int, count: int) -> list[Row]:
            return [self._array(memory) for memory in arrays[start : start + count]]

        return self._add(rows, lambda name: "")

    def _array(self, memory: Memory) -> Row:
        n = memory.size // TYPES[memory.type].size
        row: Row = {
            "name": memory.name, "value": f"{memory.segment} {memory.type}[{n}]",
            "type": f"{memory.type}[{n}]", "variablesReference": self._elements(memory),
            "indexedVariables": n,
        }  # fmt: skip
        if memory.segment == "global":
            row["memoryReference"] = f"0x{memory.start:x}"
        return row

    def _elements(self, memory: Memory) -> int:
        def rows(start: int, count: int) -> list[Row]:
            type_ = TYPES[memory.type]
            every = elements(views.memory_bytes(self.session, memory), type_)
            stop = min(start + count, len(every))
            return [
                {"name": f"[{i}]", "value": shown_element(every[i], "", type_.size),
                 "type": memory.type, "evaluateName": f"{memory.name}[{i}]",
                 "variablesReference": 0}
                for i in range(start, stop)
            ]  # fmt: skip

        return self._add(rows, lambda name: memory.name + name)


def _scope(name: str, reference: int, count: int, hint: str | None = None) -> Row:
    found: Row = {
        "name": name, "variablesReference": reference, "expensive": False, "namedVariables": count,
    }  # fmt: skip
    return {**found, "presentationHint": hint} if hint else found

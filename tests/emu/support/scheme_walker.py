"""Walks a scheme through a program of addresses, for the papers' worked scenarios.

The program is written as in the papers: byte address -> operation, 8 bytes each. An operation is
`("alu",)`, `("jmp", target)`, `("br", target, join or None, outcome)`, `("rcv",)` or `("exit",)`;
`outcome(lane, visit)` tells whether a lane takes the branch at its n-th visit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from simtlab.emu.engine import SchemeSpec
from simtlab.emu.schemes import NOWHERE, Scheme, resolve

Operation = tuple
Outcome = Callable[[int, int], bool]


@dataclass
class Walk:
    """What happened: (address, mask string) per issued instruction, and the merges seen."""

    width: int
    issued: list[tuple[int, str]] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    comparisons: int = 0

    @property
    def count(self) -> int:
        return len(self.issued)

    @property
    def activity(self) -> float:
        lanes = sum(mask.count("1") for _, mask in self.issued)
        return round(lanes / (self.width * self.count), 4)

    @property
    def addresses(self) -> list[int]:
        return [address for address, _ in self.issued]


def lanes(text: str) -> int:
    """A mask from the papers' notation: leftmost character = lane 0."""
    return sum(1 << lane for lane, c in enumerate(text) if c == "1")


def show(mask: int, width: int) -> str:
    return "".join("1" if mask >> lane & 1 else "0" for lane in range(width))


def taken_by(text: str) -> Outcome:
    """Lanes of this mask take the branch, at every visit."""
    mask = lanes(text)
    return lambda lane, visit: bool(mask >> lane & 1)


def start(name: str, width: int, **knobs: str | int | bool) -> Scheme:
    cls, options = resolve(SchemeSpec(name, knobs))
    return cls((1 << width) - 1, options)


def walk(
    name: str, program: dict[int, Operation], width: int = 8, limit: int = 500, **knobs: object
) -> Walk:
    """Run the program under a scheme to the end, one instruction at a time."""
    scheme = start(name, width, **knobs)  # type: ignore[arg-type]
    result = Walk(width)
    visits: dict[tuple[int, int], int] = {}
    while scheme.mask:
        assert result.count < limit, "the walk does not end"
        address, mask = scheme.pc * 8, scheme.mask
        result.issued.append((address, show(mask, width)))
        result.comparisons += scheme.comparisons
        step(scheme, program[address], visits, width)
        result.depths.append(scheme.depth)
    return result


def step(
    scheme: Scheme, operation: Operation, visits: dict[tuple[int, int], int], width: int
) -> None:
    """Issue one instruction of the running path, by the contract of schemes/base.py."""
    pc, mask = scheme.pc, scheme.mask
    fall = pc + 1
    match operation:
        case ("exit",):
            scheme.exit()
            return
        case ("jmp", target):
            scheme.pc = target // 8
        case ("br", target, join, outcome):
            taken = 0
            for lane in range(width):
                if mask >> lane & 1:
                    visit = visits[pc, lane] = visits.get((pc, lane), -1) + 1
                    taken |= outcome(lane, visit) << lane
            if taken not in (0, mask):
                scheme.branch(taken, target // 8, fall, None if join is None else join // 8)
                return
            scheme.pc = target // 8 if taken else fall
        case _:
            scheme.pc = fall
    is_met = scheme.pc >= scheme.watch if scheme.watches_order else scheme.pc == scheme.watch
    if scheme.watch != NOWHERE and is_met:
        scheme.arrive()
    if operation == ("rcv",):
        scheme.reconverge()

"""The post-dominator stack, implicit and explicit (DWS-02, PPC-01, PPC-02).

A warp has a stack of (PC, RPC, mask); the top entry runs. A divergent branch sets the top's PC to
the branch's re-convergence point and pushes both paths, the one to run first on top. A path that
reaches its RPC is popped.

The explicit form checks the RPC only when a `reconverge` instruction is issued, as machines do
whose finalizer marks the join (PPC-02); the joined lanes continue after that instruction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .base import NOWHERE, Knobs, Scheme


@dataclass(slots=True)
class Entry:
    """One stack entry. `rpc` is NOWHERE at the bottom and for branches without a join."""

    pc: int
    rpc: int
    mask: int


class IpdomStack(Scheme):
    """Re-convergence at the immediate post-dominator, noticed when the PC reaches it."""

    name = "stack"
    knobs: ClassVar[Knobs] = {"first-path": ("fallthrough", "taken", "majority", "minpc")}

    def __init__(self, mask: int, options: dict[str, str | int | bool]) -> None:
        super().__init__(mask, options)
        self.stack = [Entry(0, NOWHERE, mask)]

    @property
    def depth(self) -> int:
        return len(self.stack)

    @property
    def comparisons(self) -> int:
        return 0 if self.watch == NOWHERE else 1

    def branch(self, taken: int, target: int, fall: int, join: int | None) -> None:
        rpc = NOWHERE if join is None else join
        top = self.stack[-1]
        top.pc = self._resume(rpc)
        taken_path = Entry(target, rpc, taken)
        fall_path = Entry(fall, rpc, self.mask & ~taken)
        if self._takes_first(taken_path, fall_path):
            self.stack += [fall_path, taken_path]
        else:
            self.stack += [taken_path, fall_path]
        self._settle()

    def _resume(self, rpc: int) -> int:
        """Return the pc at which the joined lanes continue."""
        return rpc

    def _takes_first(self, taken: Entry, fall: Entry) -> bool:
        """Return whether the taken path runs first (Q-DWS-11: fall-through by default)."""
        match self.options["first-path"]:
            case "taken":
                return True
            case "majority":
                return taken.mask.bit_count() > fall.mask.bit_count()
            case "minpc":
                return taken.pc < fall.pc
            case _:
                return False

    def arrive(self) -> None:
        self.stack.pop()
        self._settle()

    def exit(self) -> None:
        returned = self.mask
        for entry in self.stack:
            entry.mask &= ~returned
        self.stack.pop()
        self._settle()

    def _settle(self) -> None:
        """Pop entries that are empty or already at their RPC (Q-DWS-12), then run the top."""
        stack = self.stack
        while stack and (not stack[-1].mask or self._is_done(stack[-1])):
            stack.pop()
        if not stack:
            self.mask, self.watch = 0, NOWHERE
            return
        top = stack[-1]
        self.pc, self.mask, self.watch = top.pc, top.mask, self._watch(top)

    def _is_done(self, entry: Entry) -> bool:
        return entry.pc == entry.rpc

    def _watch(self, entry: Entry) -> int:
        return entry.rpc

    def stack_rows(self) -> list[tuple[int, int, int]]:
        return [(entry.pc, entry.rpc, entry.mask) for entry in self.stack]

    def parked(self) -> list[tuple[int, int]]:
        paths: list[tuple[int, int]] = []
        above = self.mask
        for entry in reversed(self.stack[:-1]):
            waiting = entry.mask & ~above
            if waiting:
                paths.append((waiting, entry.pc))
            above |= entry.mask
        return paths


class ExplicitIpdomStack(IpdomStack):
    """Re-convergence only where a `reconverge` instruction is issued."""

    name = "ipdom-explicit"
    explicit = True

    def _resume(self, rpc: int) -> int:
        return NOWHERE if rpc == NOWHERE else rpc + 1

    def _is_done(self, entry: Entry) -> bool:
        # A path that starts at its join still has to issue the instruction there. A joined path of
        # the same branch in a later iteration is past it: its lanes have issued theirs.
        return entry.rpc != NOWHERE and entry.pc == entry.rpc + 1

    def _watch(self, entry: Entry) -> int:
        return NOWHERE

    def reconverge(self) -> None:
        if self.stack[-1].rpc == self.pc - 1:
            self.stack.pop()
            self._settle()

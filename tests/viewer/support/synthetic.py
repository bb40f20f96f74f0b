"""Recordings made up by a toy machine: branches and misses are drawn, shapes are real.

The page's own tests need recordings of any size and form quickly, without a simulation. The kernel
is assembled, each warp has a post-dominator stack, lanes that miss wait or, with `splits`, fall
behind; which lanes branch, miss and what they compute is drawn.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from simtlab.asm.assemble import assemble
from simtlab.recording.kernels import described
from simtlab.recording.tables import INSTANTS, TABLES

CAUSES = ["issued", "ready", "hit", "bank", "mshr", "l2", "memory", "fetch"]
MEMORY = CAUSES.index("memory")
BASE = 0x10000


@dataclass
class Group:
    number: int
    mask: int
    pc: int
    ready: int = 0
    parked: bool = False

    def fact(self, t: int) -> dict[str, Any]:
        status = "parked" if self.parked else "wait" if self.ready > t + 1 else "ready"
        found = {"id": self.number, "mask": f"{self.mask:x}", "pc": self.pc, "status": status}
        return found | ({"ready": self.ready, "cause": MEMORY} if status == "wait" else {})


@dataclass
class Warp:
    number: int
    stack: list[list[Any]]
    """PC, RPC and mask of each entry; None for no RPC."""
    groups: list[Group]
    made: int = 1

    def group(self, mask: int, pc: int, ready: int) -> None:
        self.groups.append(Group(self.number * 64 + self.made % 64, mask, pc, ready))
        self.made += 1


@dataclass
class Toy:
    """A run of `kernel` of a source on `warps` warps, until `issues` instructions were issued."""

    source: str | Path
    kernel: str
    warps: int = 4
    width: int = 8
    issues: int = 2_000
    splits: bool = False
    seed: int = 1
    miss: int = 30
    refills: bool = False
    """Whether a warp context takes another warp when its own has returned."""
    rows: dict[str, list[tuple[int, ...]]] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)

    def run(self) -> dict[str, np.ndarray]:
        """Return the members of the .npz file, with values."""
        self.rng = np.random.default_rng(self.seed)
        program = assemble(self.source)
        kernel = program.kernel(self.kernel)
        self.code = kernel.instructions
        self.rows = {name: [] for name in TABLES}
        self.values: dict[str, list[int]] = {"value": [], "address": [], "stored": []}
        self.whole = (1 << self.width) - 1
        warps = [Warp(w, [], []) for w in range(self.warps)]
        self.placed = 0
        for warp in warps:
            self._place(0, warp)
        self.last: dict[int, int] = {}
        t = turn = 0
        while len(self.rows["issue"]) < self.issues and any(w.groups for w in warps):
            ready = [(w, g) for w in warps for g in w.groups if g.ready <= t and not g.parked]
            if ready:
                turn += 1
                warp, group = min(ready, key=lambda p: (p[0].number - turn) % self.warps)
                self._issue(t, warp, group)
                self._keep(t, warp)
            t += 1
        facts = self._facts(program, kernel, t)
        found = {"facts": np.frombuffer(json.dumps(facts).encode(), np.uint8)}
        for table, dtype in TABLES.items():
            rows = np.array(sorted(self.rows[table], key=lambda r: r[0]), dtype)
            for name in dtype.names or ():
                found[f"{table}_{name}"] = np.ascontiguousarray(rows[name])
        found["memory_bytes"] = self.rng.integers(0, 50, 3 * 1024, np.int32).view(np.uint8)
        return found | {n: np.array(v, "<u8") for n, v in self.values.items()}

    def _issue(self, t: int, warp: Warp, group: Group) -> None:
        ins, pc, mask = self.code[group.pc], group.pc, group.mask
        self.rows["issue"].append((t, warp.number, group.number, 0, pc, 1, mask))
        self._values(ins, mask)
        group.ready = t + 1
        stem = ins.row.stem
        if stem == "ret":
            self._note(t, warp, "exit", pc, mask)
            self._leave(t, warp, group)
        elif stem == "cbr":
            self._branch(t, warp, group, ins)
        elif ins.row.is_load and ins.address and ins.address.segment.value == "global":
            group.pc += 1
            self._load(t, warp, group, pc)
        else:
            group.pc = ins.target or 0 if stem == "br" else pc + 1
        self._settle(t, warp)
        if self.refills and not warp.groups:
            self._place(t + 1, warp)

    def _place(self, t: int, warp: Warp) -> None:
        """Put the next warp of the launch into a context."""
        self.rows["occupant"].append((t, warp.number, self.placed // 2, self.placed % 2))
        self.placed += 1
        warp.stack = [[0, None, self.whole]]
        warp.group(self.whole, 0, t)

    def _branch(self, t: int, warp: Warp, group: Group, ins: Any) -> None:
        pc, mask = group.pc, group.mask
        taken = mask & self._draw(0.5 if self.rng.random() < 0.5 else float(self.rng.integers(2)))
        group.pc = ins.target if taken == mask else pc + 1
        if taken in (0, mask):
            return
        self._note(t, warp, "diverge", pc, mask, taken)
        top = warp.stack[-1]
        if top[2] == mask:
            top[0] = ins.join
            sides = [[ins.target, ins.join, taken], [pc + 1, ins.join, mask & ~taken]]
            warp.stack += sides
            group.mask = mask & ~taken
        else:
            group.mask = mask & ~taken
            warp.group(taken, ins.target, t + 1)
            self._note(t, warp, "split", pc, mask, taken)

    def _load(self, t: int, warp: Warp, group: Group, pc: int) -> None:
        mask = group.mask
        missed = mask & self._draw(0.2) if self.rng.random() < 0.4 else 0
        row = t, warp.number, group.number, 0, pc, mask, mask & ~missed
        self.rows["access"].append(row)
        if not missed:
            return
        self._note(t, warp, "miss", pc, mask, missed)
        until = t + self.miss
        row = t + 1, until, warp.number, group.number, 0, pc, missed, MEMORY
        self.rows["wait"].append(row)
        if self.splits and missed != mask:
            group.mask = mask & ~missed
            warp.group(missed, group.pc, until)
            self._note(t, warp, "split", pc, mask, missed)
        else:
            group.ready = until

    def _settle(self, t: int, warp: Warp) -> None:
        """Merge ready groups at one pc; pop the stack when all its lanes are at the RPC."""
        groups = warp.groups
        for a in list(groups):
            for b in list(groups):
                both = a is not b and a in groups and b in groups and a.pc == b.pc
                if both and max(a.ready, b.ready) <= t + 1 and not (a.parked or b.parked):
                    self._note(t, warp, "merge", a.pc, a.mask | b.mask, b.mask)
                    a.mask |= b.mask
                    groups.remove(b)
        while warp.stack:
            _, rpc, mask = warp.stack[-1]
            for g in groups:
                g.parked = rpc is not None and g.pc == rpc
            there = sum(g.mask for g in groups if g.parked)
            if mask and (rpc is None or there != mask):
                return
            ready = max((g.ready for g in groups), default=t + 1)
            groups.clear()
            warp.stack.pop()
            if warp.stack:
                pc, _, lanes = warp.stack[-1]
                if lanes:
                    warp.group(lanes, pc, ready)
                    self._note(t, warp, "join", pc, lanes, mask)

    def _leave(self, t: int, warp: Warp, group: Group) -> None:
        warp.groups.remove(group)
        for entry in warp.stack:
            entry[2] &= ~group.mask
        if not any(entry[2] for entry in warp.stack):
            warp.stack.clear()

    def _draw(self, p: float) -> int:
        return sum(1 << lane for lane in range(self.width) if self.rng.random() < p)

    def _values(self, ins: Any, mask: int) -> None:
        lanes = mask.bit_count()
        if ins.dst is not None:
            self.values["value"] += self.rng.integers(0, 100, lanes).tolist()
        is_access = ins.row.is_load or ins.row.is_store or ins.row.is_atomic
        if is_access and ins.address.segment.value != "kernarg":
            is_global = ins.address.segment.value == "global"
            places = self.rng.integers(0, 3 * 256, lanes) * 4 + (BASE if is_global else 0)
            self.values["address"] += places.tolist()
        if ins.row.is_store or ins.row.is_atomic:
            self.values["stored"] += self.rng.integers(100, 1000, lanes).tolist()

    def _note(self, t: int, warp: Warp, kind: str, pc: int, mask: int, other: int = 0) -> None:
        self.rows["instant"].append((t, warp.number, INSTANTS.index(kind), pc, mask, other))

    def _keep(self, t: int, warp: Warp) -> None:
        state: dict[str, Any] = {}
        if warp.stack:
            state["stack"] = [[pc, rpc, f"{mask:x}"] for pc, rpc, mask in warp.stack]
        groups = [g.fact(t) for g in warp.groups if not g.parked]
        waiting = [[f"{g.mask:x}", g.pc, "rpc-wait"] for g in warp.groups if g.parked]
        state |= {k: v for k, v in (("groups", groups), ("waiting", waiting)) if v}
        row = self.states.setdefault(json.dumps(state), len(self.states))
        if self.last.get(warp.number) != row:
            self.last[warp.number] = row
            self.rows["state"].append((t, warp.number, row))

    def _facts(self, program: Any, kernel: Any, end: int) -> dict[str, Any]:
        group = 2 * self.width
        items = self.placed * self.width
        return {
            "format": "simtlab recording", "version": 1, "kind": "timing", "unit": "cycle",
            "title": f"{self.kernel} under {'dws.lazy-split' if self.splits else 'conv'} on a toy",
            "begin": 0, "end": end, "lost": 0, "width": self.width,
            "machine": {"name": "toy"},
            "policy": "dws.lazy-split" if self.splits else "conv",
            "outcome": None, "versions": {"simtlab": "0"}, "sources": program.sources,
            "kernels": [described(program, kernel)],
            "launches": [{
                "kernel": 0, "t": 0, "groups": [-(-items // group), 1, 1],
                "group_size": [group, 1, 1], "items": [items, 1, 1],
                "arguments": [{"name": "n", "value": 768}],
                "buffers": [{"buffer": b, "offset": 1024 * b, "size": 1024} for b in range(3)],
            }],
            "buffers": [
                {"name": name, "address": BASE + 1024 * b, "size": 1024, "type": "s32"}
                for b, name in enumerate(("keys", "scratch", "out"))
            ],
            "warps": [f"warp {w % 2} of workgroup {w // 2}" for w in range(self.warps)],
            "causes": CAUSES, "instants": list(INSTANTS),
            "states": [json.loads(text) for text in self.states],
            "statistics": {"cycles": end, "warp_instructions": len(self.rows["issue"])},
        }  # fmt: skip


def repeated(members: dict[str, np.ndarray], times: int) -> dict[str, np.ndarray]:
    """Return a recording in which everything happens `times` times, one after the other."""
    facts = json.loads(members["facts"].tobytes())
    span = facts["end"]
    found = dict(members)
    for name, column in members.items():
        if "_" not in name or name == "memory_bytes":
            continue
        whole = np.tile(column, times)
        if name.endswith(("_t", "_until", "_ready")):
            whole += np.repeat(np.arange(times) * span, len(column))
        found[name] = whole
    for name in ("value", "address", "stored"):
        found[name] = np.tile(members[name], times)
    facts["end"] = span * times
    return found | {"facts": np.frombuffer(json.dumps(facts).encode(), np.uint8)}

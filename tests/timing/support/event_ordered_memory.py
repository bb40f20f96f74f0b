"""The coherent memory with events: every resource is claimed when a request gets to it.

The engine, and the reference beside this file, claim all that a request will need when it issues,
dated at when an undelayed request would come. This model has the same components and latencies,
but requests are processes, and who comes first in time is served first. It measures what the
engine's rule costs (docs/timing/memory.md); where requests do not overlap the two agree.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Generator, Sequence

from simtlab.timing.machines.machine import Machine

from .reference_memory import (
    EXCLUSIVE,
    LOAD,
    MODIFIED,
    SHARED,
    STORE,
    UPGRADE,
    Line,
    Lines,
    ReferenceMemory,
)

NEVER = 1 << 60


class Gate:
    """Something that opens once."""

    def __init__(self) -> None:
        self.is_open = False
        self.opened = NEVER
        self.waiting: list[tuple[Process, Gate]] = []


Process = Generator["int | Gate", None, None]
"""Yields the cycle at which it wants to go on, or the gate for which it waits."""


class Pool:
    """MSHR entries, given out in the order of asking; 0 of them means no limit."""

    def __init__(self, entries: int) -> None:
        self.left = entries or NEVER
        self.queue: deque[Gate] = deque()


class EventOrderedMemory(ReferenceMemory):
    """`begin` starts an access; `run` lets time pass."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self.now = 0
        self.events: list[tuple[int, int, Process, Gate]] = []
        self.started = 0
        self.pools = [Pool(machine.l1d.mshrs) for _ in range(machine.wpus)]
        self.l2_pool = Pool(machine.l2.mshrs)
        self.coming: dict[tuple[int, int], Gate] = {}
        """(WPU, or -1 for L2; line) -> the request under way."""
        self.granted: dict[tuple[int, int], Gate] = {}
        """(WPU, line) -> a request that the directory has let through, and whose answer is on its
        way: a copy that is called back meanwhile has to arrive first."""

    # --- processes

    def begin(self, process: Process, t: int) -> Gate:
        """Start a process; the gate opens when it is over."""
        gate = Gate()
        self._push(t, process, gate)
        return gate

    def run(self) -> None:
        """Until nothing happens any more."""
        while self.events:
            self.now, _, process, gate = heapq.heappop(self.events)
            self.at_wpu = self.at_bank = self.at_lookup = self.now
            self._step(process, gate)

    def _push(self, t: int, process: Process, gate: Gate) -> None:
        self.started += 1
        heapq.heappush(self.events, (t, self.started, process, gate))

    def _step(self, process: Process, gate: Gate) -> None:
        for wish in process:
            if isinstance(wish, int):
                if wish > self.now:
                    return self._push(wish, process, gate)
            elif not wish.is_open:
                wish.waiting.append((process, gate))
                return None
        return self.open(gate)

    def open(self, gate: Gate) -> None:
        """Resume all requests that wait."""
        gate.is_open, gate.opened = True, self.now
        for process, its_gate in gate.waiting:
            self._push(self.now, process, its_gate)

    def acquire(self, pool: Pool) -> Process:
        if pool.left:
            pool.left -= 1
            return
        gate = Gate()
        pool.queue.append(gate)
        yield gate

    def release(self, pool: Pool) -> None:
        if pool.queue:
            self.open(pool.queue.popleft())
        else:
            pool.left += 1

    # --- an access

    def issue(self, w: int, kind: str, lanes: Sequence[tuple[int, int]]) -> Process:
        """An access that issues now; over when its last line is there."""
        wanted, at = self.take_banks(w, kind, lanes, self.now)
        yield at
        yield from [self.begin(self.line(w, kind, a), at) for a in wanted]

    def line(self, w: int, kind: str, address: int) -> Process:
        known = self.now + self.machine.l1d.hit_latency
        while True:
            line = self.l1d[w].find(address)
            coming = self.coming.get((w, address))
            if line is not None and coming is None:
                line.used = self.tick()
                if kind == LOAD or line.state != SHARED:
                    line.state = line.state if kind == LOAD else MODIFIED
                    self.n["l1_hit"] += 1
                    yield known
                    return
            if coming is None:
                break
            self.n["mshr_merge"] += 1
            yield coming
            if kind == LOAD:
                yield known
                return
        gate = self.coming[w, address] = Gate()
        self.n["l1_miss" if line is None else "upgrade"] += 1
        yield known
        yield from self.acquire(self.pools[w])
        if line is None:
            line = yield from self.place(self.l1d[w], address, w)
            yield from self.request(w, kind, address, line)
        else:
            yield from self.request(w, UPGRADE, address, line)
        del self.coming[w, address]
        self.open(gate)
        self.release(self.pools[w])

    def place(self, lines: Lines, address: int, w: int) -> Generator[int | Gate, None, Line]:
        """Room for a line in a cache (w = -1: L2); its victim has gone."""
        while True:
            ways = lines.set_of(address)
            free = [i for i, x in enumerate(ways) if x is None]
            settled = [x for x in ways if x is not None and (w, x.address) not in self.coming]
            if free or settled:
                break
            yield next(self.coming[w, x.address] for x in ways if x is not None)
        line = Line(address // lines.cache.line * lines.cache.line, used=self.tick())
        if free:
            ways[free[0]] = line
            return line
        victim = min(settled, key=lambda x: x.used)
        if w < 0:
            self.evict(victim, self.now)
            if victim.dirty:
                self.begin(self.write_memory(), self.now)
            ways[ways.index(None)] = line
            return line
        ways[ways.index(victim)] = line
        self.forget(w, victim)
        if victim.state == MODIFIED:
            self.begin(self.write(w, victim.address), self.now)
        return line

    def write(self, w: int, address: int) -> Process:
        self.n["writeback"] += 1
        bank, size = self.bank_of(address), self.machine.l1d.line
        yield self.send(self.now, self.wpu_out[w], self.bank_in[bank], size)
        self.serve(bank, self.now)

    def write_memory(self) -> Process:
        self.dram(self.now, self.machine.l2.line, write=True)
        yield self.now

    # --- the second level

    def request(self, w: int, kind: str, address: int, mine: Line) -> Process:
        bank = self.bank_of(address)
        yield self.send(self.now, self.wpu_out[w], self.bank_in[bank], 0)
        yield self.serve(bank, self.now) + self.machine.l2.hit_latency
        number = address // self.machine.l2.line * self.machine.l2.line
        while (line := self.l2.find(address)) is None or (-1, number) in self.coming:
            coming = self.coming.get((-1, number))
            if coming is not None:
                self.n["l2_merge"] += 1
                yield coming
                continue
            gate = self.coming[-1, number] = Gate()
            self.n["l2_miss"] += 1
            yield from self.acquire(self.l2_pool)
            yield from self.place(self.l2, number, -1)
            yield self.dram(self.now, self.machine.l2.line, write=False)
            del self.coming[-1, number]
            self.open(gate)
            self.release(self.l2_pool)
        line.used = self.tick()
        there = self.l1d[w].find(address) is mine
        if kind == UPGRADE and not there:
            kind = STORE  # another request was first: the data have to be fetched, too
        holders = line.copies.setdefault(address, set())
        steps: list[Gate] = []
        for other in sorted(holders - {w}):
            copy = self.l1d[other].find(address)
            if copy is None or (kind == LOAD and copy.state == SHARED):
                continue
            arrival = self.granted.get((other, address))
            size = self.machine.l1d.line if copy.state == MODIFIED else 0
            steps.append(self.begin(self.call_back(other, bank, size, arrival), self.now))
            line.dirty |= copy.state == MODIFIED
            if kind == LOAD:
                copy.state = SHARED
            else:
                self.l1d[other].drop(copy)
                holders.discard(other)
        alone = not holders - {w}
        mine.state = MODIFIED if kind != LOAD else EXCLUSIVE if alone else SHARED
        if there:
            holders.add(w)
        mine_there = self.granted[w, address] = Gate()
        yield from steps
        size = 0 if kind == UPGRADE else self.machine.l1d.line
        yield self.send(self.now, self.bank_out[bank], self.wpu_in[w], size)
        if self.granted[w, address] is mine_there:
            del self.granted[w, address]
        self.open(mine_there)

    def call_back(self, other: int, bank: int, size: int, arrival: Gate | None) -> Process:
        yield self.send(self.now, self.bank_out[bank], self.wpu_in[other], 0)
        if arrival is not None:
            yield arrival
        back = self.send(self.now, self.wpu_out[other], self.bank_in[bank], size)
        yield back + self.machine.coherence_latency

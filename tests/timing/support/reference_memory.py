"""The coherent memory system in plain Python, written from docs/timing/memory.md alone.

One object per thing, one method per rule; slow, and short enough to be checked against the text.
Lines are kept by their first byte, so that caches of different line sizes meet in addresses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

from simtlab.timing.machines.machine import Machine
from simtlab.timing.machines.parts import Cache, Link

UNITS = 256
"""Parts of a cycle in which links without a clock are claimed (rule 4)."""

LOAD, STORE, ATOMIC, FETCH, UPGRADE = "load", "store", "atomic", "fetch", "upgrade"
SHARED, EXCLUSIVE, MODIFIED = "S", "E", "M"


@dataclass(eq=False)
class Line:
    """A line in some cache."""

    address: int
    ready: int = 0
    used: int = 0  # by the LRU clock
    targets: int = 0  # places taken in the MSHR entry that fetches it
    state: str = SHARED  # of an L1D
    dirty: bool = False  # of the L2
    copies: dict[int, set[int]] = field(default_factory=dict)
    """Of the L2: L1 line -> the WPUs that have it."""


class Lines:
    """The tags of a cache: sets of at most `ways` lines, in a fixed order of ways."""

    def __init__(self, cache: Cache) -> None:
        self.cache = cache
        self.sets: list[list[Line | None]] = [[None] * cache.n_ways for _ in range(cache.sets)]

    def set_of(self, address: int) -> list[Line | None]:
        return self.sets[address // self.cache.line % self.cache.sets]

    def find(self, address: int) -> Line | None:
        first = address // self.cache.line * self.cache.line
        return next((x for x in self.set_of(address) if x and x.address == first), None)

    def make_room(self, address: int, t: int) -> tuple[int, Line | None, int]:
        """(way, what lies there, when it can be taken from t on)."""
        ways = self.set_of(address)
        for way, line in enumerate(ways):
            if line is None:
                return way, None, t
        lines = [(way, line) for way, line in enumerate(ways) if line is not None]
        settled = [(line.used, way) for way, line in lines if line.ready <= t]
        if settled:
            way = min(settled)[1]
            return way, ways[way], t
        arrival, way = min((line.ready, way) for way, line in lines)
        return way, ways[way], arrival

    def drop(self, line: Line) -> None:
        ways = self.set_of(line.address)
        ways[ways.index(line)] = None


class File:
    """MSHRs: when each entry is free. Without a limit there is always one."""

    def __init__(self, entries: int) -> None:
        self.free = [0] * entries

    def earliest(self, t: int) -> int:
        return max(t, min(self.free)) if self.free else t

    def take(self, until: int) -> None:
        if self.free:
            self.free[self.free.index(min(self.free))] = until


class Port:
    """Something that one transfer at a time occupies."""

    def __init__(self) -> None:
        self.free = Fraction(0)


def at_edge(t: Fraction, cycle: Fraction) -> Fraction:
    """The first edge of a clock with this cycle at t or later; t itself without a clock."""
    return ceil(t / cycle) * cycle if cycle else t


def claim(
    t: int, date: int, length: Fraction, *ports: Port, cycle: Fraction = Fraction(0)
) -> Fraction:
    """Occupy ports together from t on, by a claim of this date; the end."""
    end = max(at_edge(Fraction(t), cycle), *(p.free for p in ports)) + length
    for port in ports:
        port.free = max(at_edge(Fraction(date), cycle), port.free) + length
    return end


def occupancy(link: Link, size: int, cycle: Fraction = Fraction(0)) -> Fraction:
    """How long so many bytes (0: a message) occupy a link."""
    n, d = link.fraction
    part = cycle or Fraction(1, UNITS)
    if not size:
        return cycle or Fraction(1)
    return ceil(Fraction(size * d, n) / part) * part


@dataclass
class Answer:
    """What became of an access."""

    ready: int
    hits: frozenset[int]
    """Lanes."""


class ReferenceMemory:
    """Everything behind the WPUs of a machine with memory = 'coherent'."""

    def __init__(self, machine: Machine) -> None:
        self.machine = m = machine
        # Of the crossbar, in cycles of the WPUs; 0 without a clock of its own.
        mhz = Fraction(str(m.crossbar.clock_mhz))
        self.cycle = Fraction(str(m.clock_ghz)) * 1000 / mhz if mhz else Fraction(0)
        self.l1d = [Lines(m.l1d) for _ in range(m.wpus)]
        self.l1i = [Lines(m.l1i) for _ in range(m.wpus)] if m.l1i.size else []
        self.l2 = Lines(m.l2)
        self.d_files = [File(m.l1d.mshrs) for _ in range(m.wpus)]
        self.i_files = [File(m.l1i.mshrs) for _ in range(m.wpus)]
        self.l2_file = File(m.l2.mshrs)
        self.l1_banks = m.l1d_banks
        self.l1_banks_free = [0] * m.wpus
        self.n_l2_banks = m.l2_banks
        self.l2_bank_free = [0] * self.n_l2_banks
        self.wpu_in, self.wpu_out = ([Port() for _ in range(m.wpus)] for _ in range(2))
        self.bank_in, self.bank_out = ([Port() for _ in range(self.n_l2_banks)] for _ in range(2))
        self.bus = Port()
        self.clock = 0
        self.n: Counter[str] = Counter()

    def tick(self) -> int:
        self.clock += 1
        return self.clock

    # --- rules 1 and 2

    def access(self, w: int, kind: str, lanes: Sequence[tuple[int, int]], t: int) -> Answer:
        """An access of a WPU at t; `lanes` are (lane, address)."""
        wanted, at = self.take_banks(w, kind, lanes, t)
        ready, hits = 0, set[int]()
        for address, mine in wanted.items():
            served, hit = self.lookup(w, kind, address, len(mine), at)
            ready = max(ready, served)
            if hit:
                hits.update(mine)
        return Answer(ready, frozenset(hits))

    def take_banks(
        self, w: int, kind: str, lanes: Sequence[tuple[int, int]], t: int
    ) -> tuple[dict[int, list[int]], int]:
        """(the lines that are wanted and by which lanes, when they are looked up)."""
        size = self.machine.l1d.line
        wanted: dict[int, list[int]] = {}
        for lane, address in sorted(lanes):
            wanted.setdefault(address // size * size, []).append(lane)
        if kind == ATOMIC:
            steps = max(len(mine) for mine in wanted.values())
        else:
            words = {address // 4 for _, address in lanes}
            steps = max(Counter(word % self.l1_banks for word in words).values())
        begin = max(t, self.l1_banks_free[w])
        self.l1_banks_free[w] = begin + steps
        at = begin + steps - 1
        self.n["bank_wait"] += at - t
        return wanted, at

    # --- rule 3

    def lookup(self, w: int, kind: str, address: int, lanes: int, t: int) -> tuple[int, bool]:
        """(when the line is there, whether it hit)."""
        cache = self.machine.l1d
        known = t + cache.hit_latency
        self.set_dates(known)
        writes = kind != LOAD
        now = self.tick()
        line = self.l1d[w].find(address)
        if line is None:
            self.n["l1_miss"] += 1
            return self.miss(w, kind, address, lanes, known, now), False
        line.used = now
        if writes and line.state == SHARED:
            self.n["upgrade"] += 1
            start = self.entry(w, known)
            answer = self.next_level(w, UPGRADE, address, start)
            line.ready = max(answer, line.ready)
            line.state, line.targets = MODIFIED, lanes
            self.d_files[w].take(line.ready)
            return line.ready, False
        if writes:
            line.state = MODIFIED
        if line.ready <= t:
            self.n["l1_hit"] += 1
            return known, True
        self.n["mshr_merge"] += 1
        if cache.targets and line.targets + lanes > cache.targets:
            self.n["target_full"] += 1
            return line.ready + cache.hit_latency, False
        line.targets += lanes
        return max(known, line.ready), False

    def entry(self, w: int, t: int) -> int:
        """When an MSHR is free."""
        start = self.d_files[w].earliest(t)
        self.n["mshr_full"] += start > t
        return start

    def miss(self, w: int, kind: str, address: int, lanes: int, known: int, now: int) -> int:
        start = self.entry(w, known)
        lines = self.l1d[w]
        way, victim, there = lines.make_room(address, start)
        self.n["victim_wait"] += there > start
        start = there
        lines.set_of(address)[way] = None
        if victim is not None:
            self.forget(w, victim)
        answer = self.next_level(w, kind, address, start)
        if victim is not None and victim.state == MODIFIED:
            self.write_back(w, victim.address, start)
        line = Line(address, answer, now, lanes, self.grant)
        lines.set_of(address)[way] = line
        self.d_files[w].take(answer)
        return answer

    # --- rule 4

    def set_dates(self, asked: int) -> None:
        """When a request that leaves then, and that nothing delays, is where it claims."""
        self.at_wpu = asked
        start = at_edge(Fraction(asked), self.cycle)
        link = self.machine.crossbar
        self.at_bank = ceil(start + occupancy(link, 0, self.cycle)) + link.latency
        self.at_lookup = self.at_bank + self.machine.l2.hit_latency

    def send(self, t: int, source: Port, target: Port, size: int) -> int:
        """A transfer of so many bytes (0: a message); when it arrives."""
        link = self.machine.crossbar
        length = occupancy(link, size, self.cycle)
        self.n["crossbar_data" if size else "crossbar_message"] += 1
        self.n["crossbar_bytes"] += size
        date = self.at_wpu if source in self.wpu_out else self.at_lookup
        return ceil(claim(t, date, length, source, target, cycle=self.cycle)) + link.latency

    # --- rules 5 and 7

    def bank_of(self, address: int) -> int:
        return address // self.machine.l2.line % self.n_l2_banks

    def serve(self, bank: int, t: int) -> int:
        """A cycle of a bank of the second level; when it begins."""
        start = max(t, self.l2_bank_free[bank])
        self.l2_bank_free[bank] = max(self.at_bank, self.l2_bank_free[bank]) + 1
        return start

    def next_level(self, w: int, kind: str, address: int, t: int) -> int:
        """When the answer is there; sets `grant`."""
        cache, bank = self.machine.l2, self.bank_of(address)
        arrived = self.send(t, self.wpu_out[w], self.bank_in[bank], 0)
        looked = self.serve(bank, arrived) + cache.hit_latency
        now = self.tick()
        line = self.l2.find(address)
        if line is None:
            self.n["l2_miss"] += 1
            line = self.l2_miss(address, looked)
            wait = line.ready - looked
        else:
            wait = max(0, line.ready - looked)
            self.n["l2_merge" if wait else "l2_hit"] += 1
            if wait and cache.targets and line.targets >= cache.targets:
                self.n["l2_target_full"] += 1
                wait += cache.hit_latency
            elif wait:
                line.targets += 1
        line.used = now
        on = looked
        if kind != FETCH:
            on, wait = self.directory(w, kind, address, line, bank, looked, wait)
        size = {UPGRADE: 0, FETCH: self.machine.l1i.line}.get(kind, self.machine.l1d.line)
        return self.send(on + wait, self.bank_out[bank], self.wpu_in[w], size)

    def l2_miss(self, address: int, looked: int) -> Line:
        size = self.machine.l2.line
        start = self.l2_file.earliest(looked)
        self.n["l2_mshr_full"] += start > looked
        way, victim, there = self.l2.make_room(address, start)
        self.n["victim_wait"] += there > start
        start = there
        if victim is not None:
            self.evict(victim, looked)
        ready = self.dram(start, size, write=False)
        if victim is not None and victim.dirty:
            self.n["l2_writeback"] += 1
            self.dram(start, size, write=True)
        line = Line(address // size * size, ready, targets=1)
        self.l2.set_of(address)[way] = line
        self.l2_file.take(ready)
        return line

    def evict(self, victim: Line, looked: int) -> None:
        """The copies of an L2 victim go, too; its own bank asks for them."""
        bank = self.bank_of(victim.address)
        for sector, holders in sorted(victim.copies.items()):
            for other in sorted(holders):
                self.n["back_invalidate"] += 1
                copy = self.copy_of(other, sector)
                self.ask(other, copy, bank, looked)
                victim.dirty |= copy.state == MODIFIED
                self.l1d[other].drop(copy)
        self.l2.drop(victim)

    # --- rule 6

    def copy_of(self, w: int, address: int) -> Line:
        copy = self.l1d[w].find(address)
        assert copy is not None, "the directory knows of a copy that is not there"
        return copy

    def ask(self, other: int, copy: Line, bank: int, looked: int) -> tuple[int, int]:
        """A message to a WPU with a copy; (when it reaches it, when the answer is back)."""
        reached = self.send(looked, self.bank_out[bank], self.wpu_in[other], 0)
        size = self.machine.l1d.line if copy.state == MODIFIED else 0
        return reached, self.send(reached, self.wpu_out[other], self.bank_in[bank], size)

    def directory(
        self, w: int, kind: str, address: int, line: Line, bank: int, looked: int, wait: int
    ) -> tuple[int, int]:
        """(when the next step begins, what has to be waited for beyond)."""
        holders = line.copies.setdefault(address, set())
        others = sorted(holders - {w})
        done = looked
        for other in others:
            copy = self.copy_of(other, address)
            if kind == LOAD and copy.state == SHARED:
                continue
            reached, back = self.ask(other, copy, bank, looked)
            done = max(done, back + self.machine.coherence_latency)
            wait = max(wait, copy.ready - reached)
            line.dirty |= copy.state == MODIFIED
            if kind == LOAD:
                copy.state = SHARED
            else:
                self.n["invalidate"] += 1
                self.l1d[other].drop(copy)
                holders.discard(other)
        self.grant = MODIFIED if kind != LOAD else SHARED if others else EXCLUSIVE
        holders.add(w)
        return done, wait

    def forget(self, w: int, victim: Line) -> None:
        line = self.l2.find(victim.address)
        assert line is not None, "the second level is inclusive"
        line.copies[victim.address].discard(w)
        line.dirty |= victim.state == MODIFIED

    # --- rules 8 and 9

    def write_back(self, w: int, address: int, t: int) -> None:
        self.n["writeback"] += 1
        bank = self.bank_of(address)
        self.serve(bank, self.send(t, self.wpu_out[w], self.bank_in[bank], self.machine.l1d.line))

    def dram(self, t: int, size: int, *, write: bool) -> int:
        bus = self.machine.bus
        self.n["dram"] += 1
        self.n["dram_write"] += write
        self.n["bus_bytes"] += size
        end = ceil(claim(t, self.at_lookup, occupancy(bus, size), self.bus))
        return end + 2 * bus.latency + self.machine.dram.latency

    # --- rule 10

    def fetch(self, w: int, addresses: Iterable[int], t: int) -> int:
        """The code at these addresses is wanted; when all of it is there."""
        cache, lines, file = self.machine.l1i, self.l1i[w], self.i_files[w]
        there = t
        for address in sorted({a // cache.line * cache.line for a in addresses}):
            now = self.tick()
            line = lines.find(address)
            if line is None:
                self.n["l1i_miss"] += 1
                self.set_dates(t + cache.hit_latency)
                start = file.earliest(t + cache.hit_latency)
                way, _, start = lines.make_room(address, start)
                answer = self.next_level(w, FETCH, address, start)
                line = lines.set_of(address)[way] = Line(address, answer)
                file.take(answer)
            else:
                self.n["l1i_hit" if line.ready <= t else "l1i_merge"] += 1
            line.used = now
            there = max(there, line.ready)
        return there

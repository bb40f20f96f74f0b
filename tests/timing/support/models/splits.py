"""A WPU of the toy machine: the re-convergence stack, and warps that split (DWS 2 to 5).

One instruction of one group issues a cycle, and takes it (DWS 3.3). A memory access switches to
another group, at no cost. A hit is ready in the next cycle; a group that misses waits for its last
lane. Groups that are ready wait in a FIFO: a group that hits enters it at the end of its cycle, one
whose data arrive at cycle t at the start of t, by warp. Arriving at a join, popping and merging
take no time. The papers do not order splits of one warp whose data arrive in one cycle: the model
takes an order of each such tie as an input.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby, permutations
from typing import Literal

from .programs import Case, Kind, joins, lanes


@dataclass(frozen=True)
class Policy:
    """A row of the matrix of DWS 5.5: what splits a warp, and where splits meet."""

    branch_split: bool = False
    """Selected branches split a whole warp; every divergent branch splits a split (4.2, 4.3)."""
    memory_split: Literal["never", "aggressive", "lazy", "revive"] = "never"
    """Which divergent accesses split a group (5.2)."""
    pc_merge: bool = False
    """Ready splits of a warp merge where their PCs are equal (4.5)."""
    branch_limited: bool = False
    """Splits of a warp wait for each other at conditional branches (5.3.1)."""


POLICIES = {
    "conv": Policy(),
    "dws.branch-only.stack": Policy(branch_split=True),
    "dws.branch-only": Policy(branch_split=True, pc_merge=True),
    "dws.aggress-split.bl": Policy(memory_split="aggressive", pc_merge=True, branch_limited=True),
    "dws.lazy-split.bl": Policy(memory_split="lazy", pc_merge=True, branch_limited=True),
    "dws.revive-split.bl": Policy(memory_split="revive", pc_merge=True, branch_limited=True),
    "dws.aggress-split": Policy(True, "aggressive", True),
    "dws.lazy-split": Policy(True, "lazy", True),
    "dws.revive-split": Policy(True, "revive", True),
}
"""The policies of the paper's figures, by the names that simtlab gives them (DWS-15)."""


@dataclass(frozen=True)
class Choices:
    """What the paper leaves open, and does not say with its worked examples."""

    resumed_waits_for_new: bool = True
    """Q-DWS-24, rule A: a group that is dispatched with its data merges at its access also with a
    ready group that has not made the access."""
    new_groups_merge: bool = False
    """Q-DWS-24, rule B: two ready groups of which neither has made an access merge when one of them
    is dispatched, at any PC."""
    merges_before_access: bool = True
    """Q-DWS-23: a running group merges at its access with groups that are ready there."""
    revived_by: Literal["widest", "oldest", "youngest"] = "widest"
    """Q-DWS-31: the group that a stalled pipeline splits."""
    served_by_now: bool = False
    """Q-DWS-30: lanes whose data have arrived since the access run ahead as well."""


CHOICES = {
    "compare-pcs=alike": Choices(False, True),
    "compare-pcs=after-access": Choices(False, False, merges_before_access=False),
    "revive-first=oldest": Choices(revived_by="oldest"),
    "revive-first=youngest": Choices(revived_by="youngest"),
    "revive-mask=served-now": Choices(served_by_now=True),
}
"""Settings of the engine, and what the model does with them."""


@dataclass
class Entry:
    """An entry of the re-convergence stack (DWS 4.1, Fig. 3)."""

    pc: int
    rpc: int | None
    mask: int


@dataclass(eq=False)
class Group:
    """Lanes that are scheduled together: a whole warp or a warp-split."""

    warp: Warp
    pc: int
    mask: int
    done: int = 0
    """Lanes that have made the access at `pc`, or are making it (Q-DWS-23)."""
    served: int = 0
    """The hit mask of a divergent access that did not split the group (5.2, ReviveSplit)."""
    ready_at: int = 0
    suspended_at: int = 0
    lane_at: dict[int, int] = field(default_factory=dict)
    """The cycle at which each missing lane of its access has its data."""


@dataclass(eq=False)
class Warp:
    """A warp: its stack, and the lanes that wait for others of their warp."""

    number: int
    stack: list[Entry]
    at_join: int = 0
    """Lanes at the re-convergence point of the stack's top (4.4)."""
    at_branch: int = 0
    """Lanes at a conditional branch (BranchLimited)."""
    pc_of_branch: int = -1

    @property
    def top(self) -> Entry:
        return self.stack[-1]


@dataclass(frozen=True)
class Issue:
    """An instruction that issues: when, of which warp, where, and in which lanes."""

    cycle: int
    warp: int
    pc: int
    mask: int


@dataclass
class Wpu:
    """A run of a case; `issues` is its timeline."""

    case: Case
    policy: Policy
    choices: Choices = Choices()
    orders: Sequence[int] = ()
    """For each tie of splits of a warp the number of its permutation; 0 for later ties."""
    issues: list[Issue] = field(default_factory=list)
    lane_misses: int = 0
    """Lanes whose request missed and fetched a line."""
    joined_misses: int = 0
    """Lanes whose request missed and joined a line in flight."""
    ties: list[tuple[int, int]] = field(default_factory=list)
    """For each tie its cycle and the number of its permutations."""

    def __post_init__(self) -> None:
        case = self.case
        self._joins = joins(case.program)
        self._accesses = [0] * case.items
        self._executed = [[0] * len(row) for row in case.outcomes]
        self._arrivals: dict[int, int] = {}
        every = (1 << case.width) - 1
        warps = [Warp(n, [Entry(0, None, every)]) for n in range(case.warps)]
        self._ready = deque(Group(warp, 0, every) for warp in warps)
        self._waiting: list[Group] = []
        self._cycle = 0

    @property
    def cycles(self) -> int:
        return self._cycle

    def run(self) -> Wpu:
        running: Group | None = None
        while True:
            self._take_completions()
            if running is None:
                running = self._dispatch()
            if running is not None:
                running = self._issue(running)
                self._cycle += 1
            elif self._waiting:
                self._cycle = min(group.ready_at for group in self._waiting)
            else:
                return self

    # --- which group runs

    def _take_completions(self) -> None:
        """Move groups whose data have arrived to the ready queue."""
        arrived = [group for group in self._waiting if group.ready_at <= self._cycle]
        arrived.sort(key=lambda g: (g.ready_at, g.warp.number, g.mask & -g.mask))
        for _, tied in groupby(arrived, key=lambda g: (g.ready_at, g.warp.number)):
            self._ready += self._ordered(list(tied))
        for group in arrived:
            group.served = 0
        self._waiting = [group for group in self._waiting if group.ready_at > self._cycle]

    def _ordered(self, tied: list[Group]) -> Sequence[Group]:
        """Return groups that the papers do not order in the order that was given."""
        if len(tied) == 1:
            return tied
        chosen = self.orders[len(self.ties)] if len(self.ties) < len(self.orders) else 0
        orders = list(permutations(tied))
        self.ties.append((self._cycle, len(orders)))
        return orders[chosen]

    def _dispatch(self) -> Group | None:
        """Return the next group that can issue, None if the pipeline stalls."""
        while True:
            if not self._ready and not self._revive():
                return None
            group = self._ready.popleft()
            if self.policy.pc_merge:
                self._merge_at_dispatch(group)
            if group.done and group.done == group.mask:
                group.done = 0
                group.pc += 1
                group = self._settle(group)
            if group is not None:
                return group

    def _revive(self) -> bool:
        """Split a suspended group by the hit mask of its access (5.2, ReviveSplit).

        The widest one, then the one suspended last, unless a choice says otherwise; one at a time.
        """
        if self.choices.served_by_now:
            for group in self._waiting:
                for lane in lanes(group.mask & ~group.served):
                    if group.lane_at[lane] <= self._cycle:
                        group.served |= 1 << lane
        candidates = [group for group in self._waiting if group.served]
        if self.policy.memory_split != "revive" or not candidates:
            return False
        match self.choices.revived_by:
            case "widest":
                group = max(candidates, key=lambda g: (g.served.bit_count(), g.suspended_at))
            case "oldest":
                group = min(candidates, key=lambda g: g.suspended_at)
            case "youngest":
                group = max(candidates, key=lambda g: g.suspended_at)
        self._ready.append(self._split_off(group))
        return True

    def _merge_at_dispatch(self, group: Group) -> None:
        """Merge with ready groups at the PC of a group that is dispatched (4.5, Q-DWS-24)."""
        resumed = group.done != 0
        for other in self._partners(group):
            if other.done:
                # A new group at an access arrives there and merges when it issues.
                merges = resumed
            elif resumed:
                merges = self.choices.resumed_waits_for_new
            else:
                merges = self.choices.new_groups_merge
            if merges:
                self._absorb(group, other)

    def _partners(self, group: Group) -> list[Group]:
        return [g for g in self._ready if g.warp is group.warp and g.pc == group.pc]

    def _absorb(self, group: Group, other: Group) -> None:
        self._ready.remove(other)
        group.mask |= other.mask
        group.done |= other.done

    # --- where groups wait for each other

    def _settle(self, group: Group) -> Group | None:
        """Return the group that continues after a change of PC, None if its lanes wait.

        Lanes wait at the re-convergence point of the stack's top, and with BranchLimited at
        conditional branches. The last to arrive continue for all.
        """
        warp = group.warp
        while group.pc == warp.top.rpc:
            warp.at_join |= group.mask
            if warp.at_join != warp.top.mask:
                return None
            group = self._pop(warp)
        if self.policy.branch_limited and self.case.program[group.pc].kind is Kind.BRANCH:
            warp.at_branch |= group.mask
            warp.pc_of_branch = group.pc
            if warp.at_branch != warp.top.mask:
                return None
            group = Group(warp, group.pc, warp.at_branch)
            warp.at_branch = 0
        return group

    def _pop(self, warp: Warp) -> Group:
        """Pop the stack; return the group of the entry below (4.1)."""
        warp.at_join = 0
        warp.stack.pop()
        return Group(warp, warp.top.pc, warp.top.mask)

    # --- what an instruction does

    def _issue(self, group: Group) -> Group | None:
        """Issue the group's next instruction; return the group that runs on, if any."""
        instruction = self.case.program[group.pc]
        if instruction.kind is Kind.LOAD:
            return self._load(group)
        self._record(group, group.mask)
        match instruction.kind:
            case Kind.BRANCH:
                return self._branch(group)
            case Kind.EXIT:
                return self._exit(group)
            case Kind.JUMP:
                group.pc = instruction.target
            case _:
                group.pc += 1
        return self._settle(group)

    def _record(self, group: Group, mask: int) -> None:
        self.issues.append(Issue(self._cycle, group.warp.number, group.pc, mask))

    def _branch(self, group: Group) -> Group | None:
        warp, branch = group.warp, self.case.program[group.pc]
        taken = self._outcome(group, branch.number)
        other = group.mask & ~taken
        if not taken or not other:
            group.pc = branch.target if taken else group.pc + 1
            return self._settle(group)
        whole = group.mask == warp.top.mask
        if self.policy.branch_split and (branch.subdivide or not whole):
            # 4.2: two groups, and the stack stays as it is. The fall-through runs on (Q-DWS-17).
            side = self._settle(Group(warp, branch.target, taken))
            if side is not None:
                self._ready.append(side)
            group.mask = other
            group.pc += 1
            return self._settle(group)
        join = self._joins[group.pc]
        warp.top.pc = -1 if join is None else join
        warp.stack.append(Entry(branch.target, join, taken))
        warp.stack.append(Entry(group.pc + 1, join, other))
        group.mask = other
        group.pc += 1
        return self._settle(group)

    def _outcome(self, group: Group, branch: int) -> int:
        """Return the lanes that take a branch; they have executed it once more."""
        taken = 0
        for lane in lanes(group.mask):
            item = group.warp.number * self.case.width + lane
            if self.case.takes(item, branch, self._executed[item][branch]):
                taken |= 1 << lane
            self._executed[item][branch] += 1
        return taken

    def _exit(self, group: Group) -> Group | None:
        """Take the lanes out of every mask (Q-DWS-22); return the group that runs on, if any."""
        warp = group.warp
        for entry in warp.stack:
            entry.mask &= ~group.mask
        while warp.stack and not warp.top.mask:
            warp.stack.pop()
            if warp.stack and warp.top.mask:
                return self._settle(Group(warp, warp.top.pc, warp.top.mask))
        if warp.stack and warp.at_join == warp.top.mask:
            return self._settle(self._pop(warp))
        if warp.stack and warp.at_branch == warp.top.mask:
            warp.at_branch = 0
            return Group(warp, warp.pc_of_branch, warp.top.mask)
        return None

    def _load(self, group: Group) -> None:
        """Access memory, and split the group if some of its lanes are served (5.1, 5.2)."""
        if self.policy.pc_merge and self.choices.merges_before_access:
            for other in self._partners(group):
                self._absorb(group, other)
        accessing = group.mask & ~group.done
        self._record(group, accessing)
        missing, arrival = self._access(group, accessing)
        group.done = group.mask
        served = group.mask & ~missing
        if not missing:
            self._ready.append(group)
            return
        group.ready_at = arrival
        group.suspended_at = self._cycle
        group.served = served
        self._waiting.append(group)
        mode = self.policy.memory_split
        if served and (mode == "aggressive" or (mode != "never" and not self._ready)):
            self._ready.append(self._split_off(group))

    def _split_off(self, group: Group) -> Group:
        """Return the run-ahead of a divergent access; the group itself falls behind (5.4)."""
        ahead = Group(group.warp, group.pc, group.served, done=group.served)
        group.mask &= ~group.served
        group.done = group.mask
        group.served = 0
        return ahead

    def _access(self, group: Group, accessing: int) -> tuple[int, int]:
        """Return the lanes that miss, and the cycle in which the last of them has its data."""
        missing, last = 0, self._cycle
        group.lane_at = {}
        program, pc = self.case.program, group.pc
        for lane in lanes(accessing):
            item = group.warp.number * self.case.width + lane
            line = self.case.lines[item][program[pc].number]
            reply = self.case.replies.get((item, self._accesses[item]))
            self._accesses[item] += 1
            present = self._arrivals.get(line)
            hit, latency = reply or (present is not None and present <= self._cycle, 0)
            if hit:
                continue
            missing |= 1 << lane
            if reply is None and present is not None:
                self.joined_misses += 1
            else:
                self.lane_misses += 1
                present = self._cycle + (latency or self.case.miss)
                self._arrivals[line] = present
            group.lane_at[lane] = present
            last = max(last, present)
        return missing, last

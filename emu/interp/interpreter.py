"""The interpreter: warps with masks under a divergence scheme, on NumPy arrays.

It runs a batch of workgroups at a time and one block at a time: the running lanes of all warps at
one pc execute the block together. What a warp computes and counts does not depend on which other
warps are at the same pc.

One round, in order:
1. Choose a pc: the smallest at which a warp can run, so that warps gather; every `FAIR`-th round
   the pc of the warp that has executed least, so that no warp waits for ever.
2. Execute the block's instructions for the running lanes of the warps at that pc.
3. Its last instruction moves every warp: uniform outcomes at once, divergent ones one by one
   through the warp's scheme.
4. Warps that reach the pc which their scheme watches are handed to it (schemes/base.py, rule 1).
5. Where no warp can run, workgroups whose warps all wait or have returned pass their barrier. Once
   in `CHECK_ROUNDS` rounds this is done although other warps can run, since these may spin until a
   workgroup has passed its barrier.
"""

from __future__ import annotations

import numpy as np

from ...isa.instruction import Instruction, Reg
from ..engine import Interrupted, Work
from ..schemes import Scheme, resolve
from ..statistics import Statistics
from ..traps import TrapKind, TrapRecord
from . import barriers
from .alu import LaneFault
from .batch import Batch
from .blocks import Block, build
from .hang import HangDetector
from .resident import Group, Resident
from .warps import NO_PC, Warps

Array = np.ndarray

BATCH_LANES = 16_384
"""Resident lanes: enough to hide the cost of a NumPy call, few enough for the L2 cache."""

BATCH_BYTES = 64 << 20
"""Bytes of resident group and private memory, unless one workgroup alone needs more."""

FAIR = 16
"""Rounds from one choice of the warp that has executed least to the next."""

CHECK_ROUNDS = 256
"""Rounds from one check of the budget, and of barriers beside running warps, to the next."""


def run(work: Work) -> Statistics:
    """Run a launch to its end. See emu/engine.py for the contract."""
    return Interpreter(work).run()


def slots_of(work: Work) -> int:
    """Return the number of workgroups that are resident at once."""
    geometry, kernel = work.geometry, work.kernel
    lanes = -(-geometry.largest_group // geometry.width) * geometry.width
    memory = kernel.group_size + lanes * kernel.private_size
    most = min(geometry.n_groups, BATCH_LANES // lanes, BATCH_BYTES // max(1, memory))
    return max(1, most)


class Interpreter:
    """One launch. `run` executes all of it; `start` and `round` are its steps, for debuggers.

    With `every_pc` a round executes a single instruction. A subclass that records a run overrides
    `issues` and `diverges`.
    """

    def __init__(self, work: Work, *, every_pc: bool = False) -> None:
        self.work = work
        scheme_class, options = resolve(work.scheme)
        n = len(work.kernel.words)
        self.statistics = Statistics(executions=np.zeros(n, np.int64), lanes=np.zeros(n, np.int64))
        self.resident = Resident(work, slots_of(work))
        self.warps = Warps(self.resident, scheme_class, options, self.statistics)
        every_pc = every_pc or scheme_class.needs_every_pc(options)
        self.blocks = build(self.resident, self.warps.executed, every_pc=every_pc)
        self.rounds = 0
        self._next_check = CHECK_ROUNDS
        self._batch = Batch(work, self.resident, self.warps, self.statistics)
        self.hang = HangDetector(self._batch)

    def run(self) -> Statistics:
        """Run every batch of workgroups, one after the other, and return what was counted."""
        try:
            with np.errstate(all="ignore"):
                for first in range(0, self.work.geometry.n_groups, self.resident.slots):
                    self.start(first)
                    while self.round():
                        pass
                    self.warps.finish()
        except KeyboardInterrupt:
            self.warps.finish()
            raise Interrupted(self.totals()) from None
        return self.totals()

    def start(self, first: int) -> None:
        """Load the batch of workgroups that begins with flat number `first`."""
        self.resident.load(first, min(self.resident.slots, self.work.geometry.n_groups - first))
        self.warps.start()
        self.hang.restart()
        if self.work.checks is not None and self.work.checks.observer is not None:
            self.work.checks.observer.begin(self.resident)

    def totals(self) -> Statistics:
        """Return what has been counted until now."""
        s = self.statistics
        for block in self.blocks:
            if block is not None:
                s.executions[block.start : block.stop] += block.executions
                s.lanes[block.start : block.stop] += block.lanes
                block.executions = block.lanes = 0
        s.warp_instructions = int(s.executions.sum())
        s.thread_instructions = int(s.lanes.sum())
        return s

    # --- one round

    def round(self) -> bool:
        """Run one block; return False when every workgroup of the batch has finished."""
        self.rounds += 1
        pc = self._fair_choice() if self.rounds % FAIR == 0 else self._choice()
        if pc == NO_PC:
            self.hang.restart()
            return barriers.open_complete(self._batch)
        warps = self._gather(pc)
        block = self.blocks[pc]
        assert block is not None, "a warp is between two leaders"
        group = self.warps.group(warps)
        current_pc = pc
        self.issues(block, group)
        try:
            for step in block.steps:
                step(group)
                current_pc += 1
        except LaneFault as fault:
            raise self.work.trap(self._record(fault, current_pc, group)) from None
        self.warps.steps[warps] += block.stop - block.start
        block.executions += warps.size
        block.lanes += group.count
        self._finish(block, group)
        if self.rounds >= self._next_check:
            # A round in which no warp can run has no check: the next one has it.
            self._next_check = self.rounds + CHECK_ROUNDS
            if barriers.open_complete(self._batch):
                self.hang.restart()
            self._check_budget()
        self.hang.after_round(warps, block)
        return True

    def issues(self, block: Block, group: Group) -> None:
        """Note that the running lanes of some warps are about to execute a block."""

    def diverges(self, warps: Array, pc: int, masks: list[int]) -> None:
        """Note that the branch at `pc` divides warps; `masks` are the lanes that take it."""

    def _choice(self) -> int:
        """Return the pc that runs next, NO_PC if no warp can run."""
        return int(self.warps.pc.min())

    def _gather(self, pc: int) -> Array:
        """Return the warps that run next, some of those at `pc`."""
        return np.flatnonzero(self.warps.pc == pc)

    def _fair_choice(self) -> int:
        pcs = self.warps.pc
        least = np.where(pcs != NO_PC, self.warps.steps, NO_PC).argmin()
        return int(pcs[least])

    def _finish(self, block: Block, group: Group) -> None:
        """Apply the last instruction of a block to the warps that issued it."""
        ins = block.last
        warps = group.warps
        if ins is None:
            self.warps.move(warps, block.stop)
            return
        match ins.row.stem:
            case "br":
                assert ins.target is not None
                self.statistics.branches += warps.size
                self.warps.move(warps, ins.target)
            case "cbr":
                self._branch(ins, block.stop, group)
            case "ret":
                self.hang.restart()
                spent = self._over_budget(warps, block.stop - 1)
                if spent is not None:
                    raise self.hang.verdict(TrapKind.BUDGET, spent)
                self.warps.retire(warps, block.stop - 1)
            case "barrier":
                barriers.arrive(self._batch, warps, block.stop - 1)
            case "reconverge":
                self._reconverge(warps, block.stop)
            case _:
                self._trap_instruction(ins, block.stop - 1, group)

    def _branch(self, ins: Instruction, fall: int, group: Group) -> None:
        condition, target, join = ins.srcs[0], ins.target, ins.join
        assert isinstance(condition, Reg) and target is not None
        state, warps = self.warps, group.warps
        self.statistics.branches += warps.size
        flags = self.resident.registers["c"].bits[condition.index]
        n_taken = int(np.count_nonzero(flags[group.index]))
        if n_taken == 0 or target == fall:
            # Both sides lead to the same instruction: the warp cannot diverge.
            state.move(warps, fall)
            return
        if n_taken == group.count:
            state.move(warps, target)
            return
        taken = flags.reshape(state.n, state.width)[warps] & state.active[warps]
        per_warp = taken.sum(axis=1)
        none, all_ = per_warp == 0, per_warp == state.count[warps]
        if all_.any():
            state.move(warps[all_], target)
        if none.any():
            state.move(warps[none], fall)
        split = ~(all_ | none)
        if split.any():
            masks = state.masks(taken[split])
            self.statistics.divergent_branches += len(masks)
            self.diverges(warps[split], fall - 1, masks)

            def branch(scheme: Scheme, i: int) -> None:
                scheme.branch(masks[i], target, fall, join)

            state.event(warps[split], fall, branch)

    def _reconverge(self, warps: Array, pc: int) -> None:
        self.warps.move(warps, pc)
        if not self.warps.scheme_class.explicit:
            return
        divergent = [w for w in warps.tolist() if (s := self.warps.schemes[w]) and s.depth]
        if divergent:
            self.statistics.pc_comparisons += len(divergent)
            self.warps.event(np.array(divergent), pc, lambda scheme, i: scheme.reconverge())

    def _trap_instruction(self, ins: Instruction, pc: int, group: Group) -> None:
        lane = int(group.flat(self.resident.numbers).min())
        owner, local = self.resident.place(lane)
        raise self.work.trap(TrapRecord(TrapKind.TRAP, pc, owner, local, code=ins.literals[0]))

    # --- traps

    def _record(self, fault: LaneFault, pc: int, group: Group) -> TrapRecord:
        """Return the trap of the lowest work-item among the faulting lanes of one instruction."""
        flat = group.flat(self.resident.numbers)
        lowest = int(np.argmin(flat[fault.lanes]))
        which, kind = int(fault.lanes[lowest]), fault.kinds[lowest]
        owner, local = self.resident.place(int(flat[which]))
        ins = self.work.kernel.instructions[pc]
        if fault.addresses is None:
            return TrapRecord(kind, pc, owner, local)
        assert ins.address is not None and ins.row.type is not None
        return TrapRecord(
            kind,
            pc,
            owner,
            local,
            segment=ins.address.segment,
            address=int(fault.addresses[which]),
            size=ins.row.type.size,
            store=not ins.row.is_load,
        )

    def _check_budget(self) -> None:
        """Check the warps that can run; the others wait for one of these, or have returned."""
        self.hang.probe(int(self.warps.steps.max()))
        spent = self._over_budget(np.flatnonzero(self.warps.pc != NO_PC))
        if spent is not None:
            raise self.hang.verdict(TrapKind.BUDGET, spent)

    def _over_budget(self, warps: Array, pc: int | None = None) -> TrapRecord | None:
        """Return the trap of a work-item of these warps that has exceeded its budget, if any.

        `pc` is where the warps are; without it, where each warp's state says.
        """
        state, budget = self.warps, self.work.budget
        # A warp issues at least as many instructions as any of its lanes executes.
        suspects = warps[state.steps[warps] > budget]
        if not suspects.size:
            return None
        state.credit(suspects)
        rows, lanes = np.nonzero(state.lane_steps[suspects] > budget)
        if not rows.size:
            return None
        warp = int(suspects[rows[0]])
        owner, local = self.resident.place(warp * state.width + int(lanes[0]))
        trap_pc = int(state.pc[warp]) if pc is None else pc
        detail = f"a work-item has executed {budget} instructions"
        return TrapRecord(TrapKind.BUDGET, trap_pc, owner, local, detail=detail)

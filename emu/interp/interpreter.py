"""The interpreter: warps with masks under a divergence scheme, on NumPy arrays.

It runs a batch of workgroups at a time and one block at a time: of all warps that stand at a pc,
every running lane executes the block together. What a warp computes and counts does not depend on
which other warps happen to be with it.

One round, in order:
1. Choose a pc: the smallest at which a warp can run, so that warps gather; every `FAIR`-th round
   the pc of the warp that has executed least, so that no warp waits for ever.
2. Execute the block's instructions for the running lanes of the warps that stand there.
3. Its last instruction moves every warp: uniform outcomes at once, divergent ones one by one
   through the warp's scheme.
4. Warps that come to the pc which their scheme watches are handed to it (schemes/base.py, rule 1).
5. A workgroup all of whose warps wait or have returned has come to its barrier.
"""

from __future__ import annotations

from math import prod

import numpy as np

from ...isa.instruction import Instruction, Reg
from ..engine import Interrupted, Work
from ..schemes import NOWHERE, Scheme, resolve
from ..statistics import Statistics
from ..traps import TrapKind, TrapRecord
from .alu import LaneFault
from .blocks import Block, build
from .hang import NO_PC, HangDetector, lane_list, lowest
from .resident import Group, Resident

Array = np.ndarray

BATCH_LANES = 16_384
"""Lanes that are resident at once: enough to hide the cost of a NumPy call, few enough for L2."""

FAIR = 16
SEVERAL = -1
"""The barrier pc of a warp whose lanes wait piece by piece; its scheme knows where."""


def run(work: Work) -> Statistics:
    """Run a launch to its end. See emu/engine.py for the contract."""
    return Interpreter(work).run()


class Interpreter:
    """One launch. `run` does it all; `round` is one step of it, for debuggers."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.scheme_class, self.options = resolve(work.scheme)
        geometry = work.geometry
        group_lanes = -(-prod(geometry.group_size) // geometry.width) * geometry.width
        slots = max(1, min(geometry.n_groups, BATCH_LANES // group_lanes))
        self.resident = Resident(work, slots)
        every_pc = self.scheme_class.needs_every_pc(self.options)
        self.blocks = build(self.resident, every_pc=every_pc)
        n_warps = self.resident.n_warps
        self.schemes: list[Scheme | None] = [None] * n_warps
        self.pc = np.full(n_warps, NO_PC)
        self.watch = np.full(n_warps, NO_PC)
        self.watching = False
        """Whether any warp of the batch has had something to watch yet."""
        self.active = np.zeros((n_warps, geometry.width), bool)
        self.count = np.zeros(n_warps, np.int64)
        self.steps = np.zeros(n_warps, np.int64)
        self.flushed = np.zeros(n_warps, np.int64)
        self.comparisons = np.zeros(n_warps, np.int64)
        self.waits = np.zeros(n_warps, bool)
        self.barrier_pc = np.full(n_warps, SEVERAL)
        self.lane_steps = np.zeros(self.resident.n_lanes, np.int64)
        self.resident.executed = self._executed
        n = len(work.kernel.words)
        self.statistics = Statistics(executions=np.zeros(n, np.int64), lanes=np.zeros(n, np.int64))
        self.rounds = 0
        self.hang = HangDetector(self)

    def run(self) -> Statistics:
        """Every batch of workgroups, one after the other."""
        try:
            with np.errstate(all="ignore"):
                for first in range(0, self.work.geometry.n_groups, self.resident.slots):
                    self.start(first)
                    while self.round():
                        pass
                    self._close_batch()
        except KeyboardInterrupt:
            self._close_batch()
            raise Interrupted(self._totals()) from None
        return self._totals()

    # --- batches

    def start(self, first: int) -> None:
        """Load the next batch of workgroups and put every warp at pc 0."""
        geometry = self.work.geometry
        count = min(self.resident.slots, geometry.n_groups - first)
        self.resident.load(first, count)
        self.active[:] = self.resident.started
        self.count[:] = self.active.sum(axis=1)
        self.starters = self.count.copy()
        self.pc[:] = np.where(self.count > 0, 0, NO_PC)
        self.watch[:] = NO_PC
        self.watching = False
        self.steps[:] = 0
        self.flushed[:] = 0
        self.lane_steps[:] = 0
        self.waits[:] = False
        first_scheme = self.scheme_class(1, self.options)
        self.comparisons[:] = self.count if first_scheme.comparisons else 0
        self.schemes = [None] * self.resident.n_warps
        self.live = self.count.copy()
        self.statistics.warps += int((self.count > 0).sum())
        self.hang.restart()

    def _close_batch(self) -> None:
        self._count_comparisons(np.arange(self.resident.n_warps))
        self.statistics.lane_slots += int((self.steps * self.starters).sum())
        self.steps[:] = 0
        self.flushed[:] = 0

    def _totals(self) -> Statistics:
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
        """Run one block. False when every workgroup of the batch has finished."""
        self.rounds += 1
        fair = self.rounds % FAIR == 0
        pc = self._fair_choice() if fair else int(self.pc.min())
        if pc == NO_PC:
            return self._barriers()
        warps = np.flatnonzero(self.pc == pc)
        block = self.blocks[pc]
        assert block is not None, "a warp stands between two leaders"
        group = self._group(warps)
        at = pc
        try:
            for step in block.steps:
                step(group)
                at += 1
        except LaneFault as fault:
            raise self.work.trap(self._record(fault, at, group)) from None
        self._count(block, group)
        self._finish(block, group)
        if self.rounds % 256 == 0:
            self._check_budget()
        self.hang.after_round(warps)
        return True

    def _fair_choice(self) -> int:
        can_run = self.pc != NO_PC
        if not can_run.any():
            return NO_PC
        least = np.where(can_run, self.steps, NO_PC).argmin()
        return int(self.pc[least])

    def _group(self, warps: Array) -> Group:
        """The running lanes of some warps; a slice where they are neighbours."""
        width = self.resident.width
        count = int(self.count[warps].sum())
        first, last = int(warps[0]), int(warps[-1])
        if count == warps.size * width and last - first + 1 == warps.size:
            return Group(slice(first * width, (last + 1) * width), warps, count)
        rows, lanes = np.nonzero(self.active[warps])
        return Group(warps[rows] * width + lanes, warps, count)

    def _count(self, block: Block, group: Group) -> None:
        self.steps[group.warps] += block.stop - block.start
        block.executions += group.warps.size
        block.lanes += group.count

    # --- the end of a block

    def _finish(self, block: Block, group: Group) -> None:
        ins = block.last
        warps = group.warps
        if ins is None:
            self._go(warps, block.stop)
            return
        match ins.row.stem:
            case "br":
                assert ins.target is not None
                self.statistics.branches += warps.size
                self._go(warps, ins.target)
            case "cbr":
                self._branch(ins, block.stop, group)
            case "ret":
                self._return(warps, block.stop - 1)
            case "barrier":
                self._arrive_at_barrier(warps, block.stop - 1)
            case "reconverge":
                self._reconverge(warps, block.stop)
            case _:
                self._trap_instruction(ins, block.stop - 1, group)

    def _go(self, warps: Array, pc: int) -> None:
        """Move warps to a pc, and to their schemes those that watch it."""
        self.pc[warps] = pc
        if not self.watching:
            return
        watch = self.watch[warps]
        met = watch <= pc if self.scheme_class.watches_order else watch == pc
        if met.any():
            for warp in warps[met].tolist():
                scheme = self._scheme(warp, pc)
                scheme.arrive()
                self._take(warp, scheme)

    def _branch(self, ins: Instruction, fall: int, group: Group) -> None:
        condition = ins.srcs[0]
        assert isinstance(condition, Reg) and ins.target is not None
        warps = group.warps
        self.statistics.branches += warps.size
        flags = self.resident.registers["c"].bits[condition.index]
        n_all_taken = int(np.count_nonzero(flags[group.index]))
        if n_all_taken == 0 or ins.target == fall:
            # Where both ways lead to the same instruction nothing can come apart.
            self._go(warps, fall)
            return
        if n_all_taken == group.count:
            self._go(warps, ins.target)
            return
        rows = flags.reshape(self.resident.n_warps, self.resident.width)[warps]
        taken = rows & self.active[warps]
        n_taken = taken.sum(axis=1)
        all_taken = n_taken == self.count[warps]
        none_taken = n_taken == 0
        if all_taken.any():
            self._go(warps[all_taken], ins.target)
        if none_taken.any():
            self._go(warps[none_taken], fall)
        divergent = ~(all_taken | none_taken)
        if divergent.any():
            self.statistics.divergent_branches += int(divergent.sum())
            masks = self._masks(taken[divergent])
            for warp, mask in zip(warps[divergent].tolist(), masks, strict=True):
                scheme = self._scheme(warp, fall)
                scheme.branch(mask, ins.target, fall, ins.join)
                self._take(warp, scheme)

    def _return(self, warps: Array, pc: int) -> None:
        self.hang.restart()
        whole = self.count[warps] == self.live[warps]
        self.live[warps] -= self.count[warps]
        done = warps[whole]
        self._count_comparisons(done)
        self.pc[done] = NO_PC
        self.watch[done] = NO_PC
        self.count[done] = 0
        for warp in warps[~whole].tolist():
            scheme = self._scheme(warp, pc)
            scheme.exit()
            self._take(warp, scheme)

    def _reconverge(self, warps: Array, pc: int) -> None:
        self._go(warps, pc)
        if self.scheme_class.explicit:
            for warp in warps.tolist():
                scheme = self._scheme(warp, pc)
                if scheme.depth:
                    self.statistics.pc_comparisons += 1
                    scheme.reconverge()
                    self._take(warp, scheme)

    def _trap_instruction(self, ins: Instruction, pc: int, group: Group) -> None:
        lane = int(group.flat(self.resident.numbers).min())
        owner, local = self.resident.place(lane)
        raise self.work.trap(TrapRecord(TrapKind.TRAP, pc, owner, local, code=ins.literals[0]))

    # --- barriers

    def _arrive_at_barrier(self, warps: Array, pc: int) -> None:
        whole = self.count[warps] == self.live[warps]
        waiting = warps[whole]
        self.pc[waiting] = NO_PC
        self.barrier_pc[waiting] = pc
        self.waits[waiting] = True
        for warp in warps[~whole].tolist():
            scheme = self._scheme(warp, pc)
            lanes = scheme.mask
            if not scheme.barrier():
                self._divergent_barrier(warp, pc, lanes, scheme)
            self._take(warp, scheme)
            if not scheme.mask:
                self.barrier_pc[warp] = SEVERAL
                self.waits[warp] = True

    def _divergent_barrier(self, warp: int, pc: int, lanes: int, scheme: Scheme) -> None:
        width = self.resident.width
        owner, first = self.resident.place(warp * width)
        elsewhere = ", ".join(
            f"lanes {lane_list(mask)} stand at {self.where(at)}" for mask, at in scheme.parked()
        )
        raise self.work.trap(
            TrapRecord(
                TrapKind.DIVERGENT_BARRIER,
                pc,
                owner,
                first + lowest(lanes),
                detail=(
                    f"only lanes {lane_list(lanes)} of the warp come to this barrier, {elsewhere}"
                ),
            )
        )

    def _barriers(self) -> bool:
        """Nobody can run: open the barriers of all workgroups that wait. False if none waits."""
        if not self.waits.any():
            return False
        self.hang.restart()
        shape = (self.resident.slots, self.resident.warps_per_group)
        waits = self.waits.reshape(shape)
        at = self.barrier_pc.reshape(shape)
        first = np.where(waits, at, NO_PC).min(axis=1)
        returned = (self.starters - self.live).reshape(shape).sum(axis=1)
        waiting = waits.any(axis=1)
        simple = waiting & (first == np.where(waits, at, SEVERAL).max(axis=1)) & (first != SEVERAL)
        if not self.work.exited_arrive:
            simple &= returned == 0
        for slot in np.flatnonzero(waiting & ~simple).tolist():
            self._open_piecewise(slot, int(returned[slot]))
        self.statistics.barriers += int(waiting.sum())
        for pc in np.unique(first[simple]).tolist():
            warps = np.flatnonzero((waits & (simple & (first == pc))[:, None]).reshape(-1))
            self.waits[warps] = False
            self._go(warps, pc + 1)
        return True

    def _open_piecewise(self, slot: int, returned: int) -> None:
        """A workgroup some of whose warps wait piece by piece, or whose barrier is divergent."""
        size = self.resident.warps_per_group
        waiting = [w for w in range(slot * size, (slot + 1) * size) if self.waits[w]]
        stands: dict[int, list[tuple[int, int]]] = {}
        for warp in waiting:
            for mask, pc in self._at_barrier(warp):
                stands.setdefault(pc, []).append((warp, mask))
        if len(stands) > 1 or (returned and not self.work.exited_arrive):
            self._unequal_barrier(stands, returned)
        for warp in waiting:
            self.waits[warp] = False
            scheme = self.schemes[warp]
            if self.barrier_pc[warp] == SEVERAL:
                assert scheme is not None
                scheme.release()
                self._take(warp, scheme)
            else:
                self._go(np.array([warp]), int(self.barrier_pc[warp]) + 1)

    def _at_barrier(self, warp: int) -> list[tuple[int, int]]:
        """(mask, pc) of everything of a warp that waits at a barrier."""
        if self.barrier_pc[warp] != SEVERAL:
            return [(self.mask_of(warp), int(self.barrier_pc[warp]))]
        return self.parked(warp)

    def _unequal_barrier(self, stands: dict[int, list[tuple[int, int]]], returned: int) -> None:
        pc = min(stands)
        warp, mask = stands[pc][0]
        owner, first = self.resident.place(warp * self.resident.width)
        count = {at: sum(m.bit_count() for _, m in who) for at, who in stands.items()}
        parts = [f"{n} work-items wait at {self.where(at)}" for at, n in sorted(count.items())]
        if returned:
            parts.append(f"{returned} have returned")
        raise self.work.trap(
            TrapRecord(
                TrapKind.DIVERGENT_BARRIER,
                pc,
                owner,
                first + lowest(mask),
                detail="of the workgroup, " + ", ".join(parts),
            )
        )

    # --- schemes

    def _scheme(self, warp: int, pc: int) -> Scheme:
        """The warp's scheme, brought up to date before an event."""
        self._flush(warp)
        scheme = self.schemes[warp]
        if scheme is None:
            # Until its first event a warp is whole, so its running lanes are all that it has.
            scheme = self.schemes[warp] = self.scheme_class(self.mask_of(warp), self.options)
        scheme.pc = pc
        return scheme

    def _take(self, warp: int, scheme: Scheme) -> None:
        """Make the scheme's running path the warp's."""
        mask = scheme.mask
        self.pc[warp] = scheme.pc if mask else NO_PC
        if scheme.watch != NOWHERE:
            self.watching = True
            self.watch[warp] = scheme.watch
        else:
            self.watch[warp] = NO_PC
        self.active[warp] = self._row(mask)
        self.count[warp] = mask.bit_count()
        self.comparisons[warp] = scheme.comparisons
        self.statistics.max_depth = max(self.statistics.max_depth, scheme.depth)

    def _flush(self, warp: int) -> None:
        """Credit the lanes that ran with the instructions since the last event of the warp."""
        since = int(self.steps[warp] - self.flushed[warp])
        width = self.resident.width
        self.lane_steps[warp * width : (warp + 1) * width][self.active[warp]] += since
        self.statistics.pc_comparisons += since * int(self.comparisons[warp])
        self.flushed[warp] = self.steps[warp]

    def _count_comparisons(self, warps: Array) -> None:
        since = self.steps[warps] - self.flushed[warps]
        self.statistics.pc_comparisons += int((since * self.comparisons[warps]).sum())
        self.flushed[warps] = self.steps[warps]

    def _executed(self, group: Group) -> Array:
        """Instructions that each running lane has executed before the current block."""
        lanes = group.flat(self.resident.numbers)
        return self.lane_steps[lanes] + (self.steps - self.flushed)[lanes // self.resident.width]

    # --- for reports

    def runnable(self) -> set[int]:
        """Warps that can run now."""
        return set(np.flatnonzero(self.pc != NO_PC).tolist())

    def mask_of(self, warp: int) -> int:
        """The running lanes of a warp."""
        return self._masks(self.active[warp : warp + 1])[0]

    def parked(self, warp: int) -> list[tuple[int, int]]:
        """(mask, pc) of the paths of a warp that do not run."""
        scheme = self.schemes[warp]
        return [] if scheme is None else scheme.parked()

    def where(self, pc: int) -> str:
        """A place in the kernel for a message: its line if known, else its pc."""
        span = self.work.program.span(self.work.kernel, pc) if pc >= 0 else None
        return f"line {span.line}" if span else f"pc {pc}" if pc >= 0 else "the end"

    def _masks(self, rows: Array) -> list[int]:
        """Rows of bools as masks with bit l = lane l."""
        packed = np.packbits(rows, axis=1, bitorder="little")
        wide = np.zeros((rows.shape[0], 8), np.uint8)
        wide[:, : packed.shape[1]] = packed
        return wide.view(np.uint64)[:, 0].tolist()

    def _row(self, mask: int) -> Array:
        bits = np.frombuffer(mask.to_bytes(8, "little"), np.uint8)
        return np.unpackbits(bits, bitorder="little")[: self.resident.width].view(bool)

    # --- traps

    def _record(self, fault: LaneFault, pc: int, group: Group) -> TrapRecord:
        """The trap of the lowest work-item among the faulting lanes of one instruction."""
        flat = group.flat(self.resident.numbers)
        which = int(fault.lanes[np.argmin(flat[fault.lanes])])
        owner, local = self.resident.place(int(flat[which]))
        ins = self.work.kernel.instructions[pc]
        if fault.addresses is None:
            return TrapRecord(fault.kind, pc, owner, local)
        assert ins.address is not None and ins.row.type is not None
        return TrapRecord(
            fault.kind,
            pc,
            owner,
            local,
            segment=ins.address.segment,
            address=int(fault.addresses[which]),
            size=ins.row.type.size,
            store=not ins.row.is_load,
        )

    def _check_budget(self) -> None:
        if int((self.steps).max()) < self.work.budget:
            return
        for warp in np.flatnonzero(self.steps >= self.work.budget).tolist():
            self._flush(warp)
        if int(self.lane_steps.max()) < self.work.budget:
            return
        lane = int(np.argmax(self.lane_steps >= self.work.budget))
        owner, local = self.resident.place(lane)
        pc = int(self.pc[lane // self.resident.width])
        detail = f"a work-item has executed {self.work.budget} instructions"
        record = TrapRecord(TrapKind.BUDGET, 0 if pc == NO_PC else pc, owner, local, detail=detail)
        raise self.hang.verdict(TrapKind.BUDGET, record)

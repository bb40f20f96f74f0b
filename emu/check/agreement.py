"""Whether a launch leaves the same memory under other engines, schemes and warp widths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...isa.errors import Note
from ...isa.program import Kernel
from ..engine import SchemeSpec, Work, engine
from ..interp.interpreter import Interpreter
from ..interp.warps import NO_PC
from ..memory import Buffer, Memory
from ..traps import Trap, TrapKind
from . import findings
from .finding import Finding, Rule, Severity
from .log import Log

WIDTHS = (1, 4, 32, 64)
SCHEMES = ("stack", "ppc", "per-thread")

ORACLE_INSTRUCTIONS = 100_000
"""Instructions of all work-items that the oracle executes in a check: a tenth of a second."""

SPARE_STEPS = 100_000
"""Instructions of a work-item that another run may take beyond eight times the checked run's."""

_NOT_TOGETHER = (
    "do not rely on which lanes run together: order accesses to shared memory by barriers"
)
_BY_WIDTH = ("laneid", "waveid", "wavesize")
_BY_SCHEME = ("activelane", "clock")
_SWAPS = ("atomic_exch", "atomic_cas")


class Turns(Interpreter):
    """The interpreter with another schedule: one half of the warps runs first, until it must wait.

    The plain interpreter runs all warps at one pc together, so that even warps of one lane go in
    lock step. Here code that relies on that reads what is not there yet. The half is that of the
    warps whose number has an odd count of one bits: the partners of a tree, a power of two apart,
    are then in different halves.
    """

    def __init__(self, work: Work) -> None:
        super().__init__(work)
        numbers = np.arange(self.warps.n) % self.resident.warps_per_group
        self._second = np.array([number.bit_count() % 2 == 0 for number in numbers.tolist()])

    def _ready(self) -> np.ndarray:
        """Return the pc of each warp that may run: of the first half while it can, then of all."""
        pcs = self.warps.pc
        first = np.where(self._second, NO_PC, pcs)
        return first if (first != NO_PC).any() else pcs

    def _choice(self) -> int:
        return int(self._ready().min())

    def _gather(self, pc: int) -> np.ndarray:
        ready = np.flatnonzero(self._ready() == pc)
        return ready if ready.size else super()._gather(pc)


@dataclass(frozen=True)
class Run:
    """One way to execute a launch."""

    engine: str
    scheme: SchemeSpec = field(default_factory=SchemeSpec)
    width: int = 32

    @property
    def name(self) -> str:
        """The run in a report."""
        return "oracle" if self.engine == "oracle" else f"{self.scheme.name}/{self.width}"

    def execute(self, work: Work) -> None:
        """Run a launch that `of` has made."""
        if self.engine == "oracle":
            engine("oracle")(work)
        else:
            Turns(work).run()

    def of(self, work: Work, memory: Memory, budget: int) -> Work:
        """Return the launch as this run executes it."""
        geometry = replace(work.geometry, width=self.width)
        return replace(
            work, memory=memory, budget=budget, scheme=self.scheme, geometry=geometry,
            kept={}, checks=None, stats=False,
        )  # fmt: skip


def checked_run(work: Work) -> Run:
    """Return the run that the checker observes."""
    return Run("interp", work.scheme, work.geometry.width)


def others(work: Work) -> Iterator[Run]:
    """Return the other runs of a launch that can differ from the checked one.

    A warp has no more lanes than its workgroup, so larger widths are the same unless the kernel
    asks for them.
    """
    first = checked_run(work)
    asks = any(ins.row.stem in _BY_WIDTH for ins in work.kernel.instructions)
    largest = work.geometry.largest_group

    def shape(run: Run) -> tuple[str, int]:
        return run.scheme.name, run.width if asks else min(run.width, largest)

    seen = {shape(first)} if not first.scheme.knobs else set()
    yield Run("oracle", SchemeSpec(), first.width)
    runs = [Run("interp", SchemeSpec(), width) for width in WIDTHS]
    runs += [Run("interp", SchemeSpec(name), first.width) for name in SCHEMES]
    for run in runs:
        if shape(run) not in seen:
            seen.add(shape(run))
            yield run


class Agreement:
    """Runs each launch again, and logs what differs."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.runs: dict[str, None] = {}
        self.undecided: dict[str, None] = {}
        self._oracle_left = ORACLE_INSTRUCTIONS

    def compare(self, work: Work, initial: Memory, instructions: int, steps: int) -> None:
        """Compare `work.memory`, which the checked run has left, with that of the other runs.

        They start from `initial`. `instructions` is what all work-items have executed together,
        `steps` the most that a warp has issued.
        """
        self.runs.setdefault(checked_run(work).name)
        budget = min(work.budget, 8 * steps + SPARE_STEPS)
        different: list[tuple[Run, Memory]] = []
        same: list[Run] = [checked_run(work)]
        for run in others(work):
            if run.engine == "oracle":
                if self._oracle_left < instructions:
                    self.undecided.setdefault(
                        f"not compared with the oracle: some launches of {work.kernel.name}, "
                        f"because it executes {ORACLE_INSTRUCTIONS:,} instructions at most"
                    )
                    continue
                self._oracle_left -= instructions
            memory = initial.copy()
            try:
                run.execute(run.of(work, memory, budget))
            except Trap as trap:
                self._trapped(work, run, trap, budget)
                continue
            self.runs.setdefault(run.name)
            if _equal(work.memory, memory):
                same.append(run)
            else:
                different.append((run, memory))
        if different:
            self._differs(work, same, different)

    def _trapped(self, work: Work, run: Run, trap: Trap, budget: int) -> None:
        is_short = trap.record.kind is TrapKind.BUDGET and budget < work.budget
        if is_short or trap.record.kind is TrapKind.UNDECIDED:
            self.undecided.setdefault(
                f"{work.kernel.name} did not end under {run.name} within {budget:,} instructions"
            )
            return
        first = trap.first
        note = Note(f"only under {run.name}; under {checked_run(work).name} the launch ends")
        message = first.message.partition(": ")[2] or first.message
        self.log.add(
            (first.code, work.kernel.name, run.scheme.name, trap.record.pc),
            1,
            lambda: Finding(
                first.code, Severity.ERROR, work.kernel.name, message,
                hint=first.hint, notes=(*first.notes, note), span=first.span, label=first.label,
                unit="launch",
            ),
        )  # fmt: skip

    def _differs(
        self, work: Work, same: Sequence[Run], different: Sequence[tuple[Run, Memory]]
    ) -> None:
        buffer, offset, dtype = _first_difference(work, different[0][1])
        where = findings.buffer_place(work, buffer, offset)
        by_value: dict[str, list[str]] = {}
        for run, memory in [*((run, work.memory) for run in same), *different]:
            twin = next(b for b in memory.buffers if b.base == buffer.base)
            value = repr(twin.host[offset : offset + dtype.itemsize].view(dtype)[0].item())
            is_elsewhere = value in by_value and value == next(iter(by_value)) and run not in same
            by_value.setdefault("elsewhere" if is_elsewhere else value, []).append(run.name)
        elsewhere = by_value.pop("elsewhere", [])
        values = "; ".join(f"{value} under {', '.join(names)}" for value, names in by_value.items())
        if elsewhere:
            values += f"; other elements differ under {', '.join(elsewhere)}"
        severity, explanation = _explained(work.kernel, [run for run, _ in different], same)
        reason = self._benign(work, [memory for _, memory in different])
        if reason:
            severity, explanation = Severity.NOTE, f"the program declares this benign: {reason}"
        self.log.add(
            (Rule.DIFFERS, work.kernel.name),
            1,
            lambda: Finding(
                Rule.DIFFERS,
                severity,
                work.kernel.name,
                f"the result depends on how warps are executed: {where} is {values}",
                # Not `place`, by which one array would be judged: several may differ.
                notes=(Note(explanation),) if explanation else (),
                hint="" if explanation else _NOT_TOGETHER,
                unit="launche",
            ),
        )

    def _benign(self, work: Work, memories: list[Memory]) -> str:
        """Return the reason if only arrays differ whose races are declared benign."""
        reasons: dict[str, None] = {}
        for memory in memories:
            for mine, theirs in zip(work.memory.buffers, memory.buffers, strict=True):
                if mine.alive and not np.array_equal(mine.host, theirs.host):
                    param, _ = findings.parameter(work, mine, 0)
                    reason = self.log.benign.get(param.name if param else mine.name, "")
                    if not reason:
                        return ""
                    reasons.setdefault(reason)
        return "; ".join(reasons)


def _equal(one: Memory, other: Memory) -> bool:
    pairs = zip(one.buffers, other.buffers, strict=True)
    return all(not a.alive or not a.writable or np.array_equal(a.host, b.host) for a, b in pairs)


def _first_difference(work: Work, memory: Memory) -> tuple[Buffer, int, np.dtype]:
    """Return the first buffer that differs, the offset of its first element, and its type."""
    for mine, theirs in zip(work.memory.buffers, memory.buffers, strict=True):
        if mine.alive and not np.array_equal(mine.host, theirs.host):
            offset = int(np.flatnonzero(mine.host != theirs.host)[0])
            param, start = findings.parameter(work, mine, offset)
            if param is None:
                return mine, offset, np.dtype(np.uint8)
            dtype = np.dtype(param.type.numpy)
            return mine, offset - (offset - start) % dtype.itemsize, dtype
    raise AssertionError("the memories are equal")


def _explained(
    kernel: Kernel, different: Sequence[Run], same: Sequence[Run]
) -> tuple[Severity, str]:
    """Return how serious a difference is, and what in the kernel explains it."""
    stems = [ins.row.stem for ins in kernel.instructions]
    by_scheme = [stem for stem in stems if stem.startswith(_BY_SCHEME)]
    by_width = [stem for stem in stems if stem in _BY_WIDTH]
    if by_scheme:
        text = f"the kernel uses {by_scheme[0]}, whose value depends on the divergence scheme"
        return Severity.WARNING, text
    widths = {run.width for run in different} & {r.width for r in same if r.engine != "oracle"}
    if by_width and not widths:
        text = f"the kernel uses {by_width[0]}, whose value depends on the warp width"
        return Severity.WARNING, text
    if any(
        ins.row.is_atomic and (ins.dst is not None or ins.row.stem in _SWAPS)
        for ins in kernel.instructions
    ):
        text = "atomics return what they find, so the result may depend on who came first"
        return Severity.WARNING, text
    return Severity.ERROR, ""

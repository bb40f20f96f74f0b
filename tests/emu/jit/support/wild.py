"""Runs of wild kernels in native code, in a process of their own.

    python -m tests.emu.jit.support.wild FIRST END TEXT

Every seed from FIRST to END is one kernel with one launch: random instructions of every kind, jumps
to anywhere, deep nests, addresses inside and outside of every buffer, barriers that some lanes do
not reach, budgets that run out, workgroups of one to three dimensions that fill the grid or do not.
TEXT is the file that holds the kernel under way, so that it survives this process.

Each block of memory that native code is given lies between fences (fences.py). Where the outcome
does not depend on the order of work-items (there is only one, or no store is visible to others),
memory and traps must be the oracle's.
"""

from __future__ import annotations

import ctypes
import faulthandler
import random
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import numpy.ma  # NumPy would import it while its `zeros` is replaced, and refuse

from simtlab.asm.assemble import assemble
from simtlab.emu import second_opinion
from simtlab.emu.arguments import bind
from simtlab.emu.device import Device, DeviceArray
from simtlab.emu.engine import Work
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.launch import engine
from simtlab.emu.oracle import oracle
from simtlab.emu.traps import Trap, TrapKind
from simtlab.isa.table import TABLE, Flags, Format, OperandKind, Row, Unit
from simtlab.isa.types import B1, RegClass, Segment, Type

from .fences import BEFORE, fenced, zeros

PATIENCE = 300.0
"""Seconds for one kernel; a machine that is busy needs a few of them."""

COMPARABLE_BUDGET = 2000
"""Most instructions of a work-item that the oracle, which is slow, is asked for."""

# --- kernels

COMPUTING = [row for row in TABLE if row.format is Format.ALU and row.unit is not Unit.CONTROL
             and row.unit is not Unit.SYNC and Flags.CROSS_LANE not in row.flags]  # fmt: skip
CROSSING = [row for row in TABLE if Flags.CROSS_LANE in row.flags]
MEMORY = [row for row in TABLE if row.is_memory]
STEMS = sorted({row.stem for row in COMPUTING})

WORKING = {RegClass.S: 6, RegClass.D: 4, RegClass.C: 3}
"""Registers of each class that instructions choose from."""

ROW_WORDS = 16
"""u32 words that each work-item leaves in `out`: its working registers."""

HEAD = """\
.readonly u32 T[8] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0x7fc00001, 5 }
kernel wild(global u32* %out, global u8* %frozen, global u64* %data, global f32* %gone,
            u32 %n, f64 %x, u8 %b) {
    .group u32 shared[16]
    .private u64 own[3]
    workitemflatabsid_u32 $s60
    workitemflatid_u32 $s61
    cvt_u64_u32 $d60, $s60
    ld_kernarg_u64 $d61, [%frozen]
    ld_kernarg_u64 $d62, [%data]
    ld_kernarg_u64 $d63, [%gone]
    mov_u32 $s0, $s60
    mov_u32 $s1, $s61
    cvt_f32_u32 $s2, $s60
    mad_u64 $d0, $d60, 4, $d61
    mad_u64 $d1, $d60, 8, $d62
    mov_u64 $d2, $d60
    cmp_gt_u32 $c0, $s61, 2
"""

FAR = (1, -1, 2, 4, -4, 8, -8, 63, 64, 4095, 4096, -4096, 1 << 20, (1 << 23) - 1, -(1 << 23))
"""Offsets that end near or far from where they should."""


@dataclass
class Wild:
    """A kernel under construction, and what it may do."""

    rng: random.Random
    stores: bool
    """Stores and atomics to what other work-items see."""
    crossing: bool
    hostile: float
    """The part of memory accesses that may lead anywhere."""

    def __post_init__(self) -> None:
        self.lines: list[str] = []
        self.labels = 0
        self.places: list[str] = []

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def emit(self, text: str) -> None:
        self.lines.append(f"    {text}")

    def label(self) -> str:
        self.labels += 1
        return f"@L{self.labels}"

    def register(self, cls: RegClass) -> str:
        return f"${cls.value}{self.rng.randrange(WORKING[cls])}"

    def immediate(self, type_: Type) -> str:
        if type_ is B1:
            return str(self.rng.randint(0, 1))
        if type_.is_float:
            return self.rng.choice(("0.0", "-0.0", "1.0", "-1.5", "inf", "nan", "1024.0"))
        small = self.rng.choice((0, 1, 2, 3, 4, 7, 8, 31, 32, 64, 1000, 0x7FFFFFFF))
        return str(-small if type_.is_signed and self.chance(0.5) else small)

    def compute(self) -> None:
        stem = self.rng.choice(STEMS)
        row = self.rng.choice([r for r in COMPUTING if r.stem == stem])
        if self.crossing and self.chance(0.3):
            row = self.rng.choice(CROSSING)
        if row.has_address:
            self.emit(f"{row.name} {self.register(RegClass.S)}, {self.local(row)}")
            return
        self.emit(f"{row.name} {', '.join(self.operands(row))}".rstrip())

    def operands(self, row: Row) -> list[str]:
        texts: list[str] = []
        at = self.rng.randrange(1 + 2 * len(row.srcs))
        position = 0
        bits = row.type.bits if row.type else 32
        first = self.rng.randrange(bits)
        for operand in row.operands:
            match operand.kind:
                case OperandKind.DIM:
                    texts.append(str(self.rng.randrange(3)))
                case OperandKind.POS:
                    texts.append(str(first))
                case OperandKind.LEN:
                    texts.append(str(self.rng.randint(1, bits - first)))
                case _:
                    assert operand.type is not None
                    may = operand.kind is OperandKind.SRC and operand.type.bits in (1, 32, 64)
                    if may and position == at:
                        # No division by a constant zero: those end too many kernels too early.
                        text = self.immediate(operand.type)
                        divides = Flags.MAY_TRAP in row.flags
                        texts.append("3" if divides and text in ("0", "-0") else text)
                    else:
                        texts.append(self.register(operand.type.reg))
                    position += operand.kind is not OperandKind.DST
        return texts

    def local(self, row: Row) -> str:
        """An address in group, private or readonly memory."""
        name, size = {
            Segment.GROUP: ("shared", 64),
            Segment.PRIVATE: ("own", 24),
            Segment.READONLY: ("T", 32),
        }[row.segment or Segment.GROUP]
        width = row.type.size if row.is_memory and row.type else 1
        if self.chance(self.hostile):
            return f"[{self.register(RegClass.S)}{self.rng.choice(FAR):+}]"
        if self.chance(0.3):
            return f"[{name}+{self.rng.randrange(size // width) * width}]"
        mask = 1 << (size // width).bit_length() - 1
        self.emit(f"and_u32 $s50, {self.register(RegClass.S)}, {mask - 1}")
        self.emit(f"mul_u32 $s50, $s50, {width}")
        return f"[{name}+$s50]"

    def anywhere(self, width: int) -> str:
        """An address in global memory."""
        if self.chance(self.hostile):
            base = self.rng.choice(("$d60", "$d61", "$d62", "$d63", self.register(RegClass.D)))
            if self.chance(0.3):
                shift = self.rng.choice((0, 1, 2, 3, 12, 24, 40, 61))
                self.emit(f"shl_u64 $d50, $d60, {shift}")
                self.emit(f"{self.rng.choice(('add', 'sub'))}_u64 $d50, {base}, $d50")
                base = "$d50"
            return f"[{base}{self.rng.choice((0, 0, *FAR)):+}]"
        base, size = self.rng.choice((("$d61", 256), ("$d62", 512)))
        if self.chance(0.5):
            # Neighbours: the work-item's own element, or one beside it.
            self.emit("and_u32 $s50, $s60, 15")
            self.emit("cvt_u64_u32 $d50, $s50")
        else:
            self.emit(f"and_u32 $s50, {self.register(RegClass.S)}, {size // width - 1}")
            self.emit("cvt_u64_u32 $d50, $s50")
        self.emit(f"mad_u64 $d50, $d50, {width}, {base}")
        return "[$d50]"

    def memory(self) -> None:
        row = self.rng.choice(MEMORY)
        assert row.type is not None
        if row.segment not in (Segment.PRIVATE, Segment.KERNARG) and not (
            row.is_load or self.stores
        ):
            return
        if row.segment is Segment.KERNARG:
            self.kernarg(row)
            return
        address = self.anywhere(row.type.size) if row.segment is Segment.GLOBAL else self.local(row)
        register = self.register(row.type.reg)
        if not row.is_atomic:
            self.emit(f"{row.name} {register}, {address}")
            return
        sources = ", ".join(self.register(row.type.reg) for _ in row.srcs)
        old = f"{register}, " if self.chance(0.5) else ""
        self.emit(f"{row.name} {old}{address}, {sources}")

    def kernarg(self, row: Row) -> None:
        assert row.type is not None
        size = row.type.size
        at = 32 + self.rng.randrange(24 // size) * size  # behind the pointers: %n, %x, %b
        self.emit(f"{row.name} {self.register(row.type.reg)}, [{at}]")

    def walk(self) -> None:
        """A loop along memory, which may go on where the memory does not."""
        head = self.label()
        step = self.rng.choice((1, 2, 4, 4, 8, 16, -4, 64))
        trips = self.rng.choice((1, 3, 16, 64)) if self.chance(0.8) else 1 << 20
        base = self.rng.choice(("$d61", "$d62", "$d0", "$d1"))
        self.emit(f"mov_u64 $d51, {base}")
        self.emit("mov_u32 $s51, 0")
        self.lines.append(f"{head}:")
        store = self.stores and self.chance(0.4)
        type_, register = self.rng.choice(
            (("u8", "$s3"), ("u32", "$s4"), ("f32", "$s2"), ("u64", "$d3"), ("f64", "$d2"))
        )
        self.emit(f"{'st' if store else 'ld'}_global_{type_} {register}, [$d51]")
        self.emit(f"add_s64 $d51, $d51, {step}")
        self.emit("add_u32 $s51, $s51, 1")
        if self.chance(0.5):
            self.emit(f"cmp_lt_u32 $c10, $s51, {trips}")
        else:
            self.emit(f"and_u32 $s52, {self.register(RegClass.S)}, {trips * 2 - 1 & 0xFFFFF}")
            self.emit("cmp_lt_u32 $c10, $s51, $s52")
        self.emit(f"cbr $c10, {head}")

    def piece(self) -> None:
        roll = self.rng.random()
        if roll < 0.5:
            self.compute()
        elif roll < 0.85:
            self.memory()
        elif roll < 0.9:
            self.walk()
        elif roll < 0.92:
            self.emit(self.rng.choice(("barrier", "memfence", "nop", "reconverge")))
        elif roll < 0.93:
            self.emit(self.rng.choice((f"trap {self.rng.randrange(9)}", "br @end")))
        else:
            cls = self.rng.choice(("eq", "lt", "gt", "ne"))
            c = self.register(RegClass.C)
            self.emit(f"cmp_{cls}_u32 {c}, {self.register(RegClass.S)}, {self.rng.randrange(9)}")

    def condition(self) -> str:
        if self.chance(0.4):
            return self.register(RegClass.C)
        self.emit(f"and_u32 $s50, {self.rng.choice(('$s60', '$s61', '$s0', '$s3'))}, 7")
        self.emit(f"cmp_{self.rng.choice(('lt', 'eq', 'ne'))}_u32 $c11, $s50, "
                  f"{self.rng.randrange(8)}")  # fmt: skip
        return "$c11"

    def soup(self, blocks: int) -> None:
        """Blocks that jump to any other."""
        places = [self.label() for _ in range(blocks)]
        for place in places:
            self.lines.append(f"{place}:")
            for _ in range(self.rng.randrange(4)):
                self.piece()
            there = self.rng.choice((*places, "@end"))
            if self.chance(0.7):
                join = ", none" if self.chance(0.15) else ""
                flag = self.rng.choice(("", "", ", subdivide", ", nosubdivide"))
                self.emit(f"cbr {self.condition()}, {there}{join}{flag}")
            elif self.chance(0.4):
                self.emit(f"br {there}")

    def nest(self, depth: int) -> None:
        """Loops and branches inside each other."""
        for _ in range(self.rng.randrange(2)):
            self.piece()
        if depth == 0:
            return
        end = self.label()
        if self.chance(0.5):
            self.emit(f"cbr {self.condition()}, {end}")
            self.nest(depth - 1)
            self.lines.append(f"{end}:")
        else:
            head = self.label()
            self.lines.append(f"{head}:")
            self.nest(depth - 1)
            if self.chance(0.3):
                self.emit(f"cbr {self.condition()}, {end}")
            self.emit(f"sub_u32 $s{self.rng.randrange(3, 6)}, $s3, 1")
            self.emit(f"cmp_gt_s32 $c11, $s{self.rng.randrange(3, 6)}, {self.rng.randrange(3)}")
            self.emit(f"cbr $c11, {head}")
            self.lines.append(f"{end}:")
        if self.chance(0.3):
            self.piece()

    def text(self) -> str:
        kind = self.rng.random()
        if kind < 0.5:
            self.soup(self.rng.choice((2, 4, 8, 20)))
        elif kind < 0.85:
            self.nest(self.rng.choice((2, 5, 12, 40)))
        else:
            for _ in range(self.rng.randint(5, 30)):
                self.piece()
        tail = ["@end:", "    ld_kernarg_u64 $d55, [%out]",
                f"    mad_u64 $d55, $d60, {4 * ROW_WORDS}, $d55"]  # fmt: skip
        place = 0
        for i in range(WORKING[RegClass.S]):
            tail.append(f"    st_global_u32 $s{i}, [$d55+{place}]")
            place += 4
        for i in range(WORKING[RegClass.D]):
            tail.append(f"    st_global_u64 $d{i}, [$d55+{place}]")
            place += 8
        for i in range(WORKING[RegClass.C]):
            tail += [f"    cvt_u32_b1 $s50, $c{i}", f"    st_global_u8 $s50, [$d55+{place}]"]
            place += 1
        return "\n".join([HEAD.rstrip(), *self.lines, *tail, "    ret", "}"]) + "\n"


# --- launches


@dataclass
class Sample:
    """A kernel and its launch."""

    seed: int
    text: str
    geometry: Geometry
    budget: int
    exited_arrive: bool
    stores: bool
    crossing: bool

    @property
    def is_comparable(self) -> bool:
        """Whether its outcome does not depend on the order of work-items."""
        alone = not self.stores or self.geometry.n_items == 1
        return alone and not self.crossing and self.budget <= COMPARABLE_BUDGET

    def __str__(self) -> str:
        g = self.geometry
        return (
            f"// seed {self.seed}: items {g.items}, workgroups of {g.group_size}, warps of "
            f"{g.width}, budget {self.budget}, exited_arrive {self.exited_arrive}\n{self.text}"
        )


def sample(seed: int) -> Sample:
    """The kernel and launch of a seed."""
    rng = random.Random(seed)
    stores, crossing = rng.random() < 0.5, rng.random() < 0.05
    text = Wild(rng, stores, crossing, rng.choice((0.0, 0.02, 0.1, 0.5))).text()
    group: int | tuple[int, ...] = rng.choice(
        (1, 2, 7, 16, 32, 33, 64, 100, (8, 4), (3, 5), (5, 3, 2), (2, 2, 7), (1, 9), 256)
    )
    sizes = (group,) if isinstance(group, int) else group
    # Whole workgroups, partial ones, and grids smaller than one workgroup.
    items = tuple(max(1, rng.randint(1, 2 * s + 1) if s < 60 else rng.randint(1, s)) for s in sizes)
    if rng.random() < 0.3:
        items = sizes
    if stores and rng.random() < 0.4:
        items = tuple(1 for _ in sizes)
    budget = rng.choice((1, 17, 300, 1500, COMPARABLE_BUDGET, COMPARABLE_BUDGET, 40_000, 1 << 18))
    width = rng.choice((1, 2, 3, 4, 8, 16, 31, 32, 33, 64))
    return Sample(
        seed, text, Geometry.of(items=items, group_size=group, width=width), budget,
        rng.random() < 0.2, stores, crossing,
    )  # fmt: skip


class Scene:
    """The memory of one run: fenced buffers, one frozen, one freed, and `out` out of reach."""

    def __init__(self, items: int) -> None:
        rng = np.random.default_rng(0)
        self.device = Device()
        frozen = self._block(rng.integers(0, 256, 256, np.uint8))
        frozen.flags.writeable = False
        self.arrays: dict[str, DeviceArray] = {
            "frozen": self.device.map(frozen, "frozen"),
            "data": self.device.map(self._block(rng.integers(0, 2**60, 64, np.uint64)), "data"),
            "gone": self.device.map(self._block(np.zeros(8, np.float32)), "gone"),
        }
        self.arrays["gone"].free()
        # A kernel that does not ask for `out` does not come across it.
        gap = self.device.memory.add(np.broadcast_to(np.uint8(0), (1 << 40,)), "gap")
        self.device.memory.free(gap)
        out = self._block(np.zeros(items * ROW_WORDS, np.uint32))
        self.arrays["out"] = self.device.map(out, "out")

    def _block(self, content: np.ndarray) -> np.ndarray:
        block = fenced(content.nbytes, content.itemsize).view(content.dtype)
        block[:] = content
        return block

    def work(self, made: Sample) -> Work:
        program = assemble(made.text)
        (kernel,) = program.kernels
        a = self.arrays
        bound = bind(kernel, [a["out"], a["frozen"], a["data"], a["gone"], 77, 1.5, 200])
        return Work(
            program, kernel, made.geometry, bound.kernargs, bound.memory,
            budget=made.budget, exited_arrive=made.exited_arrive,
        )  # fmt: skip

    def content(self) -> dict[str, bytes]:
        return {k: v.to_host().tobytes() for k, v in self.arrays.items() if k != "gone"}

    def check_unhurt(self) -> None:
        """Assert that the bytes before each buffer and the frozen buffer have not changed."""
        for name, array in self.arrays.items():
            if name == "gone":
                continue
            host = array.buffer.host
            before = (ctypes.c_uint8 * 64).from_address(host.ctypes.data - 64)
            assert set(before) == {BEFORE}, f"the bytes before {name} have changed"
        assert self.content()["frozen"] == Scene(1).content()["frozen"], "frozen has changed"


def launch(work: Work, made: Sample) -> Trap | None:
    """Run it in native code, also where the engine would not, but for what looks at neighbours."""
    try:
        with patch.object(np, "zeros", zeros):
            (engine.run if made.crossing else engine.execute)(work)
    except Trap as trap:
        str(trap)
        return trap
    return None


def check(made: Sample) -> None:
    """Run a sample; what can be compared must be the oracle's.

    Native code looks at the budget where it jumps back, and a warp's lanes share theirs: it may
    come further than the oracle, to an end or to another trap.
    """
    scene = Scene(made.geometry.n_items)
    trap = launch(scene.work(made), made)
    scene.check_unhurt()
    if not made.is_comparable:
        return
    expected = Scene(made.geometry.n_items)
    work = expected.work(made)
    found = {record.key for record in oracle.trap_records(work)}
    kinds = {kind for kind, *_ in found}
    if trap is None:
        assert kinds <= {TrapKind.BUDGET}, f"no trap, where the oracle has {found}"
        if not found:
            oracle.run(replace(work))
            assert scene.content() == expected.content(), "memory differs from the oracle's"
    elif trap.record.kind in (TrapKind.BUDGET, TrapKind.LIVELOCK, TrapKind.UNDECIDED):
        assert TrapKind.BUDGET in kinds, f"{trap}\nwhere the oracle has {found or 'no trap'}"
    elif TrapKind.BUDGET not in kinds:
        assert trap.record.key in found, f"{trap}\nwhere the oracle has {found or 'no trap'}"


def main(first: int, end: int, text: Path) -> None:
    faulthandler.enable()
    # Why a launch hangs, and whether it waits, is other tests' question, and takes long.
    second_opinion.VERDICT_BUDGET = engine.DECIDING_BUDGET = 500
    for seed in range(first, end):
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        made = sample(seed)
        text.write_text(str(made), encoding="utf-8")
        check(made)
    faulthandler.cancel_dump_traceback_later()
    text.unlink(missing_ok=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))

"""Segments of programs, and the ways of their memory accesses: ns a call, ms to compile.

    python bench/segments.py [--width 16] [--grain segment] [program ...]

A loop in native code calls through pointers, as the timing engine does. CPU time, the best of many
runs; half of the lanes are on unless `--full`.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import tempfile
import time
from collections.abc import Sequence

import numpy as np

from simtlab.asm.assemble import assemble
from simtlab.emu.engine import Work
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.jit.llvm.toolchain import compile_text, function_attributes
from simtlab.emu.jit.runtime.aligned import aligned_bytes
from simtlab.emu.jit.segments import compile as segments_file
from simtlab.emu.jit.segments.compile import Segments, compile_segments, context_of
from simtlab.emu.jit.segments.table import Grain
from simtlab.emu.jit.segments.warp_block import Header, blocks_of
from simtlab.emu.memory import Memory
from simtlab.isa.instruction import Reg
from simtlab.isa.program import Kernel, Program
from simtlab.isa.types import RegClass
from simtlab.programs.index import catalogue

CALLS = 20_000
REPEATS = 25

LOOP = """
define i64 @calls(ptr %functions, i64 %n, ptr %warp, i64 %mask, i64 %trips) #0 {
entry:
  br label %trip
trip:
  %t = phi i64 [ 0, %entry ], [ %t.next, %next ]
  br label %call
call:
  %i = phi i64 [ 0, %trip ], [ %i.next, %call ]
  %all = phi i64 [ 0, %trip ], [ %all.next, %call ]
  %p = getelementptr ptr, ptr %functions, i64 %i
  %f = load ptr, ptr %p
  %r = call i64 %f(ptr %warp, i64 %mask)
  %all.next = or i64 %all, %r
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %call, label %next
next:
  %t.next = add i64 %t, 1
  %again = icmp ult i64 %t.next, %trips
  br i1 %again, label %trip, label %done
done:
  ret i64 %all.next
}
"""

WAYS = {
    "load, neighbours": ("ld_global_u32 $s1, [$d0]", lambda lane: lane * 4),
    "load, one place": ("ld_global_u32 $s1, [$d0]", lambda lane: lane * 0),
    "load, gather": ("ld_global_u32 $s1, [$d0]", lambda lane: lane * 52 % 1000 * 4),
    "load, two buffers": (
        "ld_global_u32 $s1, [$d0]", lambda lane: np.where(lane % 3, lane * 4, lane * 4 + 8448)),
    "load u64, neighbours": ("ld_global_u64 $d1, [$d0]", lambda lane: lane * 8),
    "load u64, gather": ("ld_global_u64 $d1, [$d0]", lambda lane: lane * 52 % 500 * 8),
    "load u8, neighbours": ("ld_global_u8 $s1, [$d0]", lambda lane: lane),
    "load u8, apart": ("ld_global_u8 $s1, [$d0]", lambda lane: lane * 52 % 1000),
    "store, neighbours": ("st_global_u32 $s1, [$d0]", lambda lane: lane * 4),
    "store, one place": ("st_global_u32 $s1, [$d0]", lambda lane: lane * 0),
    "store, scatter": ("st_global_u32 $s1, [$d0]", lambda lane: lane * 52 % 1000 * 4),
    "group load, neighbours": ("ld_group_u32 $s1, [$s0]", lambda lane: lane * 4),
    "group load, gather": ("ld_group_u32 $s1, [$s0]", lambda lane: lane * 52 % 500 * 4),
    "group store, neighbours": ("st_group_u32 $s1, [$s0]", lambda lane: lane * 4),
    "private load": ("ld_private_u32 $s1, [$s0]", lambda lane: lane * 0 + 8),
    "atomic add": ("atomic_add_global_u32 $s2, [$d0], $s1", lambda lane: lane * 4),
    "atomic add, no result": ("atomic_add_global_u32 [$d0], $s1", lambda lane: lane * 0),
}  # fmt: skip


class Machine:
    """One warp block that is ready to run the segments of a kernel."""

    def __init__(self, kernel: Kernel, program: Program, width: int, grain: Grain) -> None:
        self.segments: Segments = compile_segments(kernel, program, width, grain)
        layout = self.segments.layout
        memory = Memory()
        self.buffer = memory.add(np.zeros(4096, np.uint8), "one")
        memory.add(np.zeros(4096, np.uint8), "two")
        kernargs = b"".join(
            self.buffer.base.to_bytes(8, "little")
            if p.is_pointer
            else (7).to_bytes(p.size, "little")
            for p in kernel.params
        ).ljust(max(8, kernel.kernarg_size), b"\0")
        self.work = Work(
            program, kernel, Geometry((256, 256, 256), (64, 1, 1), width), kernargs, memory
        )
        self.context = context_of(self.segments, self.work)
        self.kept = aligned_bytes(layout.group_bytes + 64), aligned_bytes(layout.private_bytes + 64)
        self.block = blocks_of(layout, 1)[0]
        header = layout.header(self.block)
        header[Header.GROUP_MEMORY], header[Header.PRIVATE_MEMORY] = (
            k.ctypes.data for k in self.kept
        )
        header[Header.CONTEXT] = self.context.address
        start = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64)
        start(self.segments.start)(self.block.ctypes.data, 0, 0)


class Caller:
    """Calls functions in turn and says how long a call takes."""

    def __init__(self) -> None:
        text = LOOP + f"attributes #0 = {{ {function_attributes()} }}\n"
        self.compiled = compile_text(text, ["calls"])
        integers = [ctypes.c_uint64] * 2
        self.function = ctypes.CFUNCTYPE(
            ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, *integers
        )(self.compiled["calls"])

    def nanoseconds(self, addresses: Sequence[int], block: np.ndarray, mask: int) -> float:
        """The best of many runs, per call."""
        table = np.array(addresses, np.uint64)
        trips = max(1, CALLS // len(addresses))
        best = float("inf")
        for _ in range(REPEATS):
            begin = time.process_time()
            self.function(table.ctypes.data, len(addresses), block.ctypes.data, mask, trips)
            best = min(best, time.process_time() - begin)
        return best * 1e9 / trips / len(addresses)


def mask_of(width: int, full: bool) -> int:
    """All lanes, or about half of them."""
    every = (1 << width) - 1
    return every if full or width == 1 else every & 0x6996_C33C_5AA5_9669


def programs(names: Sequence[str], width: int, grain: Grain, full: bool, caller: Caller) -> None:
    """The functions of each kernel, called in turn."""
    print(f"{'kernel':<22}{'segments':>9}{'instr':>7}{'ns/call':>9}{'ns/instr':>9}"
          f"{'ms cold':>9}{'ms cached':>10}")  # fmt: skip
    for entry in catalogue():
        if names and entry.short not in names:
            continue
        program = assemble(entry.path)
        for kernel in program.kernels:
            fresh_cache()
            Machine(kernel, program, width, grain)  # what kernels share is made once
            times = []
            fresh_cache()
            for _ in ("cold", "cached"):
                segments_file._COMPILED.clear()
                begin = time.process_time()
                compile_segments(kernel, program, width, grain)
                times.append(1000 * (time.process_time() - begin))
            machine = Machine(kernel, program, width, grain)
            table = machine.segments.table
            with_code = table[table["fn"] != 0]
            n_instr = int(sum(with_code["n_instr"]))
            ns = caller.nanoseconds(with_code["fn"].tolist(), machine.block, mask_of(width, full))
            per = ns * len(with_code) / n_instr
            print(f"{kernel.name:<22}{len(table):>9}{n_instr:>7}{ns:>9.1f}{per:>9.2f}"
                  f"{times[0]:>9.1f}{times[1]:>10.1f}")  # fmt: skip


def ways(width: int, full: bool, caller: Caller) -> None:
    """A memory access by each way."""
    print(f"\n{'access':<26}{'ns/call':>9}")
    for name, (line, place) in WAYS.items():
        text = f"kernel k() {{\n.group u32 tile[1024]\n.private u64 own[4]\n{line}\nret\n}}\n"
        program = assemble(text)
        machine = Machine(program.kernels[0], program, width, Grain.SEGMENT)
        layout = machine.segments.layout
        base = Reg(RegClass.D if "global" in line else RegClass.S, 0)
        offsets = np.asarray(place(np.arange(width)), np.uint64)
        start = machine.buffer.base if base.cls is RegClass.D else 0
        layout.view(machine.block, base)[:] = offsets + np.uint64(start)
        move = int(machine.segments.table["move"][0])
        mask = mask_of(width, full)
        print(f"{name:<26}{caller.nanoseconds([move], machine.block, mask):>9.1f}")


CACHES = tempfile.TemporaryDirectory()


def fresh_cache() -> None:
    """Nothing is cached on disk from now on."""
    os.environ[FOLDER_VARIABLE] = tempfile.mkdtemp(dir=CACHES.name)


def main() -> None:
    """Print both tables."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("programs", nargs="*")
    options.add_argument("--width", type=int, default=16)
    options.add_argument("--grain", type=Grain, default=Grain.SEGMENT)
    options.add_argument("--full", action="store_true")
    given = options.parse_args()
    caller = Caller()
    programs(given.programs, given.width, given.grain, given.full, caller)
    if not given.programs:
        ways(given.width, given.full, caller)


if __name__ == "__main__":
    main()

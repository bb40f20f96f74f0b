"""Nanoseconds per 32 lanes of generated code, row by row, and what compiling costs.

    python bench/jit_alu.py [--lanes 16] [ROW ...]

A row runs over 1024 lanes that lie in the first-level cache; loads and stores are part of its
time, so that `add` shows what they cost. Arguments are ordinary ones: floats within +-100,
integers of all sizes; `sin large` has arguments that need the long reduction.
"""

from __future__ import annotations

import argparse
import ctypes
import time

import numpy as np

from simtlab.emu.jit.arithmetic import emit as alu
from simtlab.emu.jit.llvm.function_text import FunctionText
from simtlab.emu.jit.llvm.text import ModuleText, integer
from simtlab.emu.jit.llvm.toolchain import Level, compile_text, function_attributes
from simtlab.isa.table import BY_NAME, TABLE, Row
from simtlab.isa.types import Type

ROWS = """
    add_u32 add_f32 fma_f32 mul_u64 mulhi_u32 mulhi_u64 mulhi_s64 div_u32 div_s32 rem_u32 rem_s32
    div_u64 div_s64 rem_u64 rem_s64 div_f32 sqrt_f32 rsqrt_f32 min_f32 max_f64 rint_f32 shl_u32
    shr_u64 popcount_u32 clz_u32 clz_u64 cvt_s32_f32 cvt_u32_f32 cvt_s8_f32 cvt_u8_f32 cvt_s64_f32
    cvt_u64_f32 cvt_s32_f64 cvt_u64_f64 cvt_f32_u64 cvt_f32_s32 cvt_f64_u64 cvt_f32_f64
    exp2_f32 log2_f32 sin_f32 cos_f32
""".split()
LANES = 1024
PASSES = 100


def loop_of(row: Row, n: int, module: ModuleText, name: str) -> None:
    """Define a function that runs a row over its arrays."""
    code = FunctionText(module)
    types = [o.type for o in row.srcs if o.type is not None]
    assert row.dst is not None
    assert row.dst.type is not None
    out = row.dst.type

    def element(base: str, type_: Type) -> str:
        offset = code.let(f"mul i64 %place, {max(n, 1) * type_.reg.bits // 8}")
        return code.let(f"getelementptr i8, ptr {base}, i64 {offset}")

    operands = []
    for position, type_ in enumerate(types):
        pointer = element(f"%p{position}", type_)
        operands.append(code.let(f"load {integer(type_.reg.bits, n)}, ptr {pointer}, align 4"))
    result = alu.emit(code, row, (), operands, n)
    code.line(f"store {integer(out.reg.bits, n)} {result}, ptr {element('%out', out)}, align 4")
    parameters = "".join(f"ptr noalias %p{i}, " for i in range(len(types)))
    body = "\n".join(code.lines)
    module.define(
        name,
        f"""define void @{name}({parameters}ptr noalias %out, i64 %trips) #0 {{
entry:
  br label %loop
loop:
  %trip = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = and i64 %trip, {LANES // max(n, 1) - 1}
{body}
  %next = add i64 %trip, 1
  %more = icmp ult i64 %next, %trips
  br i1 %more, label %loop, label %done
done:
  ret void
}}
""",
    )


def arguments_of(row: Row, large: bool) -> list[np.ndarray]:
    """Arrays of ordinary arguments."""
    rng = np.random.default_rng(row.number)
    arrays = []
    for operand in row.srcs:
        assert operand.type is not None
        if operand.type.is_float:
            scale = 1e9 if large else 100.0
            arrays.append((rng.uniform(-1, 1, LANES) * scale).astype(operand.type.numpy))
        else:
            bits = operand.type.reg.bits
            values = rng.integers(1, 1 << (bits - 1), LANES, np.uint64)
            arrays.append(
                (values >> rng.integers(0, bits - 1, LANES, np.uint64)).astype(f"uint{bits}")
                | np.array(1, f"uint{bits}")
            )
    return arrays


def nanoseconds(address: int, row: Row, n: int, large: bool = False) -> float:
    """The best of many runs, per 32 lanes."""
    arrays = arguments_of(row, large)
    out = np.zeros(LANES, np.uint64)
    pointer = ctypes.c_void_p
    function = ctypes.CFUNCTYPE(None, *[pointer] * (len(arrays) + 1), ctypes.c_int64)(address)
    given = [a.ctypes.data for a in arrays]
    trips = LANES // max(n, 1) * PASSES
    best = float("inf")
    for _ in range(30):
        start = time.perf_counter()
        function(*given, out.ctypes.data, trips)
        best = min(best, time.perf_counter() - start)
    return best * 1e9 * 32 / LANES / PASSES


def main() -> None:
    """Print a line per row, then compile times."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("rows", nargs="*")
    options.add_argument("--lanes", type=int, default=16)
    given = options.parse_args()
    rows = [BY_NAME[name] for name in given.rows or ROWS]
    columns = (0, given.lanes)
    compiled = {}
    for n in columns:
        module = ModuleText(function_attributes())
        for row in rows:
            loop_of(row, n, module, row.name)
        compiled[n] = compile_text(str(module), [row.name for row in rows])
    print("ns per 32 lanes".ljust(20) + "".join(f"{f'n = {n}':>10}" for n in columns))
    for row in rows:
        times = [nanoseconds(compiled[n][row.name], row, n) for n in columns]
        print(row.name.ljust(20) + "".join(f"{t:>10.1f}" for t in times))
        if row.stem in ("sin", "cos"):
            times = [nanoseconds(compiled[n][row.name], row, n, large=True) for n in columns]
            print(f"{row.stem} large".ljust(20) + "".join(f"{t:>10.1f}" for t in times))
    if not given.rows:
        print_compile_times(columns)


def print_compile_times(columns: tuple[int, ...]) -> None:
    """Milliseconds for one module with nearly all rows."""
    every = [row for row in TABLE if alu.can_emit(row) and row.stem != "movhi"]
    every = [row for row in every if all(o.type and o.type.bits > 1 for o in row.operands)]
    print(f"\nms to compile a module with {len(every)} rows")
    for n in columns:
        module = ModuleText(function_attributes())
        for row in every:
            loop_of(row, n, module, row.name)
        for level in Level:
            start = time.perf_counter()
            compile_text(str(module), [row.name for row in every], level=level)
            elapsed = 1000 * (time.perf_counter() - start)
            print(f"{f'n = {n}, {level}':<20}{elapsed:>10.0f}")


if __name__ == "__main__":
    main()

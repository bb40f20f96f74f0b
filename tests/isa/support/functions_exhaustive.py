"""Measures the functions of isa/functions.py on all 2^32 arguments, through generated C.

    python -m tests.isa.support.functions_exhaustive [sin cos exp2 log2]

Each list becomes a C function of the same steps, compiled without contraction, and is compared
with the C library's function in double precision, whose error is below 2^-28 f32 ulp. Needs a C
compiler and a processor with fma; takes some minutes a function on one core.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from simtlab.isa.functions import FUNCTIONS, Function, Step
from simtlab.isa.types import Type

_C_TYPES = {"b1": "uint32_t", "u32": "uint32_t", "s32": "int32_t", "f32": "float"}
_INFIX = {
    "add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^", "cmp_eq": "==",
    "cmp_ne": "!=", "cmp_lt": "<", "cmp_gt": ">", "cmp_ge": ">=",
}  # fmt: skip
_CALLS = {
    "mov": "{0}",
    "select": "({0} ? {1} : {2})",
    "mad": "({0} * {1} + {2})",
    "mulhi": "(uint32_t)(((uint64_t){0} * {1}) >> 32)",
    "fma": "__builtin_fmaf({0}, {1}, {2})",
    "min": "({0} != {0} || {1} < {0} ? {1} : {0})",
    "abs": "__builtin_fabsf({0})",
    "shl": "({0} << ({1} & 31))",
    "shr": "({0} >> ({1} & 31))",
}

_MAIN = r"""
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline float as_f32(uint32_t b) { float f; memcpy(&f, &b, 4); return f; }
static inline uint32_t as_u32(float f) { uint32_t b; memcpy(&b, &f, 4); return b; }

static float f(float x) {
%(body)s}

int main(void) {
    enum { N = 1 << 12 };
    static float got[N];
    double worst = 0, sum = 0;
    uint32_t where = 0;
    uint64_t wrong = 0, rounded = 0, finite = 0, over1 = 0;
    for (uint64_t base = 0; base < 1ull << 32; base += N) {
        for (int i = 0; i < N; i++) got[i] = f(as_f32((uint32_t)base + i));
        for (int i = 0; i < N; i++) {
            uint32_t bits = (uint32_t)base + i;
            double want = %(name)s((double)as_f32(bits));
            float g = got[i];
            if (want != want || fabs(want) >= 0x1p128) {
                wrong += want != want ? g == g : g != (want > 0 ? INFINITY : -INFINITY);
                continue;
            }
            if (g != g) { wrong++; continue; }
            uint64_t wb;
            memcpy(&wb, &want, 8);
            int e = (int)((wb >> 52) & 2047) - 1023 - 23;
            if (e < -149) e = -149;
            uint64_t sb = (uint64_t)(1023 - e) << 52; /* 1 / ulp */
            double scale;
            memcpy(&scale, &sb, 8);
            double value = isinf(g) ? copysign(0x1p128, g) : (double)g;
            double error = fabs(value - want) * scale;
            wrong += want == 0 && !signbit(want) != !signbit(g);
            finite++;
            sum += error;
            rounded += g == (float)want;
            over1 += error > 1;
            if (error > worst) { worst = error; where = bits; }
        }
    }
    printf("%(name)s: max %%.4f ulp at %%.9g (0f%%08x), mean %%.4f, over 1 ulp %%.3g %%%%,"
           " correctly rounded %%.2f %%%%, wrong special cases %%llu\n",
           worst, as_f32(where), where, sum / finite, 100.0 * over1 / finite,
           100.0 * rounded / finite, (unsigned long long)wrong);
    return wrong != 0;
}
"""


def _cast(type_: Type | None, text: str, is_: str) -> str:
    want = "b1" if type_ is None else type_.name
    if want == is_:
        return text
    if want == "f32":
        return f"as_f32({text})"
    return f"(({_C_TYPES[want]}){'as_u32' if is_ == 'f32' else ''}({text}))"


def _statement(step: Step, types: dict[str, str]) -> str:
    row = step.row
    assert row.dst is not None
    assert row.dst.type is not None
    args = [
        _cast(o.type, f"0x{a:x}u" if isinstance(a, int) else a, types.get(str(a), "u32"))
        for o, a in zip(row.srcs, step.args, strict=True)
    ]
    types[step.dst] = row.dst.type.name
    ctype = _C_TYPES[row.dst.type.name]
    if row.stem in _INFIX:
        value = f"{args[0]} {_INFIX[row.stem]} {args[1]}"
    elif row.stem == "cvt":
        value = f"({ctype}){args[0]}"
    else:
        value = _CALLS[row.stem].format(*args)
    return f"    const {ctype} {step.dst} = {value};\n"


def source(function: Function) -> str:
    """The C program that measures the function."""
    types = {"x": "f32"}
    body = "".join(_statement(step, types) for step in function.steps)
    return _MAIN % {"body": body + f"    return {function.result};\n", "name": function.name}


def measure(function: Function, compiler: str = "cc") -> str:
    """Compile and run that program; its one line of output."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{function.name}.c"
        path.write_text(source(function))
        program = path.with_suffix("")
        flags = ["-O3", "-march=native", "-ffp-contract=off", "-o", str(program), str(path), "-lm"]
        subprocess.run([compiler, *flags], check=True)
        return subprocess.run([program], check=False, capture_output=True, text=True).stdout


if __name__ == "__main__":
    for name in sys.argv[1:] or FUNCTIONS:
        print(measure(FUNCTIONS[name]), end="", flush=True)

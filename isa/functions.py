"""sin, cos, exp2 and log2 of f32: one list of steps each, which every engine evaluates.

A step is an instruction of the table over names and constants, so scalar Python, NumPy and
generated vector code compute the same bits with their own arithmetic; the host's libm is never
used. A list is straight-line code: every step may be evaluated for every lane, nothing
traps, and special cases are settled by compares and selects.

The lists are text, one step a line, parsed on first use:

    name = mnemonic operand operand ...      // why
    @cond name = mnemonic operand ...        // only needed in lanes where `cond` is true

The operand `x` is the argument and the last step's name the result. A constant is read as the
operand's type says: an integer, a decimal float rounded to f32, or `0f` and the bits.

Two rules keep engines free: a guarded step's value never reaches the result in lanes where its
guard is false (so code may branch around it), and the bits of a NaN never decide anything (so
NaNs may be made canonical late; the result is float arithmetic like any other and canonical in
that sense). docs/functions.md has the derivation, the error bounds and how they were measured.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from functools import cached_property

from .table import BY_NAME, Row
from .types import Type, mask_of

ARGUMENT = "x"
"""The name of the argument in every list."""


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction of a list: `dst = name args`.

    An argument is the name of an earlier step (or `x`), or the bits of a constant of the type
    that `row.srcs` has at that place. `guard` names an earlier b1 step: where it is false the
    value is not needed.
    """

    dst: str
    name: str
    args: tuple[str | int, ...]
    guard: str | None = None

    @property
    def row(self) -> Row:
        """The row of the instruction table."""
        return BY_NAME[self.name]


@dataclass(frozen=True)
class Function:
    """A function f32 -> f32 as a list of steps.

    `max_ulp` bounds |result - exact| in units of the last place of the exact value, over all
    inputs with a finite result; it was measured on all 2^32 inputs and rounded up.
    """

    name: str
    doc: str
    max_ulp: float
    text: str = field(repr=False)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps in order; each uses only earlier ones."""
        return tuple(_step(line) for line in _lines(self.text))

    @property
    def result(self) -> str:
        """The name of the step whose value is the result."""
        return self.steps[-1].dst

    @cached_property
    def guards(self) -> frozenset[str]:
        """The names of the steps that guard others."""
        return frozenset(s.guard for s in self.steps if s.guard is not None)


def _lines(text: str) -> list[str]:
    lines = (line.partition("//")[0].strip() for line in text.splitlines())
    return [line for line in lines if line]


def _step(line: str) -> Step:
    guard = None
    if line.startswith("@"):
        guard, _, line = line[1:].partition(" ")
    dst, _, rest = line.partition("=")
    name, *words = rest.split()
    types = (operand.type for operand in BY_NAME[name].srcs)
    args = tuple(_arg(word, type_) for word, type_ in zip(words, types, strict=True))
    return Step(dst.strip(), name, args, guard)


def _arg(word: str, type_: Type | None) -> str | int:
    """Return a name as it is, a constant as bits of its type."""
    if word[0].isalpha() and word not in ("inf", "nan"):
        return word
    if word.startswith("0f"):
        return int(word[2:], 16)
    assert type_ is not None
    if type_.is_float:
        (bits,) = struct.unpack("<I", struct.pack("<f", float(word)))
        return bits
    return int(word, 0) & mask_of(type_.bits)


_EXP2 = """
    low = cmp_lt_f32 x -151.0           // below, the result rounds to 0 anyway; NaN continues
    c = select_f32 low -151.0 x
    h = min_f32 c 128.0                 // a NaN comes back through r
    t = add_f32 h 12583166.0            // 1.5 * 2^23 + 254: low bits are n + 254, n = rint(h)
    n = sub_f32 t 12583166.0
    r = sub_f32 c n                     // exact, |r| <= 1/2; 2^x = 2^r * 2^n
    p5 = fma_f32 r 0.00015329922 0.001339098
    p4 = fma_f32 r p5 0.009618498
    p3 = fma_f32 r p4 0.0555036
    p2 = fma_f32 r p3 0.24022648
    p1 = fma_f32 r p2 0.6931472
    p = fma_f32 r p1 1.0
    t22 = shl_u32 t 22                  // 2^n = a * b, a = 2^floor(n / 2): both are normal, so
    a = and_u32 t22 0xff800000          // only the last product rounds, also to a subnormal
    t23 = shl_u32 t 23
    b = sub_u32 t23 a
    pb = mul_f32 p b
    y = mul_f32 pb a                    // overflows to infinity by itself
"""

_LOG2 = """
    sub = cmp_lt_f32 x 0f00800000       // subnormal (or no positive number: settled below)
    xs = mul_f32 x 8388608.0            // 2^23
    v = select_f32 sub xs x
    k = select_u32 sub 0x4ab504f3 0x3f3504f3 // sqrt(1/2), with 23 more in the exponent
    t = sub_u32 v k
    ei = shr_s32 t 23                   // x = 2^e * m, sqrt(1/2) <= m < sqrt(2)
    e = cvt_f32_s32 ei
    mb = and_u32 t 0x007fffff
    m = add_u32 mb 0x3f3504f3
    f = sub_f32 m 1.0                   // exact
    ff = mul_f32 f f                    // log2(m) = c f + f^2 P(f)
    p7 = fma_f32 f 0.12593979 -0.20732704
    p6 = fma_f32 f p7 0.21566796
    p5 = fma_f32 f p6 -0.23894966
    p4 = fma_f32 f p5 0.28793222
    p3 = fma_f32 f p4 -0.36070257
    p2 = fma_f32 f p3 0.48090935
    p1 = fma_f32 f p2 -0.7213474
    p = mul_f32 ff p1
    lm = fma_f32 f 1.442695 p           // added to e last: that sum never cancels
    zero = cmp_eq_f32 x 0.0
    z = select_f32 zero -inf nan
    pos = cmp_gt_f32 x 0.0
    e1 = select_f32 pos e z
    fin = cmp_lt_f32 x inf
    e2 = select_f32 fin e1 x            // infinity and NaN stay as they are
    y = add_f32 e2 lm
"""

# |x| >= 2^17: |x| = M * 2^(ex - 150), M < 2^24. The product of M with 96 bits of 1/pi, taken from
# where 2^(ex - 150) puts the unit's place, is |x| / pi modulo 2 as fixed point: bit 31 of `hi` is
# the unit, its lower bits and `mid` the fraction.
_LARGE_QUOTIENT = """
    big = cmp_ge_f32 ax 131072.0
    @big mf = and_u32 ax 0x007fffff
    @big mant = or_u32 mf 0x00800000
    @big ex = shr_u32 ax 23             // 144 to 254: bits 6, 5 the word, 4 to 0 the bit in it
    @big far = cmp_ge_f32 ax 0f60000000 // bit 6: ex >= 192, two words on
    @big odd1 = and_u32 ax 0x10000000   // bit 5: one word on
    @big odd = cmp_ne_u32 odd1 0
    @big a0 = select_u32 far 0x441529fc 0x000000a2 // 1/pi from its bit of weight 2^22 on
    @big a1 = select_u32 far 0x2757d1f5 0xf9836e4e
    @big a2 = select_u32 far 0x34ddc0db 0x441529fc
    @big a3 = select_u32 far 0x6295993c 0x2757d1f5
    @big a4 = select_u32 far 0x439041fe 0x34ddc0db
    @big b0 = select_u32 odd a1 a0
    @big b1 = select_u32 odd a2 a1
    @big b2 = select_u32 odd a3 a2
    @big b3 = select_u32 odd a4 a3
    @big s = shl_u32 1 ex               // the count is modulo 32: 2^(bits 4 to 0)
    @big c0 = mulhi_u32 b1 s            // funnel shift: (b0, b1) << bit
    @big w0 = mad_u32 b0 s c0
    @big c1 = mulhi_u32 b2 s
    @big w1 = mad_u32 b1 s c1
    @big c2 = mulhi_u32 b3 s
    @big w2 = mad_u32 b2 s c2
    @big low = mulhi_u32 mant w2
    @big mid = mad_u32 mant w1 low
    @big over = cmp_lt_u32 mid low
    @big carry = cvt_u32_b1 over
    @big mh = mulhi_u32 mant w1
    @big up = add_u32 mh carry
"""

# The fraction as f32, reduced to [0, 1/2] by reflection (sin(pi - a) = sin(a)), times pi.
_LARGE_ANGLE = """
    @big half = shl_u32 hi 1
    @big neg = shr_s32 half 31          // all ones from 1/2 on; 1 - f is ~f within 2^-63
    @big fh = xor_u32 hi neg
    @big fl = xor_u32 mid neg
    @big h24 = and_u32 fh 0x3fffffc0    // 24 bits: exact as f32
    @big hf = cvt_f32_u32 h24
    @big l26 = shr_u32 fl 6
    @big l32 = mad_u32 fh 0x04000000 l26 // the next 32 bits
    @big lf = cvt_f32_u32 l32
    @big bad = mul_f32 x 0.0            // NaN for infinity, else 0
    @big q1 = fma_f32 lf 2.1799179e-17 bad // pi / 2^57
    @big q2 = fma_f32 hf -4.0709403e-17 q1 // pi / 2^31 in two parts
    @big q = fma_f32 hf 1.4629181e-09 q2
    @big rb = xor_u32 q qs
    rr = select_f32 big rb rs
"""

# sin(r) = r + r * (c z + z^2 P(z)), z = r^2: the term in c has no rounding of P in it, and at
# r = -0 the bracket is +0, which keeps the sign.
_SINE = """
    z = mul_f32 rr rr
    zz = mul_f32 z z
    p3 = fma_f32 z 2.6057558e-06 -0.0001980966
    p2 = fma_f32 z p3 0.008333068
    p1 = mul_f32 zz p2
    p = fma_f32 z -0.1666666 p1
    y = fma_f32 rr p rr
"""

_SIN = f"""
    t = fma_f32 x 0.31830987 12582912.0 // 1.5 * 2^23: the low bit is that of n = rint(x / pi)
    n = sub_f32 t 12582912.0
    r1 = fma_f32 n -3.1415925 x         // exact; pi in three parts, none above its share
    r2 = fma_f32 n -1.5099579e-07 r1
    r = fma_f32 n -1.0780605e-14 r2     // |r| <= pi/2; infinity has become NaN
    ts = shl_u32 t 31
    rs = xor_u32 r ts                   // odd n: the other sign
    ax = abs_f32 x
{_LARGE_QUOTIENT}
    @big hi = mad_u32 mant w0 up
    @big sx = xor_u32 hi x
    @big qs = and_u32 sx 0x80000000     // the sign of the result
{_LARGE_ANGLE}
{_SINE}
"""

_COS = f"""
    ax = abs_f32 x                      // cos(x) = cos(|x|), to the bit
    u = fma_f32 ax 0.31830987 -0.5
    t = add_f32 u 12582913.0            // 1.5 * 2^23 + 1: its low bit is that of n + 1
    n = sub_f32 t 12582913.0            // cos = sin(r), odd n + 1: -sin(r)
    h = add_f32 n 0.5
    r1 = fma_f32 h -3.1415925 ax        // r = |x| - (n + 1/2) pi
    r2 = fma_f32 h -1.5099579e-07 r1
    r = fma_f32 h -1.0780605e-14 r2
    ts = shl_u32 t 31
    rs = xor_u32 r ts
{_LARGE_QUOTIENT}
    @big hi0 = mad_u32 mant w0 up
    @big hi = add_u32 hi0 0x40000000    // cos(a) = sin(a + pi/2)
    @big qs = and_u32 hi 0x80000000
{_LARGE_ANGLE}
{_SINE}
"""

FUNCTIONS: dict[str, Function] = {
    f.name: f
    for f in (
        Function("sin", "Sine of radians.", 1.6, _SIN),
        Function("cos", "Cosine of radians.", 1.7, _COS),
        Function("exp2", "Two to the power of x.", 0.9, _EXP2),
        Function("log2", "Logarithm to base two.", 1.3, _LOG2),
    )
}
"""The functions by stem of the instruction table."""

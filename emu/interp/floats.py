"""Float operations on arrays that NumPy does not have, or has with other bits.

Arithmetic yields the canonical quiet NaN; `canonical` sees to that. fma is exact: rounded once.
"""

from __future__ import annotations

import numpy as np

Array = np.ndarray

CANONICAL = {"float32": np.uint32(0x7FC0_0000), "float64": np.uint64(0x7FF8_0000_0000_0000)}
_BITS = {"float32": np.uint32, "float64": np.uint64}


def bits_of(x: Array) -> Array:
    """Return the bit patterns of a float array (a view)."""
    return x.view(_BITS[x.dtype.name])


def canonical(x: Array) -> Array:
    """Replace every NaN by the canonical quiet NaN, in place."""
    nan = np.isnan(x)
    if nan.any():
        bits_of(x)[nan] = CANONICAL[x.dtype.name]
    return x


def fma(a: Array, b: Array, c: Array) -> Array:
    """Return a * b + c rounded once."""
    a, b, c = np.broadcast_arrays(a, b, c)
    return canonical(_fma32(a, b, c) if a.dtype == np.float32 else _fma64(a, b, c))


def _two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """Return s = a + b rounded, and its exact error (Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def _to_odd(s: Array, error: Array) -> Array:
    """Turn s, rounded to nearest with a known error, into the sum rounded to odd.

    Rounding such a value to a format at least two bits narrower gives the sum rounded once
    (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums").
    """
    inexact = (error != 0) & np.isfinite(s)
    if not inexact.any():
        return s
    bits = s.view(np.uint64).copy()
    even = inexact & (bits & np.uint64(1) == 0)
    # An even s that is too small must grow in magnitude to be odd, one too large must shrink.
    grow = even & ((error > 0) == (s > 0))
    shrink = even & ~grow
    bits[grow] += np.uint64(1)
    bits[shrink] -= np.uint64(1)
    return bits.view(np.float64)


def _fma32(a: Array, b: Array, c: Array) -> Array:
    # The product of two f32 is exact in f64, and neither product nor sum leaves its range.
    product = a.astype(np.float64) * b
    s, error = _two_sum(product, c.astype(np.float64))
    return _to_odd(s, error).astype(np.float32)


_SPLIT = np.float64((1 << 27) + 1)


def _split(a: Array) -> tuple[Array, Array]:
    """Return the upper and lower half of the significand (Veltkamp)."""
    t = _SPLIT * a
    high = t - (t - a)
    return high, a - high


def _two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """Return p = a * b rounded, and its exact error (Dekker)."""
    p = a * b
    ah, al = _split(a)
    bh, bl = _split(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


def _exponent(x: Array) -> Array:
    """Return the biased exponent of f64 values."""
    return (x.view(np.uint64) >> np.uint64(52) & np.uint64(0x7FF)).astype(np.int64)


def _fma64(a: Array, b: Array, c: Array) -> Array:
    a, b, c = (np.ascontiguousarray(x) for x in (a, b, c))
    ea, eb, ec = _exponent(a), _exponent(b), _exponent(c)
    # The error-free transformations hold where nothing overflows or becomes subnormal on the way.
    # The bound on the product's exponent keeps its error term and the sum's two lowest bits normal.
    product = ea + eb - 1023
    easy = (
        (ea > 0) & (eb > 0) & (ea < 0x7FF - 54) & (eb < 0x7FF - 54)
        & (product > 160) & (product < 2040)
        & (((ec > 160) & (ec < 2040)) | (c == 0))
    )  # fmt: skip
    p, low = _two_product(a, b)
    high, middle = _two_sum(c, low)
    s, rest = _two_sum(p, high)
    # s + (rest + middle), the inner sum rounded to odd: one correct rounding in all.
    t, error = _two_sum(rest, middle)
    result = s + _to_odd(np.ascontiguousarray(t), error)
    if not easy.all():
        hard = np.flatnonzero(~easy)
        result[hard] = [
            _fma64_scalar(*map(float, v)) for v in zip(a[hard], b[hard], c[hard], strict=True)
        ]
    return result


def _fma64_scalar(a: float, b: float, c: float) -> float:
    """Compute one f64 fma in integer arithmetic, for operands near the ends of the range."""
    if not (np.isfinite(a) and np.isfinite(b)):
        return a * b + c
    if not np.isfinite(c):
        return c
    if a == 0.0 or b == 0.0:
        return a * b + c
    if c == 0.0:
        # The product alone, rounded once; adding a zero of either sign cannot change it unless
        # it rounds to zero itself, and then the sign of the product is kept.
        return a * b
    (na, da), (nb, db), (nc, dc) = (x.as_integer_ratio() for x in (a, b, c))
    numerator = na * nb * dc + nc * da * db
    if numerator == 0:
        return 0.0
    try:
        # Python divides integers with one correct rounding.
        return numerator / (da * db * dc)
    except OverflowError:
        return float("inf") if numerator > 0 else float("-inf")


def minimum(a: Array, b: Array) -> Array:
    """Return the lesser; the number wins over NaN, -0 < +0."""
    return _extreme(a, b, a < b, np.bitwise_or)


def maximum(a: Array, b: Array) -> Array:
    """Return the greater; the number wins over NaN, -0 < +0."""
    return _extreme(a, b, a > b, np.bitwise_and)


def _extreme(a: Array, b: Array, a_wins: Array, zeros: np.ufunc) -> Array:
    a, b = (np.ascontiguousarray(x) for x in np.broadcast_arrays(a, b))
    result = np.where(a_wins | np.isnan(b), a, b)
    equal = a == b
    if equal.any():
        # Equal values have equal bits but for +0 and -0, whose signs combine.
        bits_of(result)[equal] = zeros(bits_of(a)[equal], bits_of(b)[equal])
    return canonical(result)


def to_integer(x: Array, bits: int, signed: bool) -> Array:
    """Truncate towards zero and saturate; NaN gives 0. The result is uint64 two's complement."""
    low = -(1 << (bits - 1)) if signed else 0
    high = (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1
    wide = np.trunc(x).astype(np.float64)
    limit = np.float64(2.0 ** (bits - 1 if signed else bits))
    inside = (wide >= np.float64(low)) & (wide < limit)
    safe = np.where(inside, wide, 0.0)
    target = np.int64 if signed else np.uint64
    result = safe.astype(target).view(np.uint64) if signed else safe.astype(target)
    result[wide >= limit] = np.uint64(high)
    result[wide < low] = np.uint64(low & 0xFFFF_FFFF_FFFF_FFFF)
    return result

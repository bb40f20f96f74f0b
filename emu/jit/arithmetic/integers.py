"""Integer arithmetic, bits, moves and integer comparison as LLVM IR."""

from __future__ import annotations

from . import avx512
from .division import divide, remainder
from .operation import Emitter, Operation


def _binary(name: str) -> Emitter:
    """Return an LLVM instruction with two operands."""

    def emit(op: Operation) -> str:
        a, b = op.sources
        return op.let(f"{name} {op.integer} {a}, {b}")

    return emit


def _mad(op: Operation) -> str:
    a, b, c = op.sources
    product = op.let(f"mul {op.integer} {a}, {b}")
    return op.let(f"add {op.integer} {product}, {c}")


def _mulhi(op: Operation) -> str:
    a, b = op.sources
    if op.bits == 64 and op.n:
        return _mulhi_by_parts(op, a, b)
    # Scalars have an instruction for the full product, and 32-bit lanes fit into 64-bit ones.
    wide = op.int(2 * op.bits)
    extend = "sext" if op.type.is_signed else "zext"
    wa, wb = (op.cast(extend, x, op.integer, wide) for x in (a, b))
    product = op.let(f"mul {wide} {wa}, {wb}")
    high = op.let(f"lshr {wide} {product}, {op.constant(op.bits, 2 * op.bits)}")
    return op.cast("trunc", high, wide, op.integer)


def _mulhi_by_parts(op: Operation, a: str, b: str) -> str:
    """Return the upper half of 64-bit products from four products of 32-bit halves.

    LLVM would make one 128-bit product of the four, and take the vector apart for it. The distance
    of the shifts is hidden from it, so that it does not recognise them.
    """
    t = op.integer
    half = op.code.hidden(32)
    one = op.let(f"insertelement {t} poison, i64 {half}, i32 0")
    count = op.let(f"shufflevector {t} {one}, {t} poison, {op.int(32)} zeroinitializer")

    def upper(x: str, count: str = op.constant(32)) -> str:
        return op.let(f"lshr {t} {x}, {count}")

    def lower(x: str) -> str:
        return op.let(f"and {t} {x}, {op.constant(0xFFFF_FFFF)}")

    def mul(x: str, y: str) -> str:
        return op.let(f"mul {t} {x}, {y}")

    def add(x: str, y: str) -> str:
        return op.let(f"add {t} {x}, {y}")

    ah, al, bh, bl = lower(upper(a, count)), lower(a), lower(upper(b, count)), lower(b)
    cross = add(mul(ah, bl), upper(mul(al, bl)))
    other = add(mul(al, bh), lower(cross))
    high = add(add(mul(ah, bh), upper(cross)), upper(other))
    if not op.type.is_signed:
        return high
    # Signed from unsigned: subtract each factor where the other one is negative.
    for factor, sign in ((a, b), (b, a)):
        negative = op.let(f"ashr {t} {sign}, {op.constant(63)}")
        high = op.let(f"sub {t} {high}, {op.let(f'and {t} {negative}, {factor}')}")
    return high


def _extreme(signed: str, unsigned: str) -> Emitter:
    def emit(op: Operation) -> str:
        name = signed if op.type.is_signed else unsigned
        a, b = op.sources
        return op.code.intrinsic(name, op.integer, f"{op.integer} {a}", f"{op.integer} {b}")

    return emit


def _abs(op: Operation) -> str:
    a = avx512.opaque(op) or op.sources[0]
    # `false`: the magnitude of the least value wraps, and is not poison.
    return op.code.intrinsic("llvm.abs", op.integer, f"{op.integer} {a}", "i1 false")


def _neg(op: Operation) -> str:
    return op.let(f"sub {op.integer} {op.constant(0)}, {op.sources[0]}")


def _not(op: Operation) -> str:
    return op.let(f"xor {op.integer} {op.sources[0]}, {op.constant(-1)}")


def _mov(op: Operation) -> str:
    return op.sources[0]


def _movhi(op: Operation) -> str:
    new, old = op.sources
    wide = op.cast("zext", new, op.int(32), op.integer)
    high = op.let(f"shl {op.integer} {wide}, {op.constant(32)}")
    low = op.let(f"and {op.integer} {old}, {op.constant(0xFFFF_FFFF)}")
    return op.let(f"or disjoint {op.integer} {high}, {low}")


def _select(op: Operation) -> str:
    condition, yes, no = op.sources
    return op.select(condition, op.integer, yes, no)


def _shift(signed: str, unsigned: str) -> Emitter:
    def emit(op: Operation) -> str:
        value, count = op.sources
        fixed = op.known(1)
        if fixed is not None:
            amount = op.constant(fixed & (op.bits - 1))
        else:
            amount = op.let(f"and {op.int(32)} {count}, {op.constant(op.bits - 1, 32)}")
            if op.bits == 64:
                amount = op.cast("zext", amount, op.int(32), op.integer)
        name = signed if op.type.is_signed else unsigned
        return op.let(f"{name} {op.integer} {value}, {amount}")

    return emit


def _popcount(op: Operation) -> str:
    count = op.code.intrinsic("llvm.ctpop", op.integer, f"{op.integer} {op.sources[0]}")
    return _to_u32(op, count)


def _clz(op: Operation) -> str:
    # `false`: the count of zero is the width, and is not poison.
    source = f"{op.integer} {op.sources[0]}"
    return _to_u32(op, op.code.intrinsic("llvm.ctlz", op.integer, source, "i1 false"))


def _to_u32(op: Operation, value: str) -> str:
    return value if op.bits == 32 else op.cast("trunc", value, op.integer, op.int(32))


def _bitextract(op: Operation) -> str:
    position, length = op.literals
    # Shifting the field to the top first lets the type's own right shift extend it.
    up, down = op.bits - position - length, op.bits - length
    top = op.let(f"shl {op.integer} {op.sources[0]}, {op.constant(up)}")
    right = "ashr" if op.type.is_signed else "lshr"
    return op.let(f"{right} {op.integer} {top}, {op.constant(down)}")


def _bitinsert(op: Operation) -> str:
    position, length = op.literals
    field = ((1 << length) - 1) << position
    a, b = op.sources
    kept = op.let(f"and {op.integer} {a}, {op.constant(~field)}")
    moved = op.let(f"shl {op.integer} {b}, {op.constant(position)}")
    new = op.let(f"and {op.integer} {moved}, {op.constant(field)}")
    return op.let(f"or disjoint {op.integer} {kept}, {new}")


def _compare(name: str) -> Emitter:
    def emit(op: Operation) -> str:
        a, b = op.sources
        sign = "" if name in ("eq", "ne") else "s" if op.type.is_signed else "u"
        return op.let(f"icmp {sign}{name} {op.integer} {a}, {b}")

    return emit


INTEGERS: dict[str, Emitter] = {
    "mov": _mov,
    "movhi": _movhi,
    "select": _select,
    "add": _binary("add"),
    "sub": _binary("sub"),
    "mul": _binary("mul"),
    "mulhi": _mulhi,
    "mad": _mad,
    "div": divide,
    "rem": remainder,
    "min": _extreme("llvm.smin", "llvm.umin"),
    "max": _extreme("llvm.smax", "llvm.umax"),
    "abs": _abs,
    "neg": _neg,
    "and": _binary("and"),
    "or": _binary("or"),
    "xor": _binary("xor"),
    "not": _not,
    "shl": _shift("shl", "shl"),
    "shr": _shift("ashr", "lshr"),
    "popcount": _popcount,
    "clz": _clz,
    "bitextract": _bitextract,
    "bitinsert": _bitinsert,
    **{f"cmp_{name}": _compare(name) for name in ("eq", "ne", "gt", "ge")},
    "cmp_lt": _compare("lt"),
    "cmp_le": _compare("le"),
}
"""By stem: rows of integer and b1 types, and moves of any type."""

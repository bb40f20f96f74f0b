"""The LLVM code of intrinsics of single words: bits, calls, loads and stores."""

from __future__ import annotations

from llvmlite import ir

from ...engine import intrinsics as twins
from .registry import I8, I64, I128, Builder, Lowered, registering

SCALARS: Lowered = {}
_intrinsic = registering(SCALARS)


@_intrinsic(twins.bit)
def _bit(b: Builder, args: list[ir.Value]) -> ir.Value:
    return b.shl(I64(1), b.and_(args[0], I64(63)))


@_intrinsic(twins.low_bits)
def _low_bits(b: Builder, args: list[ir.Value]) -> ir.Value:
    n = args[0]
    some = b.sub(b.shl(I64(1), b.and_(n, I64(63))), I64(1))
    return b.select(b.icmp_signed(">=", n, I64(64)), I64(-1), some)


@_intrinsic(twins.ctz)
def _ctz(b: Builder, args: list[ir.Value]) -> ir.Value:
    return b.cttz(args[0], ir.IntType(1)(0))


@_intrinsic(twins.quotient)
def _quotient(b: Builder, args: list[ir.Value]) -> ir.Value:
    double = b.shl(args[0], I64(1))
    wide = b.mul(b.zext(double, I128), b.zext(args[1], I128))
    return b.trunc(b.lshr(wide, I128(64)), I64)


@_intrinsic(twins.drop_lowest)
def _drop_lowest(b: Builder, args: list[ir.Value]) -> ir.Value:
    return b.and_(args[0], b.sub(args[0], I64(1)))


@_intrinsic(twins.popcount)
def _popcount(b: Builder, args: list[ir.Value]) -> ir.Value:
    return b.ctpop(args[0])


@_intrinsic(twins.mix)
def _mix(b: Builder, args: list[ir.Value]) -> ir.Value:
    factors = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
    x, y, c = (b.mul(a, I64(f)) for a, f in zip(args, factors, strict=True))
    z = b.add(b.add(x, y), c)
    z = b.mul(b.xor(z, b.lshr(z, I64(30))), I64(0xBF58476D1CE4E5B9))
    z = b.mul(b.xor(z, b.lshr(z, I64(27))), I64(0x94D049BB133111EB))
    return b.lshr(b.xor(z, b.lshr(z, I64(31))), I64(2))


@_intrinsic(twins.call)
def _call(b: Builder, args: list[ir.Value]) -> ir.Value:
    function, block, mask = args
    kind = ir.FunctionType(I64, [I64, I64])
    return b.call(b.inttoptr(function, kind.as_pointer()), [block, mask])


@_intrinsic(twins.call3)
def _call3(b: Builder, args: list[ir.Value]) -> ir.Value:
    kind = ir.FunctionType(I64, [I64] * 3)
    return b.call(b.inttoptr(args[0], kind.as_pointer()), args[1:])


def _word(b: Builder, address: ir.Value, index: ir.Value, bits: int) -> ir.Value:
    at = b.add(address, b.mul(index, I64(bits // 8)))
    return b.inttoptr(at, ir.IntType(bits).as_pointer())


@_intrinsic(twins.word64)
def _word64(b: Builder, args: list[ir.Value]) -> ir.Value:
    return b.load(_word(b, args[0], args[1], 64), typ=I64)


@_intrinsic(twins.word32)
def _word32(b: Builder, args: list[ir.Value]) -> ir.Value:
    return b.zext(b.load(_word(b, args[0], args[1], 32), typ=ir.IntType(32)), I64)


@_intrinsic(twins.put64)
def _put64(b: Builder, args: list[ir.Value]) -> None:
    b.store(args[2], _word(b, args[0], args[1], 64))


@_intrinsic(twins.prefetch)
def _prefetch(b: Builder, args: list[ir.Value]) -> None:
    name, number = "llvm.prefetch.p0", ir.IntType(32)
    pointer = ir.PointerType(I8)
    kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
    known = b.module.globals.get(name) or ir.Function(b.module, kind, name)
    at = b.inttoptr(args[0], pointer)
    b.call(known, [at, number(0), number(3), number(1)])

"""Rotations: `x << n | x >> 32 - n`, as sources that have no rotation write it."""

from __future__ import annotations

from .ssa import Const, Op, Value


def rotation_of(op: Op) -> Op | None:
    """Return the shift to the left if an op rotates that one's source by its count.

    Constant counts are left to LLVM, which recognises them. Both shifts are in the op's node: what
    they shift may not be kept in later ones.
    """
    if op.ins.row.name not in ("or_u32", "or_u64"):
        return None
    bits = op.cls.bits
    for left, right in (op.args, op.args[::-1]):
        if (
            isinstance(left, Op)
            and isinstance(right, Op)
            and left.node == right.node == op.node
            and left.ins.row.stem == "shl"
            and right.ins.row.name == f"shr_u{bits}"
            and left.args[0] is right.args[0]
            and not isinstance(left.args[1], Const)
            and (
                _is_rest(bits, left.args[1], right.args[1])
                or _is_rest(bits, right.args[1], left.args[1])
            )
        ):
            return left
    return None


def _is_rest(bits: int, count: Value, rest: Value) -> bool:
    """Return whether two counts are the bits of a word together, modulo these."""
    if not isinstance(rest, Op):
        return False
    match rest.ins.row.stem, rest.args:
        case "sub", [Const(bits=whole), value]:
            return value is count and whole % bits == 0
        case "neg", [value]:
            return value is count
    return False
